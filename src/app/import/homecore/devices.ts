// The devices of the old house, with their names, areas and last states. Names and areas count as given by a person, so that
// no plugin changes them back.
import { type Device, type DeviceDetails, newDevice } from "../../../house/state/device.ts";
import type { DeviceStore } from "../../../house/state/device-store.ts";
import { isValidId } from "../../../kit/schema/ids.ts";
import type { JsonObject } from "../../../kit/schema/json.ts";
import { cleanName, type Kind, type Report } from "../report.ts";
import { type AreaOf, RENAMED } from "./areas.ts";
import type { OldDevice } from "./shapes.ts";

export interface DeviceImport {
  /** The devices that are here, by id; what is imported is added. */
  readonly known: Map<string, Device>;
  readonly store: Pick<DeviceStore, "saveIdentity" | "saveStates">;
  readonly areaOf: AreaOf;
  readonly report: Report;
  /** Epoch ms. */
  readonly now: number;
}

const MAX_DEVICES = 10_000;
const MAX_BYTES = 1024 * 1024;

export function importDevices(devices: readonly OldDevice[], into: DeviceImport): void {
  for (const old of devices) {
    const present = into.known.get(old.device_id);
    if (present) completeDevice(present, old, into);
    else addDevice(old, "device", { pluginId: old.plugin_id, attributes: old.attributes as JsonObject }, into);
  }
}

export interface NewState extends Pick<Device, "pluginId" | "attributes"> {
  deviceType?: string;
  /** Those of the old device when absent, if its plugin is the same. */
  details?: DeviceDetails;
  note?: string | undefined;
}

/** Adds a device that is not here yet; false, with the reason in the report, where it cannot be added. */
export function addDevice(old: OldDevice, kind: Kind, state: NewState, into: DeviceImport): boolean {
  const { known, store, areaOf, report, now } = into;
  const problem = problemOf(old, state, known.size);
  if (problem !== undefined) {
    report.add(kind, old.name || old.device_id, "left", problem);
    return false;
  }
  const given = old.name_override ?? old.name;
  const name = cleanName(given) ?? old.device_id;
  const area = areaOf(old);
  const device: Device = {
    ...newDevice(old.device_id, state.pluginId),
    name,
    nameIsUsers: true,
    alias: aliasOf(old),
    area,
    areaIsUsers: area !== undefined,
    deviceType: state.deviceType ?? old.device_type ?? undefined,
    details: state.details ?? (state.pluginId === old.plugin_id ? detailsOf(old) : {}),
    available: old.available ?? true,
    attributes: state.attributes,
    lastSeen: timeOf(old.last_seen),
  };
  store.saveIdentity(device, now);
  store.saveStates([device]);
  known.set(device.id, device);
  const note = [name === given.trim() ? undefined : RENAMED, state.note].filter((one) => one !== undefined).join("; ");
  report.add(kind, name, note === "" ? "moved" : "changed", note === "" ? undefined : note);
  return true;
}

/** One that its plugin has announced here before: it gets what only the old house knows. */
function completeDevice(device: Device, old: OldDevice, { store, areaOf, report, now }: DeviceImport): void {
  const name = cleanName(old.name_override ?? old.name);
  const area = areaOf(old);
  const edited = {
    ...device,
    ...(!device.nameIsUsers && name !== undefined && { name, nameIsUsers: true }),
    ...(!device.areaIsUsers && area !== undefined && { area, areaIsUsers: true }),
    alias: device.alias ?? aliasOf(old),
  };
  const isSame = (["name", "nameIsUsers", "area", "areaIsUsers", "alias"] as const).every(
    (key) => edited[key] === device[key],
  );
  if (!isSame) store.saveIdentity(edited, now);
  Object.assign(device, edited);
  if (isSame) report.add("device", device.name, "there");
  else report.add("device", edited.name, "changed", "it was here already, and got its name and area from homeCore");
}

function problemOf(old: OldDevice, { pluginId, attributes }: NewState, known: number): string | undefined {
  if (!isValidId(old.device_id))
    return 'its id cannot be one here: as a part of an MQTT topic it has no "/", "+" or "#"';
  if (!isValidId(pluginId)) return "the id of its plugin cannot be one here";
  if (known >= MAX_DEVICES) return `there are ${MAX_DEVICES} devices here already: remove some`;
  const bytes = JSON.stringify(attributes).length + JSON.stringify(old.schema ?? null).length;
  return bytes > MAX_BYTES ? "its state takes more than a megabyte" : undefined;
}

function aliasOf({ canonical_name, device_id }: OldDevice): string | undefined {
  if (!canonical_name || canonical_name === device_id || canonical_name.length > 255) return undefined;
  return cleanName(canonical_name) === canonical_name ? canonical_name : undefined;
}

function detailsOf({ manufacturer, model, sw_version, parent_device_id, schema }: OldDevice): DeviceDetails {
  const given = { manufacturer, model, sw_version, parent_device_id, schema };
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value)) as DeviceDetails;
}

function timeOf(text: string | null | undefined): number | undefined {
  const ms = Date.parse(text ?? "");
  return Number.isNaN(ms) ? undefined : ms;
}
