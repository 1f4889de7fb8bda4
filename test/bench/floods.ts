// What the house feels while one account does its worst, in nine ways, and a stranger without one in seven, each at a hub of its own: /health and the questions
// a watchdog asks, the way from another account's state to a rule's command, and the hub's memory. The twin of each figure
// is the same hub left alone, in the same run. "Others may connect": an account that knocks during the flood is let in.
//
// The account has the rights of any plugin, and all flood from a process of their own at lower priority, so that on two cores
// neither the hub nor the measuring starves by it. Only by hand: bun run bench floods
import { appendFileSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { askHealth } from "../../src/server/system/upgrade/ask-health.ts";
import { atMost, type Bench, type BenchContext, holds, type Row } from "./support/bench.ts";
import { FLOODS, type Flood, type FloodOrder } from "./support/flood-process.ts";
import { watchHealth } from "./support/health-watch.ts";
import { openPublisher } from "./support/mqtt-publisher.ts";
import type { PreparedHub } from "./support/prepared-hub.ts";
import { rssMiB } from "./support/proc.ts";
import { makeDevices, prepareRuleHome } from "./support/rule-home.ts";
import { percentile } from "./support/stats.ts";
import { startNeighbour } from "./support/steady-neighbour.ts";
import { STRANGERS, type Stranger, type StrangerOrder } from "./support/stranger-process.ts";

const FLOOD_MS = 8_000;
const SETTLE_MS = 1000;
// How long a hub is given to be itself again.
const RECOVERY_MS = 8000;
const KNOCK_EVERY_MS = 1500;
const KNOCK_MS = 2000;
const DEVICES = 10;
const NEIGHBOUR = { perSecond: 20, devices: DEVICES };
const HEALTH_EVERY_MS = 25;
// A quarter of half the unit's WatchdogSec=30: what is not answered by then the watchdog counts as not well.
const TIMEOUT_MS = 3750;
const HEALTH_CEILING_MS = 250;
const COMMAND_CEILING_MS = 1000;
const STRANGER_COMMAND_CEILING_MS = 50;
const MAX_GROWTH_MIB = 256;
const GUEST = { username: "guest", password: "a password of the flood" };

interface Felt {
  healthP99: number;
  healthWorst: number;
  missed: number;
  commandP99: number;
  commandWorst: number;
  unanswered: number;
  /** Of those who knocked with an account of their own, how many were let in. */
  letIn: number;
  /** After the flood, until /health answers as it should. */
  recoveredMs: number;
  grownMiB: number;
}

export const floods: Bench = {
  name: "floods",
  async run(context) {
    const idle = await feel(context, undefined);
    context.say(described("idle", idle));
    const rows: Row[] = [];
    for (const flood of [...FLOODS, ...STRANGERS]) {
      const felt = await feel(context, flood);
      context.say(described(flood, felt));
      rows.push(
        atMost(`${flood}: /health p99, ms`, felt.healthP99, idle.healthP99, HEALTH_CEILING_MS, "ms"),
        atMost(`${flood}: /health worst, ms`, felt.healthWorst, idle.healthWorst, HEALTH_CEILING_MS, "ms"),
        atMost(`${flood}: watchdog questions missed`, felt.missed, undefined, 0, ""),
        atMost(`${flood}: state to command p99, ms`, felt.commandP99, idle.commandP99, commandCeilingMs(flood), "ms"),
        atMost(`${flood}: states never answered`, felt.unanswered, undefined, 0, ""),
        holds(`${flood}: others may connect`, felt.letIn === 1),
        atMost(`${flood}: back within, ms`, felt.recoveredMs, undefined, HEALTH_CEILING_MS, "ms"),
        atMost(`${flood}: RSS growth, MiB`, felt.grownMiB, undefined, MAX_GROWTH_MIB, "MiB"),
      );
    }
    return rows;
  },
};

function isStranger(flood: Flood | Stranger): flood is Stranger {
  return STRANGERS.some((stranger) => stranger === flood);
}

function commandCeilingMs(flood: Flood | Stranger): number {
  return isStranger(flood) ? STRANGER_COMMAND_CEILING_MS : COMMAND_CEILING_MS;
}

async function feel(context: BenchContext, flood: Flood | Stranger | undefined): Promise<Felt> {
  const folder = join(context.folder, (flood ?? "idle").replaceAll(" ", "-"));
  mkdirSync(folder);
  const home = prepareRuleHome({ folder, answering: DEVICES, others: 0, asShipped: true });
  const account = `\n[[mqtt.users]]\nusername = "${GUEST.username}"\npassword = "${GUEST.password}"\n`;
  appendFileSync(join(folder, "config", "hub.toml"), account);
  await using hub = await home.start(context.binary);
  await makeDevices(hub, DEVICES);
  using neighbour = await startNeighbour(hub.mqttPort, NEIGHBOUR);
  await Bun.sleep(SETTLE_MS);
  const before = rssMiB(hub.pid);
  let most = before;
  const memory = setInterval(() => {
    most = Math.max(most, rssMiB(hub.pid));
  }, 100);
  using health = watchHealth({ port: hub.port, everyMs: HEALTH_EVERY_MS, withinMs: TIMEOUT_MS });
  const began = neighbour.spans.length;
  const door = knock(hub.mqttPort);
  let recoveredMs = 0;
  try {
    if (flood) context.say(`${flood}: ${await run(hub, flood)}`);
    else await Bun.sleep(FLOOD_MS);
    recoveredMs = await recovery(hub);
    // An answer that was on its way counts.
    await Bun.sleep(SETTLE_MS);
  } finally {
    clearInterval(memory);
  }
  const spans = neighbour.spans.slice(began);
  // The states of the last moment are on their way still.
  const unanswered = Math.max(0, neighbour.waiting - NEIGHBOUR.perSecond / 2);
  const asked = [...health.spans, ...Array.from({ length: health.missed }, () => TIMEOUT_MS)];
  return {
    healthP99: percentile(asked, 99),
    healthWorst: Math.max(...asked),
    missed: health.missed,
    commandP99: percentile(spans, 99),
    commandWorst: Math.max(...spans),
    unanswered: neighbour.isCutOff ? Number.POSITIVE_INFINITY : unanswered,
    letIn: await door(),
    recoveredMs,
    grownMiB: most - before,
  };
}

/** Opens and closes connections of another account, until it is asked how many of them were let in. */
function knock(mqttPort: number): () => Promise<number> {
  const tries: Promise<boolean>[] = [];
  const timer = setInterval(() => tries.push(mayEnter(mqttPort)), KNOCK_EVERY_MS);
  return async () => {
    clearInterval(timer);
    const outcomes = await Promise.all(tries);
    return outcomes.filter(Boolean).length / outcomes.length;
  };
}

async function mayEnter(mqttPort: number): Promise<boolean> {
  const timeout = Bun.sleep(KNOCK_MS).then(() => undefined);
  const opened = openPublisher(mqttPort).catch(() => undefined);
  void opened.then((publisher) => publisher?.[Symbol.dispose]());
  return (await Promise.race([opened, timeout])) !== undefined;
}

/** Milliseconds until it answers within the ceiling again; at most RECOVERY_MS. */
async function recovery({ port }: PreparedHub): Promise<number> {
  const begun = performance.now();
  const since = (): number => performance.now() - begun;
  while (since() < RECOVERY_MS)
    if (await askHealth({ host: "127.0.0.1", port, tls: false }, HEALTH_CEILING_MS)) return since();
  return RECOVERY_MS;
}

async function run({ port, mqttPort }: PreparedHub, flood: Flood | Stranger): Promise<string> {
  const [file, order]: [string, StrangerOrder | FloodOrder] = isStranger(flood)
    ? ["stranger-process.ts", { flood, port, ms: FLOOD_MS }]
    : ["flood-process.ts", { flood, port, mqttPort, ms: FLOOD_MS, ...GUEST }];
  const script = new URL(`support/${file}`, import.meta.url).pathname;
  const child = Bun.spawn(["nice", "-n", "10", process.execPath, script, JSON.stringify(order)], {
    stdout: "pipe",
    stderr: "inherit",
  });
  const timeout = setTimeout(() => child.kill("SIGKILL"), FLOOD_MS + 5000);
  const text = await new Response(child.stdout).text();
  await child.exited;
  clearTimeout(timeout);
  return text.trim() || "the flood was cut off";
}

function described(name: string, felt: Felt): string {
  const figures = Object.entries(felt).map(
    ([key, value]) => `${key} ${typeof value === "number" ? value.toFixed(1) : value}`,
  );
  return `${name}: ${figures.join(", ")}`;
}
