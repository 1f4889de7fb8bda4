// Gives the devices of the house the names that their attributes were given first, and keeps those that are new.
import type { Clock } from "../../kit/time/clock.ts";
import type { DescribedDevice } from "./described.ts";
import type { Entry } from "./entry.ts";
import { giveNames } from "./given-names.ts";
import type { DiscoveryStore } from "./store.ts";

// A device of before names were kept is announced in pieces, at the hub's start; then all of it has been.
const WHOLE_AFTER_MS = 60_000;

export class AttributeNames {
  readonly #clock: Clock;
  readonly #store: DiscoveryStore;
  /** How the names of an entry are kept, as it is described by now; of devices whose names are not kept yet. */
  readonly #unkept = new Map<string, Unkept>();

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
    /** Of what a message brought before the names of a device of before are kept. */
    const early = new Map<string, string>();
    const { fresh, problem, ...names } = giveNames(described, {
      isOfBefore: isUnnamed,
      kept: () =>
        new Map([
          ...((isUnnamed ? described.formerNames?.() : undefined) ?? store.namesOf(deviceId, source)),
          ...early,
        ]),
      keep(of, name) {
        if (store.isUnnamed(deviceId)) early.set(of, name);
        else store.name(deviceId, source, new Map([[of, name]]));
      },
    });
    Object.assign(entry, { device: names.device, names });
    if (problem !== undefined) entry.problem = problem;
    if (isUnnamed) this.#keepFormerLater(id, { deviceId, source, described, fresh, early });
    else store.name(deviceId, source, fresh);
  }

  /** Once, however often it is announced again meanwhile. */
  #keepFormerLater(id: string, what: Unkept): void {
    const isWaiting = this.#unkept.has(id);
    this.#unkept.set(id, what);
    if (isWaiting) return;
    this.#clock.after("names of attributes", WHOLE_AFTER_MS, () => {
      const { deviceId, source, described, fresh, early } = this.#unkept.get(id) ?? what;
      this.#unkept.delete(id);
      this.#store.name(deviceId, source, new Map([...(described.formerNames?.() ?? []), ...fresh, ...early]));
    });
  }
}

interface Unkept {
  deviceId: string;
  source: string;
  described: DescribedDevice;
  fresh: ReadonlyMap<string, string>;
  /** Of what a message brought before. */
  early: ReadonlyMap<string, string>;
}
