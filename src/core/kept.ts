// Where two machines share a house, and hub.toml says so, whoever changes something is answered when both have it on their disks.

export interface Kept {
  /** How often something of the hub's own devices was written so that it is kept; only grows. */
  changes(): number;
  /** Resolves when the other machine has all that is on this one's disk now; with a sentence where it has not. */
  confirmed(): Promise<string | undefined>;
}

/**
 * To be called before what may change something, and what it returns when that is done: as `Kept.confirmed`. Unless `always`, only where
 * one of the hub's own devices was changed.
 */
export function watchKept(kept: Kept, always: boolean): () => Promise<string | undefined> {
  const before = kept.changes();
  return async () => (always || kept.changes() !== before ? kept.confirmed() : undefined);
}
