// The five doors to the world. Everything impure that a part needs beyond files and sockets comes through here, so that
// a test can stand at the door.
import type { Clock } from "./clock.ts";

export interface Output {
  /** Whether a person reads this on a terminal. */
  readonly isTerminal: boolean;
  /** Whether it goes to the systemd journal, which takes `<6>` level prefixes. */
  readonly isJournal: boolean;
  /** Writes text as it is. */
  write(text: string): void;
}

export interface Edge {
  clock: Clock;
  fetch: typeof fetch;
  /** Cryptographically random bytes. */
  random(bytes: number): Uint8Array;
  env: Readonly<Record<string, string | undefined>>;
  stdout: Output;
  stderr: Output;
}
