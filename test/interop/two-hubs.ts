// What two-hubs.sh runs: bun test/interop/two-hubs.ts HUB [--hubs 1|2] [--broker nats|mosquitto] [--lease postgres|nats] [--secs N]
// [--seed N] [--only PART-OF-A-NAME,…] [--death process|power] [--verdict strict|stated] [--keep]. Sensors publish numbers; a rule for each commands a lamp and sends a
// message with that number; the history goes to VictoriaMetrics and PostgreSQL. Meanwhile things are killed, stopped or cut off one after the
// other; all of them come back. At the end each number must be in one command, in one message, in the hub's history and in the databases,
// and no lamp may have seen an older hub after a newer one.
import { chmodSync } from "node:fs";
import { parseArgs } from "node:util";
import { createTemporaryFolder } from "../support/temporary-folder.ts";
import { until } from "../support/wait.ts";
import { check, print, printTotals } from "./checks.ts";
import { breakFor, takeOvers } from "./two-hubs/faults.ts";
import { createHouse, type House } from "./two-hubs/house.ts";
import type { Sample } from "./two-hubs/hub.ts";
import { type Evidence, type Finding, judge, repeated } from "./two-hubs/verdict.ts";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    hubs: { type: "string", default: "2" },
    broker: { type: "string", default: "nats" },
    lease: { type: "string", default: "postgres" },
    secs: { type: "string", default: process.env.TWO_HUBS_SECS ?? "90" },
    seed: { type: "string", default: String(Date.now() % 100_000) },
    only: { type: "string", default: "" },
    death: { type: "string", default: "process" },
    verdict: { type: "string", default: "strict" },
    keep: { type: "boolean", default: false },
  },
});
const [binary = "bin/hub"] = positionals;
const SENSORS = 16;
const EVERY_MS = 2000;
const MAX_CASES = 16;
/** Nothing more comes where nothing came for so long. */
const QUIET_MS = 10_000;
/** For what a hub that was gone has to send to the one that took over. */
const HANDBACK_MS = 90_000;

async function main(): Promise<void> {
  await using stack = new AsyncDisposableStack();
  const folder = createTemporaryFolder();
  if (!values.keep) stack.use(folder);
  chmodSync(folder.path, 0o755);
  const hubs = values.hubs === "1" ? 1 : 2;
  const house = stack.use(
    await createHouse({
      ...{ binary, folder: folder.path, hubs, sensors: SENSORS, everyMs: EVERY_MS },
      broker: values.broker === "mosquitto" ? "mosquitto" : "nats",
      lease: values.lease === "nats" ? "nats" : "postgres",
      death: values.death === "power" ? "power" : "process",
    }),
  );
  const { fleet } = house;
  await house.whole();
  fleet.count();
  print(`ok   the house works, in ${folder.path}; the seed is ${values.seed}`);
  const happened = await breakFor(Number(values.secs) * 1000, house, {
    random: createRandom(Number(values.seed)),
    only: values.only.split(",").filter(Boolean),
  });
  await fleet.end();
  const { evidence, findings } = await judgeInTheEnd(house, happened);
  const count = fleet.devices.reduce((sum, { readings, first }) => sum + readings.size - first + 1, 0);
  print(`     ${count} numbers; ${repeated(evidence)} messages sent again under the same id`);
  for (const text of takeOvers(happened)) print(`     ${text}`);
  for (const { what, cases, permitted } of findings) {
    const shown = cases.slice(0, MAX_CASES);
    if (cases.length > MAX_CASES) shown.push(`… and ${cases.length - MAX_CASES} more`);
    if (permitted !== undefined)
      print([`     let through: ${cases.length} ${what}: ${permitted}`, ...shown].join("\n       "));
    else
      await check(`there are no ${what}`, () => {
        if (cases.length > 0) throw new Error(["", ...shown].join("\n     "));
      });
  }
}

/** When nothing is missing any more, or nothing more comes. */
async function judgeInTheEnd(
  house: House,
  happened: Evidence["happened"],
): Promise<{ evidence: Evidence; findings: Finding[] }> {
  const { hubs, fleet, channel } = house;
  await check("each hub that was gone has sent what only it had", () =>
    until("nothing is left", () => hubs.every((hub) => !hub.hasUnsyncedTail()), {
      ...{ timeoutMs: HANDBACK_MS, everyMs: 250 },
    }),
  );
  const end = performance.now() + HANDBACK_MS;
  for (;;) {
    const databases = await untilQuiet(house);
    const standard = values.verdict === "strict" ? "strict" : "stated";
    const evidence: Evidence = {
      ...{ devices: fleet.devices, channel, happened, standard },
      ...{ databases, history: await historyOf(house) },
    };
    const findings = judge(evidence);
    const isRight = findings.every(({ cases, permitted }) => permitted !== undefined || cases.length === 0);
    if (isRight || performance.now() > end) return { evidence, findings };
  }
}

/** What was published last is everywhere. Resolves with what the databases have then. */
async function untilQuiet({ fleet, channel, databases }: House): Promise<Evidence["databases"]> {
  let before = -1;
  for (;;) {
    const found: Record<string, Map<string, Set<number>>> = {};
    for (const [name, database] of Object.entries(databases)) found[name] = await database.numbers();
    const sizes = Object.values(found).flatMap((numbers) => [...numbers.values()].map(({ size }) => size));
    const commands = fleet.devices.flatMap((device) => [...device.commands.values()].map(({ length }) => length));
    const messages = [...channel.messages.values()].map(({ length }) => length);
    const now = [...sizes, ...commands, ...messages].reduce((sum, count) => sum + count, 0);
    if (now === before) return found;
    before = now;
    await Bun.sleep(QUIET_MS);
  }
}

async function historyOf({ commander, fleet, token }: House): Promise<Map<string, Sample[]>> {
  const hub = await commander();
  if (!hub) throw new Error("there is no hub in the end");
  const found = new Map<string, Sample[]>();
  for (const { id } of fleet.devices) found.set(id, await hub.history(token, id));
  return found;
}

/** The same numbers for the same seed. */
function createRandom(seed: number): () => number {
  let state = BigInt(seed);
  return () => {
    state = Bun.hash.wyhash(`${state}`);
    return Number(state % 1_000_003n) / 1_000_003;
  };
}

await check("the house lives through it", main);
process.exit(printTotals());
