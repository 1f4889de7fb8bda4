// What discovery does to the devices of the house: each entry that has one registers it, and speaks for it.
import type { JsonObject } from "../core/json.ts";
import type { Report } from "./described.ts";
import type { Entry } from "./entry.ts";
import { actionOf, toldOf } from "./presses.ts";
import { schemaOf } from "./schema.ts";
import type { Heard } from "./source.ts";

/** The devices of the house, as far as discovery needs them. `retained`: known from before, and no sign of life. */
export interface HouseDevices {
  register(registration: JsonObject & { device_id: string }, owner: string, from: { retained: boolean }): void;
  schema(id: string, schema: JsonObject, owner: string): void;
  state(
    id: string,
    attributes: JsonObject,
    from: { pluginId: string; partial: boolean; retained: boolean; change?: JsonObject },
  ): void;
  availability(id: string, available: boolean, owner: string, from: { retained: boolean }): void;
  ownerOf(id: string): string | undefined;
  /** Another owner speaks for it from now on. */
  give(id: string, owner: string): void;
}

export interface DeviceSpeakerOptions {
  devices: HouseDevices;
  /** The entry that has a device. */
  holderOf: (deviceId: string) => Entry | undefined;
  onAction: (action: { device_id: string; action: string; data?: JsonObject }) => void;
  /** Messages that came before the device was described, or let in. */
  keptOn: (topic: string) => Iterable<Heard>;
}

/** Marks the change of an attribute that an event `device_action` reports as well. */
const CHANGE = { kind: "device_action" };

export class DeviceSpeaker {
  readonly #options: DeviceSpeakerOptions;

  constructor(options: DeviceSpeakerOptions) {
    this.#options = options;
  }

  /** Throws HubError where it is refused: `forbidden` for a device of somebody else. */
  register(id: string, { device, sender }: Entry, { parent, retained }: { parent?: string; retained: boolean }): void {
    if (!device) return;
    const { devices } = this.#options;
    const { deviceType, name, area, manufacturer, model, hardware } = device;
    devices.register(
      {
        ...{ device_id: id, device_type: deviceType },
        ...(name !== undefined && { name }),
        ...(area !== undefined && { area }),
        ...(manufacturer !== undefined && { manufacturer }),
        ...(model !== undefined && { model }),
        ...hardware,
        ...(parent !== undefined && { parent_device_id: parent }),
      },
      sender.name,
      { retained },
    );
    devices.schema(id, schemaOf(device), sender.name);
  }

  /** Nothing where another entry has the device. */
  available(entry: Entry, available: boolean, retained = false): void {
    if (this.#holds(entry))
      this.#options.devices.availability(entry.deviceId, available, entry.sender.name, { retained });
  }

  take(entry: Entry | undefined, report: Report, { retain: retained }: { retain: boolean }): void {
    if (!entry || !this.#holds(entry)) return;
    const { devices, onAction } = this.#options;
    const { deviceId } = entry;
    const { action, ...attributes } = report.attributes;
    const from = { pluginId: entry.sender.name, partial: true, retained };
    const last = report.actions.at(-1);
    if (last === undefined && action !== undefined) attributes.action = action;
    if (Object.keys(attributes).length > 0) devices.state(deviceId, attributes, from);
    // A press of before the hub started is none now.
    if (last !== undefined && !retained) {
      // What a thermostat does may have had the name before its presses were announced.
      const isOther = entry.device?.attributes.some((one) => one.name === "action" && one.word === "action");
      devices.state(deviceId, { [isOther ? "action_event" : "action"]: actionOf(last) }, { ...from, change: CHANGE });
      for (const one of report.actions) onAction({ device_id: deviceId, ...toldOf(one) });
    }
    if (report.available !== undefined) this.available(entry, report.available, retained);
  }

  /** What it said before it was described. */
  hearKept(entry: Entry): void {
    for (const topic of entry.device?.topics ?? []) {
      for (const heard of this.#options.keptOn(topic)) {
        if (heard.sender.name === entry.sender.name && entry.device)
          this.take(entry, entry.device.read(heard.topic, heard.message()), { retain: true });
      }
    }
  }

  #holds(entry: Entry): entry is Entry & { deviceId: string } {
    return entry.deviceId !== undefined && this.#options.holderOf(entry.deviceId) === entry;
  }
}
