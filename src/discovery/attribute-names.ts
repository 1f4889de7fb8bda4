// Gives the devices of the house the names that their attributes were given first, and keeps those that are new.
import type { Clock, Timer } from "../core/clock.ts";
import type { Entry } from "./entry.ts";
import { giveNames } from "./given-names.ts";
import type { DiscoveryStore } from "./store.ts";

// A device of before names were kept is announced in pieces, at the hub's start; then all of it has been.
const WHOLE_AFTER_MS = 60_000;

export class AttributeNames {
  readonly #clock: Clock;
  readonly #store: DiscoveryStore;
  /** Of devices whose names are not kept yet. */
  readonly #timers = new Map<string, Timer>();

  constructor({ clock, store }: { clock: Clock; store: DiscoveryStore }) {
    this.#clock = clock;
    this.#store = store;
  }

  /** `entry.device` is what it describes, in the names of the house's device. */
  apply(entry: Entry, deviceId: string): void {
    const { described, source, id } = entry;
    if (!described) return;
    const store = this.#store;
    const isUnnamed = store.isUnnamed(deviceId);
    const { device, given, fresh, problem } = giveNames(described, {
      kept: (isUnnamed ? described.formerNames?.() : undefined) ?? store.namesOf(deviceId, source),
      keep(of, name) {
        if (!store.isUnnamed(deviceId)) store.name(deviceId, source, new Map([[of, name]]));
      },
    });
    Object.assign(entry, { device, given });
    if (problem !== undefined) entry.problem = problem;
    this.#timers.get(id)?.[Symbol.dispose]();
    const keep = (): void => {
      this.#timers.delete(id);
      store.name(deviceId, source, isUnnamed ? new Map([...(described.formerNames?.() ?? []), ...fresh]) : fresh);
    };
    if (isUnnamed) this.#timers.set(id, this.#clock.after("names of attributes", WHOLE_AFTER_MS, keep));
    else keep();
  }
}
