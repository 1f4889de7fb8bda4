// Two compiled hubs with [standby] acknowledge = "standby", one of which takes over from the other again and again: after a kill, a stop, a
// pause, and where something of the network was cut just before. Meanwhile people change the house as fast as it answers; each change that
// was acknowledged must be there afterwards. The lease is in PostgreSQL or in a NATS server, or a person decides: the seed says which, or
// TAKE_OVERS_LEASE=postgres|nats|none.
// bun test/interop/take-overs.ts [HUB [ROUNDS [local]]]; by a campaign, until its time is over. With `local` it shows what is lost then. Three
// hundred with PostgreSQL: TAKE_OVERS_LEASE=postgres bun test/interop/take-overs.ts bin/hub 300
// With TAKE_OVERS_MACHINES=3, as root, the two and the lease's engine are machines of a network, and each is cut off from each; people at both
// machines see whether two are the hub at once. Where the kernel gives no such networks, it says so, and nothing is checked.
import { chmodSync, existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { isTimeUp, randomOf, rounds, SEED } from "../support/campaign.ts";
import { createTemporaryFolder } from "../support/temporary-folder.ts";
import { createTwoMachines, type Side } from "../support/two-machines.ts";
import { until } from "../support/wait.ts";
import { POSTGRES, startPostgres } from "./export/engines.ts";
import { startNats } from "./lease/nats-servers.ts";
import { createMachine, createSwitch, type Machine } from "./machines/network.ts";
import { createBrokers, createPostgres, POSTGRES as POSTGRES_THERE } from "./machines/services.ts";
import { type House, type Machines, MODES, type Round } from "./take-overs/house.ts";
import { houseOnOneMachine } from "./take-overs/on-one-machine.ts";
import { houseOnThreeMachines } from "./take-overs/on-three-machines.ts";

const [hub = join(import.meta.dir, "..", "..", "bin", "hub"), wanted = "6", acknowledge = "standby"] =
  process.argv.slice(2);
const LEASE_SECS = 3;
const NETWORK = join(import.meta.dir, "own-network.sh");
const { TAKE_OVERS_MACHINES = "1", TAKE_OVERS_IS_INSIDE } = process.env;
const areThree = TAKE_OVERS_MACHINES === "3";
const counted = { takeOvers: 0, acknowledged: 0, unconfirmed: 0, lost: 0, late: 0 };

function report({ end, acknowledged, refused, lost, late }: Round): void {
  counted.takeOvers++;
  counted.acknowledged += acknowledged;
  counted.unconfirmed += refused.get(504) ?? 0;
  counted.lost += lost.length;
  counted.late += late.length;
  const others = [...refused].map(([status, times]) => `${times} × ${status}`).join(", ");
  process.stdout.write(
    `${end}: ${acknowledged} acknowledged, ${lost.length} lost${others && `; refused: ${others}`}\n`,
  );
  for (const one of lost.slice(0, 5)) process.stdout.write(`FAIL after ${end}, acknowledged and lost: ${one}\n`);
  for (const one of late.slice(0, 5)) process.stdout.write(`FAIL after ${end}, beside the new hub: ${one}\n`);
}

type Keeper = "postgres" | "nats" | "none";

/** What is not here is not chosen by a seed, and fails where it was asked for. */
function keeperKind(): Keeper {
  const asked = process.env.TAKE_OVERS_LEASE;
  if (asked === "postgres" || asked === "nats" || asked === "none") return asked;
  const here: Keeper[] = areThree ? [] : ["none"];
  if (Bun.which("nats-server")) here.unshift("nats");
  if (existsSync("/usr/lib/postgresql")) here.push("postgres");
  return here[SEED % here.length] ?? "none";
}

const section = (url: string, more = ""): string => `lease = "${url}"\nlease_secs = ${LEASE_SECS}\n${more}`;
const login = ({ username, password }: typeof POSTGRES): string =>
  `username = "${username}"\npassword = "${password}"\n`;

/** What the house's hub.toml says of it. */
async function startKeeper(kind: Keeper): Promise<string> {
  if (kind === "none") return "";
  if (kind === "postgres") {
    const { url } = stack.use(await startPostgres(folder.at("postgres")));
    return section(url, login(POSTGRES));
  }
  const [server] = await startNats(folder.at("nats"), 1);
  if (!server) throw new Error("no NATS server started");
  return section(stack.use(server).url);
}

async function createOnOneMachine(kind: Keeper): Promise<{ house: House; first: Machines }> {
  const toml = `[standby]\nacknowledge = "${acknowledge}"\n${await startKeeper(kind)}`;
  const options = kind === "none" ? ["--manual"] : [];
  const { first, second } = stack.use(await createTwoMachines({ hub: { toml }, options }, resolve(hub)));
  const machines = { hub: first, standby: second };
  await furnish(machines);
  await second.process.end();
  return { house: await houseOnOneMachine(stack, { hasLease: kind !== "none", random }, machines), first: machines };
}

async function createOnThreeMachines(kind: Keeper): Promise<{ house: House; first: Machines }> {
  if (kind === "none") throw new Error("three machines have a lease: nats-server or postgresql is missing");
  createSwitch();
  const postgres = kind === "postgres" ? createPostgres(folder.path) : undefined;
  const nats = kind === "nats" ? createBrokers("nats", folder.path) : undefined;
  const servers = [...(postgres ? [postgres.server] : []), ...(nats?.servers ?? [])];
  await Promise.all(servers.map((server) => server.start()));
  const places: [Machine, Machine] = [createMachine("one", 21), createMachine("two", 22)];
  const lease = postgres ? section(postgres.url, login(POSTGRES_THERE)) : section(nats?.lease ?? "");
  const toml = `[standby]\nacknowledge = "${acknowledge}"\n${lease}`;
  const { first, second } = stack.use(
    await createTwoMachines({ hub: { host: "0.0.0.0", port: 8080, toml }, machines: places }, resolve(hub)),
  );
  const machines = { hub: first, standby: second };
  await furnish(machines);
  await second.isWhole();
  const house = houseOnThreeMachines({
    ...{ random, leaseMs: LEASE_SECS * 1000, engine: servers.map(({ machine }) => machine) },
    machineOf: (side: Side) => (side === first ? places[0] : places[1]),
  });
  return { house, first: machines };
}

async function furnish({ hub: { place, process } }: Machines): Promise<void> {
  place.put("config/modes.toml", MODES.map((id) => `[[modes]]\nid = "${id}"\nkind = "manual"\n`).join(""));
  for (const id of MODES)
    await until("the mode", async () => (await process.request("GET", `/devices/${id}`)).status === 200);
}

if (areThree && TAKE_OVERS_IS_INSIDE === undefined) {
  const tried = Bun.spawnSync([NETWORK, "try"]);
  if (tried.exitCode !== 0) {
    process.stdout.write(`NOT RUN: no networks of its own for take-overs.ts: ${tried.stderr.toString().trim()}\n`);
    process.exit(0);
  }
  const { exited } = Bun.spawn([NETWORK, process.execPath, ...process.argv.slice(1)], {
    env: { ...process.env, TAKE_OVERS_IS_INSIDE: "yes", PROPERTY_SEED: `${SEED}` },
    stdio: ["ignore", "inherit", "inherit"],
  });
  process.exit(await exited);
}
const random = randomOf(areThree ? "cuts" : "take-overs");
const folder = createTemporaryFolder();
// PostgreSQL runs as a user of its own.
chmodSync(folder.at("."), 0o755);
await using stack = new AsyncDisposableStack();
const kind = keeperKind();
const { house, first } = await (areThree ? createOnThreeMachines(kind) : createOnOneMachine(kind));
let now = first;
for (const number of rounds(Number(wanted))) {
  if (isTimeUp() && counted.takeOvers > 0) break;
  try {
    report(await house.round(now, number));
  } catch (error) {
    for (const [name, { process: at }] of Object.entries(now))
      process.stdout.write(`What the ${name} of before said last:\n${at.output.slice(-6000)}\n`);
    throw error;
  }
  now = { hub: now.standby, standby: now.hub };
}
const { takeOvers, acknowledged, unconfirmed, lost, late } = counted;
process.stdout.write(
  `tried: ${takeOvers} take-overs ${kind === "none" ? "by hand" : `by the lease in ${kind}`}${areThree ? " between machines that are cut off from each other" : ""}, ${acknowledged} acknowledged changes, ${unconfirmed} said to be here alone, ${lost} lost, ${late} by two hubs at once (seed ${SEED})\n`,
);
await stack.disposeAsync();
folder[Symbol.dispose]();
process.exit(lost + late === 0 ? 0 : 1);
