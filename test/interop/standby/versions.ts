// Two machines with different versions, one of which changes the layout of the state database: upgraded in the wrong order, and in the
// right one.
import { join } from "node:path";
import type { Side } from "../../support/two-machines.ts";
import { until } from "../../support/wait.ts";
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
} from "./house.ts";

const NEWER = "99.1.0";
const TOO_OLD = /of a newer version.*upgrade this one.*hub upgrade FILE/;

let built: Promise<string> | undefined;

/** The compiled hub of a version with one more migration, for all scenes. */
function newerHub({ folder }: Scene): Promise<string> {
  const build = async (): Promise<string> => {
    const file = join(folder, "newer");
    const building = Bun.spawn([
      process.execPath,
      join(import.meta.dir, "..", "other-hub.ts"),
      file,
      NEWER,
      "converting",
    ]);
    if ((await building.exited) !== 0) throw new Error("the other version cannot be built");
    return file;
  };
  built ??= build();
  return built;
}

/** Upgraded in the wrong order: the hub first. */
export async function olderStandby(scene: Scene): Promise<void> {
  const { say } = scene;
  const newer = await newerHub(scene);
  await using house = await houseOn(scene);
  const { first, second } = house;
  await isReady(second);
  await setVariable(first, "before", 1);
  await second.hasCopied("SELECT 1 FROM variables WHERE name = 'before'");
  await second.process.end();
  await first.process.end();
  await first.upgrade(newer);
  await first.start();
  await first.isHub();
  await second.start();
  await saysTooOld(second);
  const isReportedThere = async (): Promise<boolean> => (await first.status()).standby?.whole === false;
  await until("the hub says so, too", isReportedThere);
  await setVariable(first, "since", 2);
  await second.process.end();
  first.process.kill("SIGKILL");
  await first.process.exited;

  await second.start();
  await until("the lease has ended", async () => {
    const status = await second.status().catch(() => undefined);
    return status?.role === "hub" || status?.lease?.left_secs === 0;
  });
  await Bun.sleep(LEASE_SECS * 1000);
  const { role, takes_over } = await second.status();
  const isReported = TOO_OLD.test(takes_over ?? "");
  check(
    say("a standby that is too old does not take over, also after a restart"),
    [role, isReported],
    ["standby", true],
  );
  const forced = await second.standby("promote", "--force");
  check(say("nor when a person asks for it"), [forced.code, TOO_OLD.test(forced.stderr)], [1, true]);

  await first.start();
  await first.isHub();
  await second.process.end();
  await second.upgrade(newer);
  await second.start();
  await isReady(second);
  // Whole is what it has from before, too.
  await second.hasCopied("SELECT 1 FROM variables WHERE name = 'since'");
  const secs = await secondsToTakeOver(first, second);
  check(say(`once it is upgraded, it does: ${secs.toFixed(1)} s`), secs < MAX_SECS, true);
  const found = [await variable(second, "before"), await variable(second, "since")];
  check(say("with what was done in between"), found, [1, 2]);
}

/** Upgraded as it should be, but for the hub, which dies before. */
export async function newerStandby(scene: Scene): Promise<void> {
  const { say } = scene;
  const newer = await newerHub(scene);
  await using house = await houseOn(scene);
  const { first, second } = house;
  await isReady(second);
  await second.process.end();
  await second.upgrade(newer);
  await second.start();
  await isReady(second);
  await setVariable(first, "known", 1);
  await second.hasCopied("SELECT 1 FROM variables WHERE name = 'known'");
  const secs = await secondsToTakeOver(first, second);
  check(say(`a newer standby takes over: ${secs.toFixed(1)} s`), secs < MAX_SECS, true);
  check(say("with what was known"), await variable(second, "known"), 1);

  for (const time of ["first", "second"]) {
    await first.start();
    await saysTooOld(first);
    const refused = await first.standby("promote");
    const isReported = TOO_OLD.test(refused.stderr);
    check(say(`the former hub is too old to go back: ${time} start`), [refused.code, isReported], [1, true]);
    await first.process.end();
  }
  await first.upgrade(newer);
  await first.start();
  await isReady(first);
  const back = await first.standby("promote");
  check(say("once it is upgraded, it is one command"), [back.code, back.stderr], [0, ""]);
  await second.isWhole();
  check(say("without loss"), await variable(first, "known"), 1);
}

async function saysTooOld(standby: Side): Promise<void> {
  await until("it says that it is too old", async () => {
    const status = await standby.status().catch(() => undefined);
    return TOO_OLD.test(status?.takes_over ?? "") && status?.problem?.includes("upgrade this machine");
  });
}
