// How long a house is without a hub when its machine dies, and how much of what people did is lost with it: two machines with the lease
// in a NATS server, as hub.toml says by default. Somebody changes something ten times a second; then the hub is killed.
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { startNats } from "../interop/lease/nats-servers.ts";
import { createTwoMachines, type Side } from "../support/two-machines.ts";
import { until } from "../support/wait.ts";
import { atMost, type Bench } from "./support/bench.ts";

const ROUNDS = 3;
const CHANGE_MS = 100;
/** The kill falls anywhere between two copies. */
const CHANGES_FOR_MS = [11_000, 12_300, 13_700];
const LIMIT_SECS = 15;
const LIMIT_LOST_SECS = 10;

export const takeOver: Bench = {
  name: "take-over",
  async run({ binary, folder, say }) {
    if (!Bun.which("nats-server")) {
      say("there is no nats-server here: apt-get install nats-server");
      return [];
    }
    const rounds: { secs: number; lostSecs: number }[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      const found = await killOnce(binary, join(folder, `take-over-${round}`), CHANGES_FOR_MS[round] ?? 0);
      say(`${found.secs} s without a hub, ${found.lostSecs} s of changes lost`);
      rounds.push(found);
    }
    const worst = (of: (round: { secs: number; lostSecs: number }) => number): number => Math.max(...rounds.map(of));
    return [
      atMost(
        "s from SIGKILL to the other hub",
        worst(({ secs }) => secs),
        undefined,
        LIMIT_SECS,
        "s",
      ),
      atMost(
        "s of acknowledged changes lost",
        worst(({ lostSecs }) => lostSecs),
        undefined,
        LIMIT_LOST_SECS,
        "s",
      ),
    ];
  },
};

async function killOnce(binary: string, folder: string, changesForMs: number) {
  mkdirSync(folder, { recursive: true });
  const [server] = await startNats(folder, 1);
  if (!server) throw new Error("there is no server");
  await using _server = server;
  await using house = await createTwoMachines({ hub: { toml: `[standby]\nlease = "${server.url}"\n` } }, binary);
  const { first, second } = house;
  await second.isWhole();
  await until("the lease names it", async () => (await second.status()).takes_over?.includes("has the lease"));
  const acknowledged = await changeFor(first, changesForMs);
  const killedAt = performance.now();
  first.process.kill("SIGKILL");
  await second.isHub(60_000);
  const secs = (performance.now() - killedAt) / 1000;
  const answer = await second.process.request("GET", "/variables/n");
  const last = answer.status === 200 ? Number(answer.json<{ value: number }>().value) : -1;
  const firstLost = acknowledged[last + 1];
  return { secs, lostSecs: firstLost === undefined ? 0 : (killedAt - firstLost) / 1000 };
}

/** When the change of each number was acknowledged. */
async function changeFor({ process }: Side, ms: number): Promise<number[]> {
  const acknowledged: number[] = [];
  const end = performance.now() + ms;
  while (performance.now() < end) {
    const { status } = await process.request("PUT", "/variables/n", { body: { value: acknowledged.length } });
    if (status !== 200) throw new Error(`a change is answered with ${status}`);
    acknowledged.push(performance.now());
    await Bun.sleep(CHANGE_MS);
  }
  return acknowledged;
}
