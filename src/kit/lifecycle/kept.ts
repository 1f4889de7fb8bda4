// Where two machines share a house, and hub.toml says so, whoever changes something is answered when both have it on their disks.

export interface Kept {
  /** How often one of the hub's own devices was commanded. Only grows. */
  commanded(): number;
  /**
   * How often something was changed that is kept although nobody asked for it over a route of its own: one of the hub's own devices was
   * commanded (a mode, a timer), a variable was set. Only grows.
   */
  changed(): number;
  /** Resolves when the other machine has all that was changed here until now; with a sentence where it has not. */
  confirmed(): Promise<string | undefined>;
  /**
   * For what lets others know of changes: resolves when the other machine has them, or after some seconds without it. Undefined where it has
   * them already. Never rejects.
   */
  wait(): Promise<void> | undefined;
}

/** See `Kept.wait`. */
export type WaitKept = Kept["wait"];

/** Whether what is done is kept: always, where it commands the hub's own devices, or where rules change something meanwhile as well. */
export type Keeps = boolean | "rules";

/** To be called before what may change something, and what it returns when that is done: as `Kept.confirmed`. */
export function watchKept(kept: Kept, keeps: Keeps): () => Promise<string | undefined> {
  const count = keeps === "rules" ? kept.changed : kept.commanded;
  const before = count();
  return async () => (keeps === true || count() !== before ? kept.confirmed() : undefined);
}
