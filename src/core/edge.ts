// The edge to the outside world: clock, network, random numbers, environment and output are injected, so that tests can
// replace them. Files and sockets are used directly.
import type { Clock } from "./clock.ts";

export interface Output {
  /** Whether it is a terminal. */
  readonly isTerminal: boolean;
  /** Whether it is the systemd journal, which reads levels from prefixes such as `<6>`. */
  readonly isJournal: boolean;
  /** Writes the text unchanged. */
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
