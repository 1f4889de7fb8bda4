// Both machines are this one, with a wire between them: see test/support/wire.ts.
import { writeFileSync } from "node:fs";
import type { Random } from "../../support/random.ts";
import { until } from "../../support/wait.ts";
import { openWire, type Wire } from "../../support/wire.ts";
import { type House, isReady, type Machines, MODES } from "./house.ts";
import { lostOn, removeAll, startWriters } from "./writers.ts";

const ENDS = ["kill", "stop", "pause", "follower-hangs", "wire-hangs", "wire-pulled", "wire-back"] as const;
type End = (typeof ENDS)[number];

interface Given {
  hasLease: boolean;
  random: Random;
}

interface Wired extends Given {
  wire: Wire;
}

/** The first machine of `machines` is the hub, and the second one is paired, not running. */
export async function houseOnOneMachine(stack: AsyncDisposableStack, given: Given, machines: Machines): Promise<House> {
  const house = { ...given, wire: stack.use(openWire(0)) };
  await startStandby(house, machines);
  return { round: (now, number) => round(house, now, number) };
}

/** The standby reaches its hub over the wire; where there is a lease, it also goes to the address that stands there. */
async function startStandby({ wire, hasLease }: Wired, { hub, standby }: Machines): Promise<void> {
  wire.target = Number(new URL(hub.address).port);
  wire.set("whole");
  const path = standby.place.at("data", "standby.json");
  const note = () => JSON.parse(standby.place.read("data", "standby.json"));
  if (note().role === "hub") {
    // It follows the machine that its database names, before it can learn otherwise.
    await standby.start();
    await until("it is the standby", async () => (await standby.look())?.copy.whole);
    await standby.process.end();
  }
  const file = note();
  writeFileSync(path, JSON.stringify({ ...file, manual: !hasLease, other: { ...file.other, address: wire.address } }));
  await standby.start();
  await standby.isWhole(60_000);
}

async function cut(end: End, { wire, random }: Wired, { standby }: Machines): Promise<void> {
  const ms = random.below(5000);
  if (end === "follower-hangs") {
    standby.process.kill("SIGSTOP");
    await Bun.sleep(ms);
    standby.process.kill("SIGCONT");
  } else if (end.startsWith("wire")) {
    wire.set(end === "wire-hangs" ? "hangs" : "pulled");
    await Bun.sleep(ms);
    if (end === "wire-back") wire.set("whole");
  }
  await Bun.sleep(random.below(30));
}

async function endHub(end: End, { hub }: Machines): Promise<void> {
  hub.process.kill(end === "stop" ? "SIGTERM" : end === "pause" ? "SIGSTOP" : "SIGKILL");
  if (end !== "pause") await hub.process.exited;
}

async function takeOver({ hasLease }: Wired, { standby }: Machines): Promise<void> {
  const promote = async (): Promise<boolean> => (await standby.standby("promote", "--force")).code === 0;
  if (!hasLease) await until("it is made the hub", promote, { everyMs: 200 });
  await standby.isHub(90_000);
}

async function round(house: Wired, machines: Machines, number: number): ReturnType<House["round"]> {
  const { hub, standby } = machines;
  const end = house.random.pick(ENDS);
  await isReady(machines, house.hasLease);
  // The process may be gone, and its port another one's, before the last answer.
  const { api } = hub.process;
  const writers = startWriters({ api, token: await hub.process.adminToken(), name: `${number}`, mode: MODES[0] });
  await Bun.sleep(300 + house.random.below(1500));
  await cut(end, house, machines);
  await endHub(end, machines);
  const ended = writers.end();
  await takeOver(house, machines);
  if (end === "pause") {
    hub.process.kill("SIGCONT");
    await hub.process.said(/the hub stops|this machine goes on as the standby/);
  }
  const { count, refused } = await ended;
  const lost = await lostOn(standby.process, await ended);
  // What only the former hub has is put aside, and it follows the other one.
  hub.process.kill("SIGKILL");
  await hub.process.exited;
  await startStandby(house, { hub: standby, standby: hub });
  await until(
    "it confirms",
    async () => (await standby.process.request("PUT", "/variables/x", { body: { value: 2 } })).status === 200,
  );
  await removeAll(standby.process);
  return { end, acknowledged: count, refused, lost, late: [] };
}
