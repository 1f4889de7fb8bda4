// Which device is behind which, whichever of them is announced first.
import type { DescribedDevice } from "./described.ts";
import type { Entry } from "./entry.ts";

// Longer than any house has things behind things.
const MAX_ABOVE = 20;
// Each is registered again when its parent appears.
const MAX_CHILDREN = 500;

export class Parents {
  readonly #find: (identity: string) => Entry | undefined;
  /** By the identity of the parent that is not there yet. */
  readonly #waiting = new Map<string, Set<Entry>>();

  /** `find`: the device that is known by an identity. */
  constructor(find: (identity: string) => Entry | undefined) {
    this.#find = find;
  }

  /** Undefined where there is none yet, or where the device would be behind itself. */
  idOf(entry: Entry, deviceId: string): string | undefined {
    const identity = entry.device?.parent;
    if (identity === undefined) return undefined;
    const parent = this.#find(identity);
    if (!parent) this.#wait(identity, entry);
    let above = parent;
    for (let steps = 0; above; steps++) {
      if (above === entry || above.deviceId === deviceId || steps >= MAX_ABOVE) return undefined;
      above = above.device?.parent === undefined ? undefined : this.#find(above.device.parent);
    }
    return parent?.deviceId;
  }

  /** Those that have waited for it. */
  appeared({ device }: Entry): { child: Entry; of: DescribedDevice; deviceId: string }[] {
    const children = new Set<Entry>();
    for (const identity of device?.identities ?? []) {
      for (const child of this.#waiting.get(identity) ?? []) children.add(child);
      this.#waiting.delete(identity);
    }
    return [...children].flatMap((child) => {
      const { device: of, deviceId, announced } = child;
      return announced && of && deviceId !== undefined ? [{ child, of, deviceId }] : [];
    });
  }

  #wait(identity: string, child: Entry): void {
    const children = this.#waiting.get(identity) ?? new Set();
    if (children.size < MAX_CHILDREN) this.#waiting.set(identity, children.add(child));
  }
}
