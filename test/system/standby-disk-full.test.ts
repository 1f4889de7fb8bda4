// A standby whose disk is full while it copies: what it had stays usable, everybody reads it in a sentence, and with room it is whole again.
// Over 10 s: the machines look at each other every two seconds, and a copy is tried again after seconds.
import { expect, test } from "bun:test";
import { mountSmallDisk, type SmallDisk } from "../support/small-disk.ts";
import { createTwoMachines, type Side, type TwoMachines } from "../support/two-machines.ts";
import { until } from "../support/wait.ts";

const SENTENCE = "the copy of the other hub cannot be written: the disk is full; free some space";
const LARGE = "x".repeat(60_000);

async function setVariable({ process }: Side, name: string, value: number | string): Promise<void> {
  const { status, text } = await process.request("PUT", `/variables/${name}`, { body: { value } });
  expect({ status, text }).toMatchObject({ status: 200 });
}

async function variable({ process }: Side, name: string): Promise<unknown> {
  const answer = await process.request("GET", `/variables/${name}`);
  return answer.status === 200 ? answer.json<{ value: unknown }>().value : undefined;
}

async function startHouse(disk: SmallDisk): Promise<TwoMachines> {
  return createTwoMachines({ options: ["--manual"], secondHome: `${disk.path}/home` });
}

/** The second machine has a whole copy with the variable "known", and then no room for what follows. */
async function fillWhileCopying({ first, second }: TwoMachines, disk: SmallDisk): Promise<void> {
  await setVariable(first, "known", 1);
  await second.isWhole();
  await second.hasCopied("SELECT 1 FROM variables WHERE name = 'known'");
  disk.fill();
  for (let n = 0; n < 10; n++) await setVariable(first, `large_${n}`, LARGE);
  await until("the standby says what is wrong", async () => (await second.look())?.problem?.startsWith(SENTENCE));
}

test("both machines say so, and the copy is whole again when there is room", async () => {
  using disk = mountSmallDisk(24);
  await using house = await startHouse(disk);
  const { first, second } = house;
  await fillWhileCopying(house, disk);
  await second.process.said(SENTENCE);
  const reported = await second.standby("status");
  expect(reported.code).toBe(4);
  expect(reported.stdout).toStartWith(`This machine is the standby: ${SENTENCE}`);
  // The one from before is still a whole one.
  expect(reported.stdout).toMatch(/^Copy +\d+ s old$/m);
  // What the alert is made of.
  const seen = () => first.process.get<{ standby: { machine: { problem: string | null } } }>("/system/status");
  await until("the hub says it too", async () => (await seen()).standby.machine.problem?.startsWith(SENTENCE));
  expect(await first.standby("status")).toMatchObject({ code: 4, stdout: expect.stringContaining(SENTENCE) });
  disk.free();
  await second.isWhole();
  await second.hasCopied("SELECT 1 FROM variables WHERE name = 'large_9'");
  expect((await second.standby("status")).code).toBe(0);
  await until("the hub knows", async () => (await seen()).standby.machine.problem === null);
  expect(await first.standby("status")).toMatchObject({ code: 0 });
});

test.each([
  ["the disk is still full", false],
  ["there is room again", true],
])("the older copy becomes the hub and says how old it is: %s", async (_, isFreed) => {
  using disk = mountSmallDisk(24);
  await using house = await startHouse(disk);
  const { first, second } = house;
  await fillWhileCopying(house, disk);
  first.process.kill("SIGKILL");
  await first.process.exited;
  if (isFreed) disk.free();
  const promoted = await second.standby("promote", "--force");
  expect(promoted).toMatchObject({ code: 0, stderr: "" });
  expect(promoted.stdout).toMatch(/this machine becomes the hub, with its copy of \d+ s ago/);
  await second.isHub();
  expect([await variable(second, "known"), await variable(second, "large_9")]).toEqual([1, undefined]);
  const { standby } = await second.process.get<{ standby: { took_over: { reason: string; lost_secs: number } } }>(
    "/system/status",
  );
  expect(standby.took_over.reason).toBe("promoted");
  expect(standby.took_over.lost_secs).toBeGreaterThan(1);
  const alerts = await second.process.get<{ kind: string; message: string }[]>("/system/alerts");
  expect(alerts.find(({ kind }) => kind === "took_over")?.message).toMatch(/at most \d+ seconds of what people did/);
  // It stays the hub, whatever happens now, and the other machine comes back as its standby.
  expect(JSON.parse(second.place.read("data", "standby.json"))).toMatchObject({ role: "hub", epoch: 1 });
  disk.free();
  await first.start();
  await first.isWhole();
});
