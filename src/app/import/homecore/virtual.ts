// Timers, switches and the states of modes, which are devices of the hub itself.
import { type DeviceDetails, isGroup } from "../../../house/state/device.ts";
import { HUB_PLUGIN_ID } from "../../../kit/schema/ids.ts";
import type { JsonObject } from "../../../kit/schema/json.ts";
import type { Report } from "../report.ts";
import { addDevice, type DeviceImport } from "./devices.ts";
import type { ListedMode, OldDevice } from "./shapes.ts";

export function importTimers(timers: readonly OldDevice[], into: DeviceImport): void {
  for (const old of timers) addOwn(old, { kind: "timer", attributes: timerAttributes(old.attributes, into.now) }, into);
}

export function importSwitches(switches: readonly OldDevice[], into: DeviceImport): void {
  for (const old of switches) addOwn(old, { kind: "switch", attributes: { on: old.attributes.on === true } }, into);
}

/** What manual modes are, on or off; solar ones follow the sun by themselves. */
export function importModeStates(modes: readonly ListedMode[], into: DeviceImport): void {
  for (const { config, state } of modes) {
    if (config.kind !== "manual" || !state || into.known.has(config.id)) continue;
    const old = { ...state, device_id: config.id, name: config.name ?? config.id };
    addOwn(old, { kind: "mode", attributes: { on: state.attributes.on === true } }, { ...into, report: NO_REPORT });
  }
}

// modes.toml has every mode.
const NO_REPORT: Report = { entries: [], add() {}, addMany() {} };

export interface OwnDevice {
  readonly kind: "timer" | "switch" | "mode" | "schedule" | "group";
  readonly attributes: JsonObject;
  readonly details?: DeviceDetails;
  /** How it is not quite as it was. */
  readonly note?: string | undefined;
}

/** Adds a device of the hub itself; false, with the reason in the report, where it is here already or cannot be added. */
export function addOwn(old: OldDevice, { kind, ...own }: OwnDevice, into: DeviceImport): boolean {
  const present = into.known.get(old.device_id);
  if (!present) return addDevice(old, kind, { pluginId: HUB_PLUGIN_ID, deviceType: kind, ...own }, into);
  // A group has the type of its members.
  const isOfKind = kind === "group" ? isGroup(present) : present.deviceType === kind && !isGroup(present);
  if (present.pluginId === HUB_PLUGIN_ID && isOfKind) into.report.add(kind, present.name, "there");
  else into.report.add(kind, old.name, "left", `the id "${old.device_id}" is another device's here`);
  return false;
}

/** homeCore's `running` and `finished` are `started` and `expired` here. A running timer goes on, and ends when it would have. */
function timerAttributes(old: JsonObject | Record<string, unknown>, now: number): JsonObject {
  const duration = secondsIn(old.duration_secs);
  const remaining = old.state === "running" ? runningSecs(old, now) : secondsIn(old.remaining_secs);
  const kept: JsonObject = {
    ...(duration !== undefined && { duration_secs: duration }),
    ...(typeof old.label === "string" && old.label !== "" && { label: old.label.slice(0, 200) }),
    ...(old.repeat === true && { repeat: true }),
  };
  if (old.state === "running" && remaining !== undefined)
    return {
      ...kept,
      state: "started",
      duration_secs: Math.max(duration ?? 0, remaining),
      ends_at: new Date(now + remaining * 1000).toISOString(),
    };
  if (old.state === "paused" && remaining !== undefined)
    return { ...kept, state: "paused", duration_secs: duration ?? remaining, remaining_secs: remaining };
  const words: Record<string, string> = { running: "expired", finished: "expired", cancelled: "cancelled" };
  const state = words[String(old.state)] ?? "idle";
  return { ...kept, state };
}

/** While a timer runs, homeCore leaves `remaining_secs` as it was at `started_at`. */
function runningSecs(old: JsonObject | Record<string, unknown>, now: number): number | undefined {
  const atStart = secondsIn(old.remaining_secs);
  const startedAt = Date.parse(String(old.started_at));
  if (atStart === undefined || Number.isNaN(startedAt)) return atStart;
  // The clocks of the two machines may differ.
  return Math.min(atStart, Math.max(0, atStart - (now - startedAt) / 1000));
}

const TEN_YEARS_SECS = 10 * 365.25 * 86_400;

/** As long as a timer may run here. */
function secondsIn(value: unknown): number | undefined {
  return typeof value === "number" && value > 0 && value <= TEN_YEARS_SECS ? value : undefined;
}
