// The clocks of the two machines are a minute apart, in both directions, and one of them is set while its hub runs.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { createTemporaryFolder } from "../../support/temporary-folder.ts";
import type { Side } from "../../support/two-machines.ts";
import { compare as check } from "../checks.ts";
import {
  houseOn,
  isReady,
  LEASE_SECS,
  MAX_SECS,
  type Scene,
  secondsToTakeOver,
  setVariable,
  variable,
  watchHubs,
} from "./house.ts";

const APART_SECS = 60;

export async function clocksApart(scene: Scene): Promise<void> {
  const { say } = scene;
  using folder = createTemporaryFolder();
  const library = folder.at("clock.so");
  const source = join(import.meta.dir, "..", "faults", "clock.c");
  const built = Bun.spawnSync(["gcc", "-O2", "-shared", "-fPIC", "-o", library, source, "-ldl"]);
  if (built.exitCode !== 0) throw new Error(`gcc: ${built.stderr}`);
  const clockOf = (name: string): Record<string, string> => ({ LD_PRELOAD: library, CLOCK_FILE: folder.at(name) });
  const setClock = (name: string, secondsAhead: number): void => writeFileSync(folder.at(name), `${secondsAhead}`);
  setClock("first", 0);
  setClock("second", APART_SECS);
  await using house = await houseOn(scene, { env: [clockOf("first"), clockOf("second")] });
  const { first, second } = house;
  await using hubs = watchHubs(house);
  await isReady(second);
  const apart = (await secondsAhead(second)) - (await secondsAhead(first));
  check(say("the second machine's clock is a minute ahead"), Math.abs(apart - APART_SECS) < 3, true);
  const token = await first.process.adminToken();
  await setVariable(first, "known", 1);
  await second.hasCopied("SELECT 1 FROM variables WHERE name = 'known'");
  check(say("nobody minds that"), await quiet(first, second), ["hub", "standby", 0, null, null]);
  const ahead = await secondsToTakeOver(first, second);
  check(say(`the one that is ahead takes over in time: ${ahead.toFixed(1)} s`), ahead < MAX_SECS, true);
  check(say("with what was known"), await variable(second, "known"), 1);
  check(say("who is logged in stays so"), await statusWith(token, second), 200);

  const later = await second.process.adminToken();
  await first.start();
  await isReady(first);
  setClock("second", -APART_SECS);
  check(say("a hub whose clock is set back goes on"), await quiet(second, first), ["hub", "standby", 0, null, null]);
  await setVariable(second, "known", 2);
  await first.hasCopied("SELECT 1 FROM variables WHERE name = 'known' AND value = '2'");
  const behind = await secondsToTakeOver(second, first);
  check(say(`and is replaced in time: ${behind.toFixed(1)} s`), behind < MAX_SECS, true);
  check(say("with what was known then"), await variable(first, "known"), 2);
  check(say("a token of a clock that was ahead is good"), await statusWith(later, first), 200);

  await second.start();
  await isReady(second);
  const back = await second.standby("promote");
  check(say("one that is behind gets the house by hand"), [back.code, back.stderr], [0, ""]);
  await first.isWhole();
  check(say("without loss"), await variable(second, "known"), 2);
  check(say("there were never two hubs"), hubs.most, 1);
}

/** By what it says of its own time, against this process: about a second. */
async function secondsAhead({ address }: Side): Promise<number> {
  const { headers } = await fetch(`${address}/api/v1/health`);
  return (Date.parse(headers.get("date") ?? "") - Date.now()) / 1000;
}

/** Their roles, by how much the epoch has grown, and what is wrong with either, after twice the time of a lease. */
async function quiet(hub: Side, standby: Side): Promise<unknown[]> {
  const before = await hub.status();
  await Bun.sleep(LEASE_SECS * 2000);
  const [after, other] = [await hub.status(), await standby.status()];
  return [after.role, other.role, after.epoch - before.epoch, after.problem ?? null, other.problem];
}

async function statusWith(token: string, { address }: Side): Promise<number> {
  const headers = { authorization: `Bearer ${token}` };
  return (await fetch(`${address}/api/v1/devices`, { headers })).status;
}
