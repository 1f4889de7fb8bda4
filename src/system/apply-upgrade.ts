// Exchanges the executable of a hub that is down, tries the new one on the home, and replaces this process by it; or puts everything
// back.
import { accessSync, constants, readFileSync } from "node:fs";
import { type Static, Type } from "@sinclair/typebox";
import { Value } from "@sinclair/typebox/value";
import { writeFileAtomic } from "../core/atomic-file.ts";
import { type Clock, isoSeconds } from "../core/clock.ts";
import { HubError, messageOf } from "../core/errors.ts";
import type { Log } from "../core/log.ts";
import type { Home } from "../home/paths.ts";
import type { HealthAddress } from "./ask-health.ts";
import { type BinFolder, openBinFolder } from "./bin-folder.ts";
import { keepDatabases } from "./database-keep.ts";
import { tryStart } from "./trial-start.ts";

/** The process that the hub runs in. */
export interface OwnProcess {
  /** Settles when it is told to end. */
  readonly stopped: Promise<unknown>;
  /** Replaces it by this executable, with the same arguments and environment. Throws where the system refuses. */
  replace(executable: string): Promise<never>;
}

/** How the executables of the home change, and back. */
export interface Swap {
  in(folder: BinFolder): void;
  out(folder: BinFolder): void;
  /** There is no way back by itself any more. */
  confirm(folder: BinFolder): void;
}

/** How the last upgrade over the API went; in `data/last-upgrade.json`. */
export const LastUpgrade = Type.Object({
  at: Type.String({ description: "UTC" }),
  from: Type.String(),
  to: Type.String(),
  ok: Type.Union([Type.Boolean(), Type.Null()], { description: "null until it is known" }),
  error: Type.Union([Type.String(), Type.Null()], { description: "Why `from` runs again" }),
});
export type LastUpgrade = Static<typeof LastUpgrade>;

export interface ApplyOptions {
  home: Home;
  clock: Clock;
  log: Log;
  env: Readonly<Record<string, string | undefined>>;
  address: HealthAddress;
  own: OwnProcess;
  swap: Swap;
  from: string;
  to: string;
  /** The databases that the other version converts, or may. */
  databases: readonly string[];
}

/** Only comes back to throw HubError, with everything as it was: the hub can start again. */
export async function applyUpgrade(options: ApplyOptions): Promise<void> {
  const { home, clock, log, own, swap, from, to } = options;
  const note = (ok: boolean | null, error: string | null): void => {
    const last: LastUpgrade = { at: isoSeconds(clock.now()), from, to, ok, error };
    writeFileAtomic(home.lastUpgrade, `${JSON.stringify(last)}\n`, 0o600);
  };
  try {
    note(null, null);
    const kept = keepDatabases(home, options.databases);
    using folder = openBinFolder(home);
    swap.in(folder);
    // Where the system cannot even start it, it goes out again as well.
    const trouble = await tryStart({ ...options, stopped: own.stopped, version: to }).catch(messageOf);
    if (trouble !== undefined) {
      swap.out(folder);
      kept.putBack();
      kept.forget();
      throw new HubError("upstream_failed", `${trouble}; the log has its last words`);
    }
    swap.confirm(folder);
    kept.forget();
    note(true, null);
  } catch (error) {
    log.error("the other version does not work here", { version: to });
    note(false, messageOf(error));
    throw error;
  }
  log.info("the new version answers and takes over", { from, to });
  await own.replace(home.executable);
}

export function readLastUpgrade({ lastUpgrade }: Home): LastUpgrade | null {
  try {
    const found: unknown = JSON.parse(readFileSync(lastUpgrade, "utf8"));
    return Value.Check(LastUpgrade, found) ? found : null;
  } catch {
    return null;
  }
}

/** Why the hub's user cannot replace the executables of the home; undefined if it can. */
export function whyNotWritable({ bin }: Home): string | undefined {
  try {
    accessSync(bin, constants.W_OK);
    return undefined;
  } catch {
    return `only root may change ${bin}: use \`hub upgrade\` there, or install the service with --page-upgrades`;
  }
}
