// Puts another executable into a home and stays with it only if it answers. What the new one brings for the home is laid
// out by itself when it starts.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { type Clock, sleep } from "../core/clock.ts";
import { HubError, messageOf } from "../core/errors.ts";
import type { Home } from "../home/paths.ts";
import { askHealth, type HealthAddress } from "./ask-health.ts";
import { type BinFolder, openBinFolder, runnerOf } from "./bin-folder.ts";
import {
  assertForThisMachine,
  isSame,
  STAGED_NAME,
  settle,
  stage,
  swapBack,
  swapIn,
  undo,
  unstage,
  versionOf,
} from "./executable.ts";
import type { Machine } from "./machine.ts";
import { UNIT_NAME } from "./service-unit.ts";
import { lastLines, order, serviceState } from "./systemctl.ts";

const TRIAL_MS = 60_000;
const ASK_EVERY_MS = 500;
const ANSWER_WITHIN_MS = 5000;

export interface UpgradeOptions {
  machine: Machine;
  clock: Clock;
  home: Home;
  address: HealthAddress;
  isRoot: boolean;
  /** Told what happens, a line at a time. */
  tell(line: string): void;
}

/** `running` where it runs now and answers; `placed` where nothing runs that could be started anew; `same` for no change. */
export type Upgraded = { outcome: "running" | "placed" | "same"; from: string | undefined; to: string };

/** Throws HubError and leaves, or puts back, everything as it was. */
export async function upgrade(file: string, force: boolean, options: UpgradeOptions): Promise<Upgraded> {
  const { machine, home, tell } = options;
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
    tell(`placed ${to} in ${home.bin}`);
    if (runs) await tryOut(to, options, () => undo(folder));
    settle(folder);
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
    throw new HubError("conflict", `${home.bin} is no folder of its own: put a real one in its place`, {
      cause: error,
    });
  }
}

function versionIn({ machine, home }: UpgradeOptions, program: string, named = program): Promise<string> {
  return versionOf(program, machine, { named, as: runnerOf(home, program) });
}

/** Brings the previous executable back; the present one is the previous then. */
export async function rollBack(options: UpgradeOptions): Promise<Upgraded> {
  const { home, tell } = options;
  if (!existsSync(home.previousExecutable))
    throw new HubError("not_found", `there is no ${home.previousExecutable} to go back to`);
  const runs = await assertMayRestart(options);
  const to = await versionIn(options, home.previousExecutable);
  const from = await versionIn(options, home.executable).catch(() => undefined);
  using folder = openBin(home);
  swapBack(folder);
  tell(`placed ${to} again`);
  if (runs) await tryOut(to, options, () => swapBack(folder));
  return { outcome: runs ? "running" : "placed", from, to };
}

/** Whether the home's hub runs as a service. Throws before anything is changed where that could not be started anew. */
async function assertMayRestart({ machine, home, isRoot, address }: UpgradeOptions): Promise<boolean> {
  const state = await serviceState(machine);
  if (state?.home !== home.root || !["active", "activating", "reloading"].includes(state.active)) return false;
  if (!isRoot) throw new HubError("forbidden", "the hub runs as a service, which only root restarts: run it with sudo");
  if (address.port === 0)
    throw new HubError("config", "[server] port = 0: whether the new hub answers could not be asked; set a port");
  return true;
}

function assertNewer(from: string | undefined, to: string, force: boolean): void {
  if (from === undefined || force || Bun.semver.order(to, from) >= 0) return;
  throw new HubError(
    "conflict",
    `${to} is older than ${from}, and may refuse the databases that has changed: --force places it all the same`,
  );
}

/** Throws when it does not answer in time, after going back to the one before. */
async function tryOut(version: string, options: UpgradeOptions, goBack: () => void): Promise<void> {
  const { machine, tell } = options;
  tell(`restarting the service; ${version} has ${TRIAL_MS / 1000} s to answer`);
  const trouble = await restarted(version, options);
  if (trouble === undefined) return;
  const lines = await lastLines(machine, 15);
  tell(`${version} does not work here: ${trouble}${lines ? `; its last lines:\n${lines}` : ""}`);
  goBack();
  tell("going back to the one before");
  const again = await restarted(undefined, options);
  throw new HubError(
    "upstream_failed",
    again === undefined
      ? `${version} did not answer, so the hub from before runs again`
      : `${version} did not answer, and the hub from before, which is in its place again, does not either: ${again}. See \`journalctl -u hub\``,
  );
}

/** Starts the service anew; answers why that hub, of the version if one is named, does not answer. */
async function restarted(version: string | undefined, options: UpgradeOptions): Promise<string | undefined> {
  const { machine, clock, address } = options;
  const begun = clock.mono();
  const left = (): number => begun + TRIAL_MS - clock.mono();
  // One that systemd had given up would not be started.
  await machine.run(["systemctl", "reset-failed", UNIT_NAME]);
  try {
    // Waits until the hub says that it is up, or ends instead.
    await order(machine, ["systemctl", "restart", UNIT_NAME], TRIAL_MS);
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
