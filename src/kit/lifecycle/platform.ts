// The platform that the hub runs on: clock, network, random numbers, environment and output are injected, so that tests can replace
// them. Files and sockets are used directly.
import type { Clock } from "../time/clock.ts";
import type { FolderNotices } from "./folder-notices.ts";

export interface Output {
  /** Whether it is a terminal. */
  readonly isTerminal: boolean;
  /** Whether it is the systemd journal, which reads levels from prefixes such as `<6>`. */
  readonly isJournal: boolean;
  /** Whether nobody reads it any more. */
  readonly isClosed?: boolean;
  /** Why some of it could not be written, such as a full disk; not that nobody reads it. */
  readonly problem?: string | undefined;
  /** Writes the text unchanged. */
  write(text: string): void;
}

export interface Platform {
  clock: Clock;
  /** Without them, files are looked at again and again. */
  notices?: FolderNotices;
  fetch: typeof fetch;
  /** Cryptographically random bytes. */
  random(bytes: number): Uint8Array;
  env: Readonly<Record<string, string | undefined>>;
  stdout: Output;
  stderr: Output;
}
