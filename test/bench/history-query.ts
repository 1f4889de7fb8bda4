// How long the past takes to answer: GET /devices/ID/history of the compiled hub on a file of ten million samples of 200
// series over a year, and three million more of one sensor. One request at a time over keep-alive connections, times from
// asking to the last byte. A day: another device and day each time, all attributes raw (548 samples on average). A year:
// a value for each day, of one attribute (50,000 samples) and of all four of a device (200,000). The three million are asked for
// once when the hub has not read them before, and then again and again. The twin reads the same rows with plain SQL behind a
// bare Bun.serve, each round in turn with the hub.
import { type Bench, cost, type Row } from "./support/bench.ts";
import { startTwin } from "./support/child.ts";
import { buildHistoryFile, YEAR_MS } from "./support/history-file.ts";
import { ATTRIBUTES, DEVICES, deviceName } from "./support/house-load.ts";
import { openPublisher } from "./support/mqtt-publisher.ts";
import { type PreparedHub, prepareHome } from "./support/prepared-hub.ts";
import { percentile } from "./support/stats.ts";

const FILE = { samples: 10_000_000, meterSamples: 3_000_000 };
const KEEP = "\n[history]\nretention_days = 3650\nmax_size_mb = 1000000\n";
const DAY_MS = 86_400_000;
const DAY = { requests: 500, warmUp: 100 };
const YEAR = { requests: 60, warmUp: 3 };
const METER = { requests: 60, warmUp: 0 };
/** The three million alone. */
const BRIEF = { file: { ...FILE, samples: 0 }, requests: 20 };
const ROUNDS = 5;

interface Question {
  name: string;
  requests: number;
  warmUp: number;
  /** The target in ms and the percentile it is for. */
  atMost?: { ms: number; percent: number };
  /** Path and query, another one each time. */
  path: () => string;
  /** Items that must come. */
  least: number;
}

export const historyQuery: Bench = {
  name: "history-query",
  async run(context) {
    await using stack = new AsyncDisposableStack();
    const home = prepareHome(`${context.folder}/home`, KEEP);
    // A history without users would look like a lost database.
    await (await home.start(context.binary))[Symbol.asyncDispose]();
    const end = Date.now();
    buildHistoryFile({ path: home.historyDb, ...(context.brief ? BRIEF.file : FILE), end });
    context.say(`the file: ${Math.round(Bun.file(home.historyDb).size / 1e6)} MB, built in ${Date.now() - end} ms`);
    const hub = stack.use(await home.start(context.binary));
    await introduceDevices(hub);
    const twin = stack.use(startTwin("history-sql", home.historyDb));
    const [twinPort] = await twin.printed(/http port=(\d+)/);
    const rows: Row[] = [await firstTime(meterYear(end), { port: hub.port, token: hub.token }, Number(twinPort))];
    const asked = context.brief ? [{ ...meterYear(end), requests: BRIEF.requests }] : questions(end);
    for (const question of asked) {
      const hubMs: number[] = [];
      const twinMs: number[] = [];
      for (let round = 0; round < ROUNDS; round++) {
        hubMs.push(...(await ask(question, { port: hub.port, token: hub.token, round })));
        twinMs.push(...(await ask(question, { port: Number(twinPort), round })));
      }
      rows.push(...rowsOf(question, hubMs, twinMs));
    }
    return rows;
  },
};

function questions(end: number): Question[] {
  const begin = end - YEAR_MS;
  const anyDevice = (): string => deviceName(Math.floor(Math.random() * DEVICES));
  const anyDay = (): string => {
    const from = begin + Math.random() * (YEAR_MS - DAY_MS);
    return span(from, from + DAY_MS);
  };
  const year = `${span(begin, end)}&bucket=1d`;
  // Of sixty, the three worst are the machine's.
  const ceiling = { ms: 300, percent: 95 };
  return [
    {
      name: "a day of a device, raw",
      ...DAY,
      atMost: { ms: 20, percent: 99 },
      path: () => `/${anyDevice()}/history?${anyDay()}&limit=10000`,
      least: 300,
    },
    {
      name: "a year of an attribute, a value a day",
      ...YEAR,
      atMost: ceiling,
      path: () => `/${anyDevice()}/history?${year}&attribute=temperature`,
      least: 365,
    },
    {
      name: "a year of a device, a value a day",
      ...YEAR,
      atMost: ceiling,
      path: () => `/${anyDevice()}/history?${year}`,
      least: 365 * ATTRIBUTES.length,
    },
    meterYear(end),
  ];
}

function meterYear(end: number): Question {
  return {
    name: "a year of three million samples, a value a day",
    ...METER,
    atMost: { ms: 100, percent: 95 },
    path: () => `/meter/history?${span(end - YEAR_MS, end)}&bucket=1d`,
    least: 365,
  };
}

/** One request of each. */
async function firstTime(question: Question, hub: Omit<Side, "round">, twinPort: number): Promise<Row> {
  const once = { ...question, requests: ROUNDS, warmUp: 0 };
  const [hubMs = 0] = await ask(once, { ...hub, round: 0 });
  const [twinMs = 0] = await ask(once, { port: twinPort, round: 0 });
  return cost(`ms, the first time: ${question.name}`, hubMs, twinMs);
}

// Seconds, which both understand.
function span(from: number, to: number): string {
  return `from=${Math.ceil(from / 1000)}&to=${Math.floor(to / 1000)}`;
}

/** Only devices that there are can be asked for. */
async function introduceDevices(hub: PreparedHub): Promise<void> {
  using publisher = await openPublisher(hub.mqttPort);
  const names = [...Array.from({ length: DEVICES }, (_, index) => deviceName(index)), "meter"];
  publisher.publish(
    names.map((name) => ({ topic: `hub/devices/${name}/state`, payload: '{"known":true}' })),
    1,
  );
  for (const until = Date.now() + 5000; publisher.acknowledged < names.length; await Bun.sleep(10))
    if (Date.now() > until) throw new Error("the devices were not taken");
}

interface Side {
  port: number;
  token?: string;
  round: number;
}

/** Milliseconds of each request of a round; those of the first round begin warm. */
async function ask({ requests, warmUp, path, least }: Question, { port, token, round }: Side): Promise<number[]> {
  const spans: number[] = [];
  for (let number = round === 0 ? -warmUp : 0; number < requests / ROUNDS; number++) {
    const address = `http://127.0.0.1:${port}/api/v1/devices${path()}`;
    const begun = performance.now();
    const answer = await fetch(address, token ? { headers: { authorization: `Bearer ${token}` } } : {});
    const text = await answer.text();
    const took = performance.now() - begun;
    const items = text.split('"timestamp"').length - 1;
    if (!answer.ok || items < least || answer.headers.has("link"))
      throw new Error(`${address}: ${answer.status}, ${items} items\n${text.slice(0, 500)}`);
    if (number >= 0) spans.push(took);
  }
  return spans;
}

function rowsOf({ name, atMost }: Question, hub: readonly number[], twin: readonly number[]): Row[] {
  return [50, atMost?.percent ?? 95].map((percent) => {
    const row = cost(`ms, p${percent}: ${name}`, percentile(hub, percent), percentile(twin, percent));
    if (atMost?.percent !== percent) return row;
    return { ...row, target: `≤ ${atMost.ms} ms`, met: row.hub <= atMost.ms };
  });
}
