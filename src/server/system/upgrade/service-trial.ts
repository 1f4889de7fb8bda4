// Another version as a service, tried by a command: the databases are kept while the service is stopped, the new version is started and
// watched, and if it does not stay well, the former executable comes back with them.
import { existsSync } from "node:fs";
import { HubError, messageOf } from "../../../kit/schema/errors.ts";
import { type Clock, isoSeconds, sleep } from "../../../kit/time/clock.ts";
import { borrowHome, isHomeLocked } from "../../home/lock.ts";
import { actAsOwner } from "../../home/owner.ts";
import type { Home } from "../../home/paths.ts";
import type { Machine } from "../service/machine.ts";
import { UNIT_NAME } from "../service/service-unit.ts";
import { lastLines, runOrThrow, serviceState } from "../service/systemctl.ts";
import { wentBack } from "./apply-upgrade.ts";
import type { HealthAddress } from "./ask-health.ts";
import { type HouseBefore, houseIn, lossesSince } from "./losses.ts";
import { keptSnapshot, requireSpaceForSnapshot, type Snapshot, takeSnapshot } from "./snapshot.ts";
import { COME_UP_MS, watchHealth } from "./watch-health.ts";

const LOOK_MS = 2000;

export interface TrialOptions {
  machine: Machine;
  clock: Clock;
  home: Home;
  address: HealthAddress;
  /** Of `[upgrade]`. */
  watchSecs: number;
  /** Reports progress, a line at a time. */
  report(line: string): void;
}

interface Service {
  /** Whether the home's hub runs as a service. */
  runs: boolean;
}

/** Keeps the databases as they are, with the service stopped. Throws HubError, and then it runs again. */
export async function keepDatabases(from: string | undefined, { runs }: Service, options: TrialOptions): Promise<void> {
  if (await isDown({ runs }, options)) await orStart({ runs }, options, () => keep(from, options));
}

/** Puts back the databases that this version left, and keeps the present ones. Throws HubError, and then nothing has changed. */
export async function bringDatabasesOf(
  version: string,
  { from, runs }: Service & { from: string | undefined },
  options: TrialOptions,
): Promise<void> {
  const { home, report } = options;
  const former = asOwner(home, () => keptSnapshot(home));
  if (former?.version !== version)
    throw new HubError(
      "not_found",
      `there are no databases of ${version} any more, as they are kept for a day: go back without --databases, or restore a backup`,
    );
  if (!(await isDown({ runs }, options)))
    throw new HubError("in_use", `a hub runs in ${home.root} that is no service: stop it first`);
  await orStart({ runs }, options, async () => {
    using _owner = actAsOwner(home);
    using _lock = borrowHome(home, { waits: true });
    const present = await snapshot(from, options);
    former.putBack();
    present.keep();
  });
  report(`the databases are those of ${former.at} again: what came since then is kept aside, and not in them`);
}

async function keep(from: string | undefined, options: TrialOptions): Promise<void> {
  const { home } = options;
  using _owner = actAsOwner(home);
  using _lock = borrowHome(home, { waits: true });
  // At once, because the hub that starts next could not distinguish it from that of an interrupted trial.
  (await snapshot(from, options)).keep();
}

function snapshot(from = "an unknown version", { home, clock }: TrialOptions): Promise<Snapshot> {
  return takeSnapshot(home, { version: from, at: isoSeconds(clock.now()) });
}

/** Stops the service where it runs. False where nothing can be kept. */
async function isDown({ runs }: Service, { machine, home, report }: TrialOptions): Promise<boolean> {
  if (!asOwner(home, () => existsSync(home.stateDb))) return false;
  if (!runs && asOwner(home, () => isHomeLocked(home))) {
    report("a hub that is no service runs here, so its databases are not kept: make a backup before it starts again");
    return false;
  }
  asOwner(home, () => requireSpaceForSnapshot(home));
  if (!runs) return true;
  report("stopping the service, and keeping its databases as they are");
  await runOrThrow(machine, ["systemctl", "stop", UNIT_NAME]);
  return true;
}

async function orStart({ runs }: Service, options: TrialOptions, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (runs) await startAgain(options);
    throw error;
  }
}

/** As it was before. */
export async function startAgain({ machine }: TrialOptions): Promise<void> {
  await machine.run(["systemctl", "start", UNIT_NAME]);
}

export interface Trial {
  version: string;
  /** Puts the former executable back. */
  swapOut(): void;
}

/** Goes back to the former executable and its databases, and throws HubError, where the new version does not stay well. */
export async function tryService({ version, swapOut }: Trial, options: TrialOptions): Promise<void> {
  const { machine, clock, home, watchSecs, report } = options;
  const before = asOwner(home, () => houseIn(home));
  report(
    `starting the service; ${version} has ${COME_UP_MS / 1000} s to answer, and is then watched for ${watchSecs} s`,
  );
  const trouble = (await restarted({ version, watchSecs }, options)) ?? losses(before, home);
  if (trouble === undefined) return;
  const lines = await lastLines(machine, 15);
  report(`${version} does not work here: ${trouble}${lines ? `; its last log lines:\n${lines}` : ""}`);
  report("going back to the previous version");
  // What does not stop is killed by systemd.
  await machine.run(["systemctl", "stop", UNIT_NAME], { timeoutMs: COME_UP_MS });
  const kept = asOwner(home, () => keptSnapshot(home));
  asOwner(home, () => kept?.beginPutBack());
  swapOut();
  asOwner(home, () => kept?.putBack());
  if (kept) report(wentBack({ ...kept, now: clock.now() }));
  const again = await restarted({ version: undefined, watchSecs: 0 }, options);
  throw new HubError(
    "upstream_failed",
    again === undefined
      ? `${version} does not work here, so the previous version runs again`
      : `${version} does not work here, and the previous version, which was put back, does not answer either: ${again}. See \`journalctl -u hub\``,
  );
}

const losses = (before: HouseBefore, home: Home): string | undefined => asOwner(home, () => lossesSince(before, home));

/** Restarts the service. Returns why the hub (of that version, if given) is not well; undefined if it is. */
async function restarted(
  { version, watchSecs }: { version: string | undefined; watchSecs: number },
  { machine, clock, address }: TrialOptions,
): Promise<string | undefined> {
  // systemd does not start a service that failed too often.
  await machine.run(["systemctl", "reset-failed", UNIT_NAME]);
  try {
    // Waits until the hub reports that it is ready, or ends.
    await runOrThrow(machine, ["systemctl", "restart", UNIT_NAME], COME_UP_MS);
  } catch (error) {
    return messageOf(error);
  }
  const done = new AbortController();
  try {
    const ended = processEnds(machine, clock, done.signal);
    return await watchHealth({ clock, address, version, isReady: false, watchSecs, ended });
  } finally {
    done.abort();
  }
}

/** systemd starts a hub that died again, which would answer as if nothing had happened. */
async function processEnds(machine: Machine, clock: Clock, signal: AbortSignal): Promise<string> {
  const first = (await serviceState(machine))?.pid;
  while (await sleep(clock, "upgrade-process", LOOK_MS, signal)) {
    const now = await serviceState(machine);
    if (now !== undefined && now.pid !== first) return "it ended by itself, and was started again";
  }
  return "nobody watches it any more";
}

function asOwner<T>(home: Home, work: () => T): T {
  using _owner = actAsOwner(home);
  return work();
}
