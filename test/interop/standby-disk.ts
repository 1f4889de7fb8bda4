// A standby whose disk is full, or whose own file is damaged, and whose hub then dies: with a lease in PostgreSQL it takes over by itself
// with the copy that it has, or leaves the lease to others. Arguments: the binary. Needs the right to mount.
import { join, resolve } from "node:path";
import { mountSmallDisk, type SmallDisk } from "../support/small-disk.ts";
import { createTemporaryFolder } from "../support/temporary-folder.ts";
import { createTwoMachines, type Side, type TwoMachines } from "../support/two-machines.ts";
import { until } from "../support/wait.ts";
import { broke, compare as check, printTotals } from "./checks.ts";
import { POSTGRES, startPostgres } from "./export/engines.ts";

const [hub = join(import.meta.dir, "..", "..", "bin", "hub")] = process.argv.slice(2);
const LEASE_SECS = 4;
const MEGABYTES = 24;
const LARGE = "x".repeat(60_000);

function houseOn(url: string, home: string, name: string): Promise<TwoMachines> {
  const { username, password } = POSTGRES;
  const login = `username = "${username}"\npassword = "${password}"\n`;
  const toml = `[standby]\nlease = "${url}"\n${login}lease_secs = ${LEASE_SECS}\nhouse = "${name}"\n`;
  return createTwoMachines({ hub: { toml }, secondHome: home }, resolve(hub));
}

const setVariable = async ({ process }: Side, name: string, value: number | string): Promise<number> =>
  (await process.request("PUT", `/variables/${name}`, { body: { value } })).status;

async function variable({ process }: Side, name: string): Promise<unknown> {
  const answer = await process.request("GET", `/variables/${name}`);
  return answer.status === 200 ? answer.json<{ value: unknown }>().value : undefined;
}

/** It has a whole copy with the variable "known", and no room for what follows. */
async function fillWhileCopying({ first, second }: TwoMachines, disk: SmallDisk): Promise<void> {
  await second.isWhole();
  await setVariable(first, "known", 7);
  await second.hasCopied("SELECT 1 FROM variables WHERE name = 'known'");
  await until("the lease names the standby", async () => (await second.status()).takes_over?.includes("has the lease"));
  disk.fill();
  for (let n = 0; n < 10; n++) await setVariable(first, `large_${n}`, LARGE);
  await until("the standby says what is wrong", async () =>
    (await second.status()).problem?.includes("the disk is full"),
  );
}

async function full(url: string, disk: SmallDisk): Promise<void> {
  await using house = await houseOn(url, `${disk.path}/home`, "full");
  const { first, second } = house;
  await fillWhileCopying(house, disk);
  first.process.kill("SIGKILL");
  await first.process.exited;
  await second.isHub();
  check("full: the standby takes over with what it has", await variable(second, "known"), 7);
  interface Seen {
    standby: { held: boolean; took_over: { reason: string; lost_secs: number } };
  }
  const { standby } = await second.process.get<Seen>("/system/status");
  check("full: by itself, with the lease", [standby.held, standby.took_over.reason], [true, "gone"]);
  check("full: and says that something is missing", standby.took_over.lost_secs > 1, true);
  disk.free();
  await first.start();
  await first.isWhole();
  check("full: the former hub comes back as the standby", (await first.status()).role, "standby");
}

/** It cannot note that it is the hub: its own file was damaged meanwhile. */
async function damaged(url: string, disk: SmallDisk): Promise<void> {
  await using house = await houseOn(url, `${disk.path}/home`, "damaged");
  const { first, second } = house;
  await second.isWhole();
  await setVariable(first, "known", 7);
  await until("the lease names the standby", async () => (await second.status()).takes_over?.includes("has the lease"));
  const own = second.place.read("data", "standby.json");
  second.place.put("data/standby.json", "{", 0o600);
  first.process.kill("SIGKILL");
  await first.process.exited;
  await second.process.said("this machine cannot become the hub");
  // It has not kept the lease from the one that can.
  await first.start();
  await first.isHub();
  check("damaged: the former hub is the hub again", await variable(first, "known"), 7);
  check("damaged: and keeps the lease", (await first.status()).role, "hub");
  second.place.put("data/standby.json", own, 0o600);
  await second.isWhole();
  check("damaged: the standby is one as before", (await second.status()).role, "standby");
}

try {
  using folder = createTemporaryFolder();
  Bun.spawnSync(["chmod", "755", folder.path]);
  await using server = await startPostgres(folder.at("postgres"));
  for (const scene of [full, damaged]) {
    using disk = mountSmallDisk(MEGABYTES);
    await scene(server.url, disk);
  }
} catch (error) {
  broke(error);
}
process.exit(printTotals());
