// Two compiled hubs with [standby] acknowledge = "standby", one of which takes over from the other again and again: after a kill, a stop, a
// pause, and where the two were cut off from each other just before. Meanwhile people change the house as fast as it answers; each change that
// was acknowledged must be there afterwards. The lease is in PostgreSQL or in a NATS server, or a person decides: the seed says which, or
// TAKE_OVERS_LEASE=postgres|nats|none.
// bun test/interop/take-overs.ts [HUB [ROUNDS [local]]]; by a campaign, until its time is over. With `local` it shows what is lost then. Three
// hundred with PostgreSQL: TAKE_OVERS_LEASE=postgres bun test/interop/take-overs.ts bin/hub 300
import { chmodSync, existsSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { isTimeUp, randomOf, rounds, SEED } from "../support/campaign.ts";
import { createTemporaryFolder } from "../support/temporary-folder.ts";
import { createTwoMachines, type Side, type TwoMachines } from "../support/two-machines.ts";
import { until } from "../support/wait.ts";
import { openWire, type Wire } from "../support/wire.ts";
import { POSTGRES, startPostgres } from "./export/engines.ts";
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
  report(end, await ended, await lostOn(machines.standby.process, await ended));
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

function report(end: End, { count, refused }: Acknowledged, lost: string[]): void {
  counted.takeOvers++;
  counted.acknowledged += count;
  counted.unconfirmed += refused.get(504) ?? 0;
  counted.lost += lost.length;
  const others = [...refused].map(([status, times]) => `${times} × ${status}`).join(", ");
  process.stdout.write(`${end}: ${count} acknowledged, ${lost.length} lost${others && `; refused: ${others}`}\n`);
  for (const one of lost.slice(0, 5)) process.stdout.write(`FAIL after ${end}, acknowledged and lost: ${one}\n`);
}

type Keeper = "postgres" | "nats" | "none";

/** What is not here is not chosen by a seed, and fails where it was asked for. */
function keeperKind(): Keeper {
  const asked = process.env.TAKE_OVERS_LEASE;
  if (asked === "postgres" || asked === "nats" || asked === "none") return asked;
  const here: Keeper[] = ["none"];
  if (Bun.which("nats-server")) here.unshift("nats");
  if (existsSync("/usr/lib/postgresql")) here.push("postgres");
  return here[SEED % here.length] ?? "none";
}

/** `toml`: what the house's hub.toml says of it. */
async function startKeeper(): Promise<{ kind: Keeper; toml: string }> {
  const kind = keeperKind();
  const section = (url: string, more = ""): string => `lease = "${url}"\nlease_secs = ${LEASE_SECS}\n${more}`;
  if (kind === "none") return { kind, toml: "" };
  if (kind === "postgres") {
    const { url } = stack.use(await startPostgres(folder.at("postgres")));
    return { kind, toml: section(url, `username = "${POSTGRES.username}"\npassword = "${POSTGRES.password}"\n`) };
  }
  const [server] = await startNats(folder.at("nats"), 1);
  if (!server) throw new Error("no NATS server started");
  return { kind, toml: section(stack.use(server).url) };
}

const folder = createTemporaryFolder();
// PostgreSQL runs as a user of its own.
chmodSync(folder.at("."), 0o755);
await using stack = new AsyncDisposableStack();
const keeper = await startKeeper();
const machines = stack.use(
  await createTwoMachines(
    {
      hub: { toml: `[standby]\nacknowledge = "${acknowledge}"\n${keeper.toml}` },
      options: keeper.kind === "none" ? ["--manual"] : [],
    },
    resolve(hub),
  ),
);
const house: House = { machines, hasLease: keeper.kind !== "none", wire: stack.use(openWire(0)) };
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
  `tried: ${takeOvers} take-overs ${keeper.kind === "none" ? "by hand" : `by the lease in ${keeper.kind}`}, ${acknowledged} acknowledged changes, ${unconfirmed} said to be here alone, ${lost} lost (seed ${SEED})\n`,
);
await stack.disposeAsync();
folder[Symbol.dispose]();
process.exit(lost === 0 ? 0 : 1);
