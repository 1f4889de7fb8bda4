// Replaces the executable of a home, and goes back to the old one if the new one does not answer. Other files that come with the
// new version are laid out when it starts.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { type Clock, sleep } from "../core/clock.ts";
import { HubError, messageOf } from "../core/errors.ts";
import type { Home } from "../home/paths.ts";
import { askHealth, type HealthAddress } from "./ask-health.ts";
import { type BinFolder, openBinFolder, runnerOf } from "./bin-folder.ts";
import {
  assertForThisMachine,
  confirmSwap,
  isSame,
  STAGED_NAME,
  stage,
  swapBack,
  swapIn,
  undoSwap,
  unstage,
  versionOf,
} from "./executable.ts";
import type { Machine } from "./machine.ts";
import { UNIT_NAME } from "./service-unit.ts";
import { lastLines, runOrThrow, serviceState } from "./systemctl.ts";

const TRIAL_MS = 60_000;
const ASK_EVERY_MS = 500;
const ANSWER_WITHIN_MS = 5000;

export interface UpgradeOptions {
  machine: Machine;
  clock: Clock;
  home: Home;
  address: HealthAddress;
  isRoot: boolean;
  /** Reports progress, a line at a time. */
  report(line: string): void;
}

/** `running`: it runs now and answers. `placed`: no service runs it yet. `same`: nothing changed. */
export type Upgraded = { outcome: "running" | "placed" | "same"; from: string | undefined; to: string };

/** Throws HubError, and then everything is as it was. */
export async function upgrade(file: string, force: boolean, options: UpgradeOptions): Promise<Upgraded> {
  const { machine, home, report } = options;
  assertForThisMachine(file, machine);
  if (!existsSync(home.executable))
    throw new HubError("not_found", `there is no hub in ${home.root}: name its home with --home`);
  const runs = await assertMayRestart(options);
  using folder = openBin(home);
  const staged = stage(file, folder);
  try {
    const to = await versionIn(options, join(home.bin, STAGED_NAME), file);
    const from = await versionIn(options, home.executable).catch(() => undefined);
    if (from === to && isSame(staged, folder)) return { outcome: "same", from, to };
    assertNewer(from, to, force);
    swapIn(staged, folder);
    report(`installed ${to} in ${home.bin}`);
    if (runs) await tryOut(to, options, () => undoSwap(folder));
    confirmSwap(folder);
    return { outcome: runs ? "running" : "placed", from, to };
  } finally {
    unstage(staged, folder);
  }
}

function openBin(home: Home): BinFolder {
  try {
    const folder = openBinFolder(home);
    folder.letEverybodyIn();
    return folder;
  } catch (error) {
    throw new HubError("conflict", `${home.bin} is not a real folder: put one in its place`, {
      cause: error,
    });
  }
}

function versionIn({ machine, home }: UpgradeOptions, program: string, named = program): Promise<string> {
  return versionOf(program, machine, { named, as: runnerOf(home, program) });
}

/** Exchanges the present and the previous executable. */
export async function rollBack(options: UpgradeOptions): Promise<Upgraded> {
  const { home, report } = options;
  if (!existsSync(home.previousExecutable))
    throw new HubError("not_found", `there is no ${home.previousExecutable} to go back to`);
  const runs = await assertMayRestart(options);
  const to = await versionIn(options, home.previousExecutable);
  const from = await versionIn(options, home.executable).catch(() => undefined);
  using folder = openBin(home);
  swapBack(folder);
  report(`installed ${to} again`);
  if (runs) await tryOut(to, options, () => swapBack(folder));
  return { outcome: runs ? "running" : "placed", from, to };
}

/** Whether the home's hub runs as a service. Throws, before anything is changed, where that service could not be restarted. */
async function assertMayRestart({ machine, home, isRoot, address }: UpgradeOptions): Promise<boolean> {
  const state = await serviceState(machine);
  if (state?.home !== home.root || !["active", "activating", "reloading"].includes(state.active)) return false;
  if (!isRoot)
    throw new HubError("forbidden", "the hub runs as a service, which only root can restart: run it with sudo");
  if (address.port === 0)
    throw new HubError("config", "[server] port = 0: the new hub could not be checked on a random port; set a port");
  return true;
}

function assertNewer(from: string | undefined, to: string, force: boolean): void {
  if (from === undefined || force || Bun.semver.order(to, from) >= 0) return;
  throw new HubError(
    "conflict",
    `${to} is older than ${from}, and may not be able to read the databases of ${from}: --force installs it all the same`,
  );
}

/** Goes back to the previous executable and throws when the new one does not answer in time. */
async function tryOut(version: string, options: UpgradeOptions, goBack: () => void): Promise<void> {
  const { machine, report } = options;
  report(`restarting the service; ${version} has ${TRIAL_MS / 1000} s to answer`);
  const trouble = await restarted(version, options);
  if (trouble === undefined) return;
  const lines = await lastLines(machine, 15);
  report(`${version} does not work here: ${trouble}${lines ? `; its last log lines:\n${lines}` : ""}`);
  goBack();
  report("going back to the previous version");
  const again = await restarted(undefined, options);
  throw new HubError(
    "upstream_failed",
    again === undefined
      ? `${version} did not answer, so the previous version runs again`
      : `${version} did not answer, and the previous version, which was put back, does not answer either: ${again}. See \`journalctl -u hub\``,
  );
}

/** Restarts the service. Returns why the hub (of that version, if given) does not answer; undefined if it does. */
async function restarted(version: string | undefined, options: UpgradeOptions): Promise<string | undefined> {
  const { machine, clock, address } = options;
  const begun = clock.mono();
  const left = (): number => begun + TRIAL_MS - clock.mono();
  // systemd does not start a service that failed too often.
  await machine.run(["systemctl", "reset-failed", UNIT_NAME]);
  try {
    // Waits until the hub reports that it is ready, or ends.
    await runOrThrow(machine, ["systemctl", "restart", UNIT_NAME], TRIAL_MS);
  } catch (error) {
    return messageOf(error);
  }
  while (left() > 0) {
    const health = await askHealth(address, Math.min(ANSWER_WITHIN_MS, left()));
    if (health && (version === undefined || health.version === version)) return undefined;
    await sleep(clock, "upgrade", ASK_EVERY_MS);
  }
  return `it does not answer ${address.host}:${address.port} within ${TRIAL_MS / 1000} s`;
}
