// Two compiled hubs with [standby] acknowledge = "standby", one of which takes over from the other again and again: after a kill, a stop, a
// pause, and where the two were cut off from each other just before. Meanwhile people change the house as fast as it answers; each change that
// was acknowledged must be there afterwards. With even seeds the lease is in a NATS server, if there is one here; else a person decides.
// bun test/interop/take-overs.ts [HUB [ROUNDS [local]]]; by a campaign, until its time is over. With `local` it shows what is lost then.
import { writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { isTimeUp, randomOf, rounds, SEED } from "../support/campaign.ts";
import { createTemporaryFolder } from "../support/temporary-folder.ts";
import { createTwoMachines, type Side, type TwoMachines } from "../support/two-machines.ts";
import { until } from "../support/wait.ts";
import { openWire, type Wire } from "../support/wire.ts";
import { startNats } from "./lease/nats-servers.ts";
import { type Acknowledged, lostOn, removeAll, startWriters } from "./take-overs/writers.ts";

const [hub = join(import.meta.dir, "..", "..", "bin", "hub"), wanted = "6", acknowledge = "standby"] =
  process.argv.slice(2);
const ENDS = ["kill", "stop", "pause", "follower-hangs", "wire-hangs", "wire-pulled", "wire-back"] as const;
type End = (typeof ENDS)[number];

const LEASE_SECS = 3;
const random = randomOf("take-overs");
const counted = { takeOvers: 0, acknowledged: 0, unconfirmed: 0, lost: 0 };

interface House {
  machines: TwoMachines;
  hasLease: boolean;
  wire: Wire;
}

interface Machines {
  hub: Side;
  standby: Side;
}

/** The standby reaches its hub over the wire; where there is a lease, it also goes to the address that stands there. */
async function startStandby({ wire, hasLease }: House, { hub, standby }: Machines): Promise<void> {
  wire.target = Number(new URL(hub.address).port);
  wire.set("whole");
  const path = standby.place.at("data", "standby.json");
  const note = () => JSON.parse(standby.place.read("data", "standby.json"));
  if (note().role === "hub") {
    // It follows the machine that its database names, before it can be told otherwise.
    await standby.start();
    await until("it is the standby", async () => (await standby.look())?.copy.whole);
    await standby.process.end();
  }
  const file = note();
  writeFileSync(path, JSON.stringify({ ...file, manual: !hasLease, other: { ...file.other, address: wire.address } }));
  await standby.start();
  await standby.isWhole(60_000);
}

/** It confirms what is changed, and takes over when the hub is gone. */
async function isReady({ hasLease }: House, { hub, standby }: Machines): Promise<void> {
  await until(
    "it confirms",
    async () => (await hub.process.request("PUT", "/variables/x", { body: { value: 1 } })).status === 200,
  );
  if (hasLease)
    await until("the lease names it", async () => (await standby.look())?.takes_over?.includes("has the lease"));
}

async function cut(end: End, { wire }: House, { standby }: Machines): Promise<void> {
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

async function takeOver({ hasLease }: House, { standby }: Machines): Promise<void> {
  const promote = async (): Promise<boolean> => (await standby.standby("promote", "--force")).code === 0;
  if (!hasLease) await until("it is made the hub", promote, { everyMs: 200 });
  await standby.isHub(90_000);
}

async function round(house: House, machines: Machines, number: number): Promise<void> {
  const end = random.pick(ENDS);
  await isReady(house, machines);
  const writers = await startWriters(machines.hub.process, number);
  await Bun.sleep(300 + random.below(1500));
  await cut(end, house, machines);
  await endHub(end, machines);
  const ended = writers.end();
  await takeOver(house, machines);
  if (end === "pause") {
    machines.hub.process.kill("SIGCONT");
    await machines.hub.process.said(/the hub stops|this machine goes on as the standby/);
  }
  tell(end, await ended, await lostOn(machines.standby.process, await ended));
  // What only the former hub has is put aside, and it follows the other one.
  machines.hub.process.kill("SIGKILL");
  await machines.hub.process.exited;
  await startStandby(house, { hub: machines.standby, standby: machines.hub });
  await until(
    "it confirms",
    async () => (await machines.standby.process.request("PUT", "/variables/x", { body: { value: 2 } })).status === 200,
  );
  await removeAll(machines.standby.process);
}

function tell(end: End, { count, refused }: Acknowledged, lost: string[]): void {
  counted.takeOvers++;
  counted.acknowledged += count;
  counted.unconfirmed += refused.get(504) ?? 0;
  counted.lost += lost.length;
  const others = [...refused].map(([status, times]) => `${times} × ${status}`).join(", ");
  process.stdout.write(`${end}: ${count} acknowledged, ${lost.length} lost${others && `; refused: ${others}`}\n`);
  for (const one of lost.slice(0, 5)) process.stdout.write(`FAIL after ${end}, acknowledged and lost: ${one}\n`);
}

const folder = createTemporaryFolder();
await using stack = new AsyncDisposableStack();
const [server] = SEED % 2 === 0 && Bun.which("nats-server") ? await startNats(folder.at("nats"), 1) : [];
if (server) stack.use(server);
const lease = server ? `lease = "${server.url}"\nlease_secs = ${LEASE_SECS}\n` : "";
const machines = stack.use(
  await createTwoMachines(
    { hub: { toml: `[standby]\nacknowledge = "${acknowledge}"\n${lease}` }, options: server ? [] : ["--manual"] },
    resolve(hub),
  ),
);
const house: House = { machines, hasLease: server !== undefined, wire: stack.use(openWire(0)) };
let now: Machines = { hub: machines.first, standby: machines.second };
now.hub.place.put("config/modes.toml", '[[modes]]\nid = "away"\nkind = "manual"\n');
await until("the mode", async () => (await now.hub.process.request("GET", "/devices/away")).status === 200);
await now.standby.process.end();
await startStandby(house, now);
for (const number of rounds(Number(wanted))) {
  if (isTimeUp() && counted.takeOvers > 0) break;
  await round(house, now, number);
  now = { hub: now.standby, standby: now.hub };
}
const { takeOvers, acknowledged, unconfirmed, lost } = counted;
process.stdout.write(
  `tried: ${takeOvers} take-overs ${server ? "by the lease" : "by hand"}, ${acknowledged} acknowledged changes, ${unconfirmed} said to be here alone, ${lost} lost (seed ${SEED})\n`,
);
await stack.disposeAsync();
folder[Symbol.dispose]();
process.exit(lost === 0 ? 0 : 1);
