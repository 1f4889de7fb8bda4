// What guard.ts and its thread tell one another.

/** The thread's end of the pipe. */
export interface StartMessage {
  control: number;
}

/** Two 64-bit numbers: the hub's end of a socket to a launcher, and the label of what it starts. */
export const RECORD_BYTES = 16;
