// What people decided about devices that announced themselves.

export type Decision = "accepted" | "ignored";

export interface Decisions {
  get(id: string): Decision | undefined;
  /** Durable when it returns. Throws where it cannot be written. */
  set(id: string, decision: Decision): void;
}
