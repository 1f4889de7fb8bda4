// Which devices can be reached. A device that is restored after a restart of the hub is not available before it, or its owner, is
// seen, or somebody is there who takes its commands: whoever brought it may be gone.
import { HUB_PLUGIN_ID } from "../../kit/schema/ids.ts";
import type { Clock, Timer } from "../../kit/time/clock.ts";
import type { HubEvent } from "../../server/events/catalog.ts";
import type { Device } from "./device.ts";

export interface AvailabilityOptions {
  clock: Clock;
  emit: (event: HubEvent) => void;
  /** Called when what is on disk is no longer true. */
  changed: (device: Device) => void;
}

// Longer than a plugin may be silent before it counts as offline (90 s): it has been seen by then, or it is gone.
const START_GRACE_MS = 120_000;

export class Availability implements Disposable {
  readonly #options: AvailabilityOptions;
  /** Devices that their plugin reported offline: another report does not make them available, only the plugin does. */
  readonly #reportedOffline = new Set<string>();
  /** Were available before the hub's restart, and not seen since. */
  readonly #unseen = new Map<string, Device>();
  /** The same, whose time to be seen is over. */
  readonly #lapsed = new Set<string>();
  readonly #grace: Timer | undefined;

  constructor(restored: Iterable<Device>, options: AvailabilityOptions) {
    this.#options = options;
    for (const device of restored) {
      if (device.pluginId === HUB_PLUGIN_ID || !device.available) continue;
      device.available = false;
      this.#unseen.set(device.id, device);
    }
    if (this.#unseen.size > 0)
      this.#grace = options.clock.after("devices that did not come back", START_GRACE_MS, () => this.#endGrace());
  }

  /** It reported or was registered. */
  alive(device: Device): void {
    if (!this.#reportedOffline.has(device.id)) this.#set(device, true);
  }

  /** Its plugin says so. */
  reported(device: Device, available: boolean): void {
    if (available) this.#reportedOffline.delete(device.id);
    else this.#reportedOffline.add(device.id);
    this.#set(device, available);
  }

  /** A broker that stayed up has kept what it said: it is what it was before the hub's restart, however late that broker came. */
  kept(device: Device): void {
    if (this.#unseen.has(device.id) || this.#lapsed.has(device.id)) this.#set(device, true);
  }

  /** The plugin or account is there: its devices are again what they were before the hub's restart. */
  markSeen(owner: string): void {
    if (this.#unseen.size === 0) return;
    for (const device of [...this.#unseen.values()]) if (device.pluginId === owner) this.#set(device, true);
  }

  /** Somebody takes its commands. */
  attended(id: string): void {
    const device = this.#unseen.get(id);
    if (device) this.#set(device, true);
  }

  /** Were available before the hub's restart, and neither seen nor attended since. */
  unseen(): Iterable<Device> {
    return [...this.#unseen.values()];
  }

  /** The plugin that brought it is gone. */
  lost(device: Device): void {
    this.#set(device, false);
  }

  /** It was available before the hub's restart, and not seen since. */
  isUnseen(id: string): boolean {
    return this.#unseen.has(id);
  }

  removed({ id }: Device): void {
    this.#unseen.delete(id);
    this.#lapsed.delete(id);
    this.#reportedOffline.delete(id);
  }

  [Symbol.dispose](): void {
    this.#grace?.[Symbol.dispose]();
  }

  #endGrace(): void {
    for (const device of [...this.#unseen.values()]) {
      this.#set(device, false);
      this.#lapsed.add(device.id);
    }
  }

  #set(device: Device, available: boolean): void {
    const wasBefore = this.#unseen.delete(device.id);
    this.#lapsed.delete(device.id);
    if (device.available === available && !wasBefore) return;
    device.available = available;
    const event = { type: "device_availability_changed", device_id: device.id, available } as const;
    if (wasBefore && available) {
      this.#options.emit({ ...event, after_restart: true });
      return;
    }
    this.#options.changed(device);
    this.#options.emit(event);
  }
}
