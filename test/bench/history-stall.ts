// Whether recording and looking back hold up the hub: 2,000 changes a second come in over MQTT, first alone, then while four
// clients ask without a pause (two for a day raw, two for a year with a value a day; ten million samples in the file), and a
// process of its own asks GET /health every 2 ms, whatever became of the ones before. What that takes beyond the idle hub's
// is time in which the event loop was busy with something else, or had no core.
//
// The twin is a hub that records nothing ([history] enabled = false) under the same messages, while a bare process beside
// it answers the same queries: the machine has as much to do. The pings go to the hub on both sides. Held against the
// target is the time of the ping as it is, the way there and back included: the median of the rounds' percentiles. Hub,
// twin, load and pings want more than two cores: how long the hub's main thread waited for one is reported, and the twin shows
// what that alone costs.
import { type Bench, cost, holds, type Row } from "./support/bench.ts";
import { startTwin } from "./support/child.ts";
import { buildHistoryFile, YEAR_MS } from "./support/history-file.ts";
import { DEVICES, deviceName } from "./support/house-load.ts";
import { runMeasured } from "./support/measured-run.ts";
import { type Message, openPublisher } from "./support/mqtt-publisher.ts";
import type { PingOrder } from "./support/ping-process.ts";
import { type PreparedHub, prepareHome } from "./support/prepared-hub.ts";
import { waitedForCoreMs } from "./support/run-delay.ts";
import { median, percentile } from "./support/stats.ts";

const SAMPLES = 10_000_000;
const KEEP = "\n[history]\nretention_days = 3650\nmax_size_mb = 1000000\n";
const OFF = "\n[history]\nenabled = false\n";
const ROUNDS = 5;
const ROUND_MS = 3000;
const WARM_UP_MS = 2000;
const SETTLE_MS = 1100;
const LOAD = { batch: 10, everyMs: 5 };
const PHASES = [
  { name: "recording", clients: 0 },
  { name: "recording and queried", clients: 4 },
];
const CEILING_MS = 5;
const DAY_MS = 86_400_000;

interface Side {
  hub: PreparedHub;
  /** Where the past is asked for. */
  past: { port: number; token?: string };
}

export const historyStall: Bench = {
  name: "history-stall",
  async run({ binary, folder, say }) {
    await using stack = new AsyncDisposableStack();
    const recording = prepareHome(`${folder}/recording`, KEEP);
    const end = Date.now();
    buildHistoryFile({ path: recording.historyDb, samples: SAMPLES, meterSamples: 0, end });
    const hub = stack.use(await recording.start(binary));
    const silent = stack.use(await prepareHome(`${folder}/silent`, OFF).start(binary));
    const sql = stack.use(startTwin("history-sql", recording.historyDb));
    const [sqlPort] = await sql.printed(/http port=(\d+)/);
    const sides: Record<"hub" | "twin", Side> = {
      hub: { hub, past: hub },
      twin: { hub: silent, past: { port: Number(sqlPort) } },
    };
    const idle = await ping(hub.port, WARM_UP_MS);
    const rows: Row[] = [{ ...cost("ping ms, p99, idle", percentile(idle, 99), 0), twin: undefined, ratio: undefined }];
    let sent = 0;
    for (const { name, clients } of PHASES) {
      const pings: Pings = { hub: [], twin: [] };
      for (let round = -1; round < ROUNDS; round++) {
        for (const side of round % 2 === 0 ? (["hub", "twin"] as const) : (["twin", "hub"] as const)) {
          const measured = await measure(sides[side], { ms: round < 0 ? WARM_UP_MS : ROUND_MS, clients, end });
          if (side === "hub") sent += measured.messages;
          if (round < 0) continue;
          pings[side].push(measured.spans);
          say(`${name}, ${side}: ${report(measured)}`);
        }
      }
      rows.push(...rowsOf(name, pings));
    }
    const { history } = await hub.get<Status>("/system/status");
    say(`recorded ${history.samples_recorded} of ${sent}, dropped ${history.samples_dropped}`);
    return [...rows, holds("every change recorded", history.samples_dropped === 0 && history.samples_recorded >= sent)];
  },
};

/** Milliseconds of each ping of each round. */
type Pings = Record<"hub" | "twin", number[][]>;

function rowsOf(name: string, { hub, twin }: Pings): Row[] {
  const middle = (rounds: readonly number[][], percent: number): number =>
    median(rounds.map((spans) => percentile(spans, percent)));
  const row = (percent: number): Row =>
    cost(`ping ms, p${percent}, ${name}`, middle(hub, percent), middle(twin, percent));
  const p99 = row(99);
  return [
    row(50),
    { ...p99, target: `≤ ${CEILING_MS} ms`, met: p99.hub <= CEILING_MS },
    cost(`ping ms, p99.9 of all, ${name}`, percentile(hub.flat(), 99.9), percentile(twin.flat(), 99.9)),
  ];
}

function report({ messages, answers, waitedMs, spans }: Measured): string {
  const worst = Math.max(...spans).toFixed(1);
  const waited = (waitedMs / (ROUND_MS / 1000)).toFixed(0);
  return `${messages} messages, ${answers} queries, waited ${waited} ms a second for a core, worst ping ${worst} ms`;
}

interface Status {
  history: { samples_recorded: number; samples_dropped: number };
}

interface Measured {
  /** Milliseconds of each ping. */
  spans: number[];
  messages: number;
  /** Queries answered. */
  answers: number;
  /** For a core, of the hub's main thread. */
  waitedMs: number;
}

async function measure(
  { hub, past }: Side,
  { ms, clients, end }: { ms: number; clients: number; end: number },
): Promise<Measured> {
  using publisher = await openPublisher(hub.mqttPort);
  let messages = 0;
  const publish = (): void => {
    publisher.publish(
      Array.from({ length: LOAD.batch }, () => messageOf(messages++)),
      0,
    );
  };
  // Every device is there before anybody asks for it.
  while (messages < DEVICES) publish();
  await Bun.sleep(300);
  const begun = performance.now();
  const waited = waitedForCoreMs(hub.pid);
  const timer = setInterval(function keepPace() {
    const due = ((performance.now() - begun) / LOAD.everyMs) * LOAD.batch;
    while (messages - DEVICES < due) publish();
  }, LOAD.everyMs);
  const asking = { on: true };
  const asked = Array.from({ length: clients }, (_, client) => ask(past, { client, asking, end }));
  const spans = await ping(hub.port, ms);
  clearInterval(timer);
  asking.on = false;
  const waitedMs = waitedForCoreMs(hub.pid) - waited;
  const answers = (await Promise.all(asked)).reduce((sum, count) => sum + count, 0);
  // The history writes each second.
  await Bun.sleep(SETTLE_MS);
  return { spans, messages, answers, waitedMs };
}

// Grows over all rounds: a value that is held already is no change.
let turn = 0;

function messageOf(index: number): Message {
  return { topic: `hub/devices/${deviceName(index % DEVICES)}/state`, payload: `{"counter":${turn++}}` };
}

async function ping(port: number, ms: number): Promise<number[]> {
  const script = new URL("./support/ping-process.ts", import.meta.url);
  const { lines } = await runMeasured(script, { port, ms } satisfies PingOrder);
  return lines[0] as number[];
}

/** Asks without a pause and answers how often. */
async function ask(
  { port, token }: Side["past"],
  { client, asking, end }: { client: number; asking: { on: boolean }; end: number },
): Promise<number> {
  const begin = end - YEAR_MS;
  for (let count = 0; ; count++) {
    if (!asking.on) return count;
    const device = deviceName((client * 13 + count) % DEVICES);
    const from = begin + Math.random() * (YEAR_MS - DAY_MS);
    const query =
      client % 2 === 0
        ? `${span(from, from + DAY_MS)}&limit=10000`
        : `${span(begin, end)}&bucket=1d&attribute=temperature`;
    const answer = await fetch(`http://127.0.0.1:${port}/api/v1/devices/${device}/history?${query}`, {
      headers: token ? { authorization: `Bearer ${token}` } : {},
    });
    const text = await answer.text();
    if (!answer.ok || text.length < 1000) throw new Error(`${query}: ${answer.status} ${text.slice(0, 500)}`);
  }
}

function span(from: number, to: number): string {
  return `from=${Math.ceil(from / 1000)}&to=${Math.floor(to / 1000)}`;
}
