// Where two machines share a house, and hub.toml says so, whoever changes something is answered when both have it on their disks.

export interface Kept {
  /** How often one of the hub's own devices was commanded (a mode, a timer): what they are is kept. Only grows. */
  commanded(): number;
  /** Resolves when the other machine has all that is on this one's disk now; with a sentence where it has not. */
  confirmed(): Promise<string | undefined>;
}

/**
 * To be called before what may change something, and what it returns when that is done: as `Kept.confirmed`. Unless `always`, only where
 * one of the hub's own devices was commanded.
 */
export function watchKept(kept: Kept, always: boolean): () => Promise<string | undefined> {
  const before = kept.commanded();
  return async () => (always || kept.commanded() !== before ? kept.confirmed() : undefined);
}
