// A newer version of the hub over the API, where the hub's user owns its executable: the file is received and asked for its version
// beside the running hub, confined as plugins are. Then the hub stops, and apply-upgrade.ts tries the new one.
import { closeSync, existsSync, fchmodSync, fsyncSync, openSync, realpathSync, rmSync } from "node:fs";
import { join } from "node:path";
import { receiveFile, refuseTooLarge } from "../../../kit/files/receive-file.ts";
import { HubError } from "../../../kit/schema/errors.ts";
import type { Home } from "../../home/paths.ts";
import { runnerOf } from "../service/bin-folder.ts";
import {
  assertForThisMachine,
  confirmSwap,
  databasesOf,
  STAGED_NAME,
  swapBack,
  swapIn,
  undoSwap,
  versionOf,
} from "../service/executable.ts";
import type { Machine } from "../service/machine.ts";
import {
  type ApplyOptions,
  applyUpgrade,
  type LastUpgrade,
  type OwnProcess,
  readLastUpgrade,
  type Swap,
  whyNotWritable,
} from "./apply-upgrade.ts";
import type { HealthAddress } from "./ask-health.ts";
import { keptSnapshot, requireSpaceForSnapshot } from "./snapshot.ts";

const MAX_EXECUTABLE_BYTES = 500_000_000;

export interface UpgradeStatus {
  version: string;
  /** The version to go back to; null where there is none. */
  previous: string | null;
  /** Why the executable cannot be replaced over the API; null if it can. */
  refused: string | null;
  /** The databases as they were before the last upgrade. */
  snapshot: { version: string; at: string; bytes: number } | null;
  last: LastUpgrade | null;
}

export interface AcceptedUpgrade {
  from: string;
  to: string;
  /** To be called when the response is sent. */
  restart(): void;
}

export interface UploadedExecutable {
  body: ReadableStream<Uint8Array> | null;
  /** As the client declares. */
  bytes: number | undefined;
  /** An older version, too. */
  force: boolean;
}

/** Both changes throw HubError with nothing changed. */
export interface SelfUpgrade {
  status(): Promise<UpgradeStatus>;
  receive(upload: UploadedExecutable): Promise<AcceptedUpgrade>;
  /** To the version before the last upgrade; once more comes back. `withDatabases`: they become what they were before it, too. */
  rollBack(withDatabases: boolean): Promise<AcceptedUpgrade>;
}

export interface SelfUpgradeOptions extends Pick<ApplyOptions, "home" | "clock" | "log" | "env" | "watchSecs"> {
  machine: Machine;
  /** Runs a program that nobody knows: confined, without a network, in bounded time and memory. Throws HubError `conflict` where it cannot. */
  probe: Machine["run"];
  version: string;
  execPath: string;
  /** The layouts of the home's databases. */
  layouts: { state: number; history: number };
  /** Undefined where the hub is not a program of its own. */
  own: OwnProcess | undefined;
  /** Of `[server]`. */
  address: HealthAddress;
  /** Stops the hub, applies, and starts it again where that throws; returns at once. */
  requestRestart: (restart: { apply(): Promise<void> }) => void;
}

export function createSelfUpgrade(options: SelfUpgradeOptions): SelfUpgrade {
  const { home, machine, clock, log, version: from } = options;
  const staged = join(home.bin, STAGED_NAME);
  let busy = false;

  /** One at a time, from the first byte to the restart. */
  async function alone(work: (own: OwnProcess) => Promise<AcceptedUpgrade>): Promise<AcceptedUpgrade> {
    const { own } = options;
    const refused = whyNot(options);
    if (refused !== undefined || own === undefined) throw new HubError("conflict", refused ?? NO_PROGRAM);
    if (busy) throw new HubError("in_use", "another upgrade is under way: wait until it has ended");
    busy = true;
    try {
      return await work(own);
    } catch (error) {
      busy = false;
      throw error;
    }
  }

  function accept(to: string, change: Pick<ApplyOptions, "own" | "swap" | "withDatabases">): AcceptedUpgrade {
    requireSpaceForSnapshot(home);
    log.warn("another version was accepted; the hub restarts with it", { from, to });
    const apply = (): Promise<void> => applyUpgrade({ ...options, ...change, from, to });
    return { from, to, restart: () => options.requestRestart({ apply }) };
  }

  return {
    async status() {
      const previous = await versionIn(options, home.previousExecutable).catch(() => null);
      const kept = keptSnapshot(home);
      return {
        ...{ version: from, previous, refused: whyNot(options) ?? null },
        snapshot: kept ? { version: kept.version, at: kept.at, bytes: kept.bytes } : null,
        last: readLastUpgrade(home),
      };
    },
    async receive({ body, bytes, force }) {
      refuseTooLarge(UPLOADED, bytes ?? 0, MAX_EXECUTABLE_BYTES);
      return alone(async (own) => {
        if (!body) throw new HubError("invalid", "the body must be the executable: send the file itself");
        rmSync(staged, { force: true });
        try {
          await receiveFile(body, { what: UPLOADED, file: staged, bytes, most: MAX_EXECUTABLE_BYTES, clock });
          assertForThisMachine(staged, machine, UPLOADED);
          // A signature would be checked here: nothing of the file has run yet.
          makeExecutable(staged);
          const candidate = { ...options, machine: { ...machine, run: options.probe } };
          const to = await versionIn(candidate, staged);
          if (!force && Bun.semver.order(to, from) < 0)
            throw new HubError("conflict", `${to} is older than ${from}: ?force=true installs it all the same`);
          const swap: Swap = { in: (folder) => swapIn(staged, folder), out: undoSwap, confirm: confirmSwap };
          await assertReads(candidate, staged, to);
          return accept(to, { own, swap, withDatabases: false });
        } catch (error) {
          rmSync(staged, { force: true });
          throw error;
        }
      });
    },
    rollBack: (withDatabases) =>
      alone(async (own) => {
        const previous = home.previousExecutable;
        if (!existsSync(previous)) throw new HubError("not_found", "there is no version before this one");
        const to = await versionIn(options, previous);
        const swap: Swap = { in: swapBack, out: swapBack, confirm() {} };
        if (withDatabases) assertSnapshotOf(home, to);
        else await assertReads(options, previous, to);
        return accept(to, { own, swap, withDatabases });
      }),
  };
}

const UPLOADED = "the file";
const NO_PROGRAM = "this hub does not run as a program of its own: start the compiled one";

function whyNot({ own, home, execPath, address }: SelfUpgradeOptions): string | undefined {
  if (own === undefined) return NO_PROGRAM;
  if (address.port === 0) return "[server] port = 0: the new hub could not be checked on a random port; set a port";
  // The next start would be that of the file it was started from.
  if (!existsSync(home.executable) || realpathSync(execPath) !== realpathSync(home.executable))
    return `this hub was not started from its home: start ${home.executable} instead of ${execPath}`;
  return whyNotWritable(home);
}

function versionIn({ machine, home }: SelfUpgradeOptions, file: string): Promise<string> {
  return versionOf(file, machine, { named: UPLOADED, as: runnerOf(home, file) });
}

/** Throws HubError `conflict` where that version cannot read the databases of this home. */
async function assertReads({ home, machine, layouts }: SelfUpgradeOptions, file: string, to: string): Promise<void> {
  const reads = await databasesOf(file, machine, runnerOf(home, file));
  if (reads.state >= layouts.state && reads.history >= layouts.history) return;
  const kept = keptSnapshot(home);
  const way =
    kept?.version === to
      ? `go back with the databases of ${kept.at} (?databases=true); what came since then is not in them`
      : "install it with `hub upgrade --force` on the machine and restore a backup from its time";
  throw new HubError("conflict", `${to} cannot read the databases, which this version has converted: ${way}`);
}

function assertSnapshotOf(home: Home, to: string): void {
  if (keptSnapshot(home)?.version === to) return;
  throw new HubError(
    "conflict",
    `there are no databases of ${to} any more, as they are kept for a day: go back without them, or restore a backup`,
  );
}

function makeExecutable(path: string): void {
  const file = openSync(path, "r+");
  try {
    fchmodSync(file, 0o755);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}
