// The page in Chromium, with a house of 200 Zigbee devices.
//
// First view: a fresh browser context, so nothing is kept; until the first contentful paint as the browser itself reports it. The twin is
// a static page with one line of text from a bare `Bun.serve`, in the same browser, in turns. Click: from the click on a lamp's switch,
// over HTTP, MQTT, the device's own answer and the stream, until the tile no longer waits. Main thread: tasks over 50 ms while 100
// events a second come. Memory: the page's heap after garbage collection, before and after two minutes of that. The hub: its RSS with
// five pages open against none.
import { existsSync } from "node:fs";
import { CHROMIUM, openBrowser, type Visitor, type Visitors } from "../page/support/browser.ts";
import { LAMP, type PageHouse, startPageHouse } from "../page/support/page-house.ts";
import { atMost, type Bench, type Row } from "./support/bench.ts";
import { startTwin } from "./support/child.ts";
import { firstPaintMs, heapMiB, longTasks, touchMs, watchLongTasks } from "./support/page-measures.ts";
import { rssMiB } from "./support/proc.ts";
import { median, percentile } from "./support/stats.ts";

const PAINT_ROUNDS = 9;
const TOUCHES = 60;
const EVENTS = { perSecond: 100, everyMs: 10 };
const WARM_MS = 15_000;
const LOAD_MS = 120_000;
const PAGES = 5;
const SETTLE_MS = 4000;

export const page: Bench = {
  name: "page",
  async run({ binary, say }) {
    if (!existsSync(CHROMIUM)) {
      say(`NOT RUN: ${CHROMIUM} is not there`);
      return [];
    }
    await using stack = new AsyncDisposableStack();
    const house = stack.use(await startPageHouse({ binary }));
    const visitors = stack.use(await openBrowser("whole"));
    const memory = await hubMemory(house, visitors);
    return [...(await firstView(house, visitors)), ...(await inUse(house, visitors)), memory];
  },
};

async function firstView(house: PageHouse, visitors: Visitors): Promise<Row[]> {
  await using twin = startTwin("static-page");
  const [port] = await twin.printed(/http port=(\d+)/);
  const twinOrigin = `http://127.0.0.1:${port}`;
  const hubs: number[] = [];
  const twins: number[] = [];
  let bytes = 0;
  // The first round warms the browser up.
  for (let round = 0; round <= PAINT_ROUNDS; round++) {
    for (const [origin, spans] of [
      [twinOrigin, twins],
      [house.origin, hubs],
    ] as const) {
      await using visitor = await visitors.visit({ origin }, { path: "/api/v1/health" });
      const measured = await firstPaintMs(visitor, "/");
      if (round > 0) spans.push(measured.ms);
      if (origin === house.origin) bytes = measured.bytes;
    }
  }
  return [
    atMost("first view painted, cold, ms", median(hubs), median(twins), 300, "ms"),
    atMost("its bytes on the wire, KiB", bytes / 1024, undefined, 45, "KiB"),
  ];
}

async function inUse(house: PageHouse, visitors: Visitors): Promise<Row[]> {
  await using visitor = await visitors.visit(house, { role: "user" });
  const touches: number[] = [];
  for (let touch = 0; touch < TOUCHES; touch++) {
    touches.push(await touchMs(visitor, LAMP));
    await Bun.sleep(50);
  }
  await happen(house, WARM_MS);
  const before = await heapMiB(visitor);
  await watchLongTasks(visitor);
  await happen(house, LOAD_MS);
  const tasks = await longTasks(visitor);
  const growth = (await heapMiB(visitor)) - before;
  await stillLive(visitor);
  return [
    atMost("click → device → tile, p95, ms", percentile(touches.slice(TOUCHES / 10), 95), undefined, 100, "ms"),
    atMost(
      `tasks over 50 ms in ${LOAD_MS / 1000} s at ${EVENTS.perSecond} events/s`,
      tasks.length,
      undefined,
      0,
      "tasks",
    ),
    atMost("longest of them, ms", Math.max(0, ...tasks), undefined, 50, "ms"),
    atMost("growth of the page's heap meanwhile, MiB", growth, undefined, 1, "MiB"),
  ];
}

/** Lamps change, so many a second. */
async function happen({ network }: PageHouse, ms: number): Promise<void> {
  const lamps = network.members.filter(({ state }) => typeof state.brightness === "number").slice(3);
  if (lamps.length === 0) throw new Error("the network has no lamps");
  const begun = performance.now();
  for (let sent = 0; performance.now() - begun < ms; ) {
    const due = ((performance.now() - begun) / 1000) * EVENTS.perSecond;
    for (; sent < due; sent++)
      network.report(lamps[sent % lamps.length]?.device.friendly_name ?? "", { brightness: 1 + (sent % 254) });
    await Bun.sleep(EVENTS.everyMs);
  }
}

async function stillLive({ page }: Visitor): Promise<void> {
  if (!(await page.$("main[data-live=live]"))) throw new Error("the page is no longer live");
}

async function hubMemory(house: PageHouse, visitors: Visitors): Promise<Row> {
  await using open = new AsyncDisposableStack();
  // What a first page makes the hub load is no cost of five.
  await (await visitors.visit(house, { role: "user" }))[Symbol.asyncDispose]();
  await Bun.sleep(SETTLE_MS);
  const before = rssMiB(house.hub.pid);
  for (let count = 0; count < PAGES; count++) open.use(await visitors.visit(house, { role: "viewer" }));
  await Bun.sleep(SETTLE_MS);
  return atMost(
    `RSS of the hub with ${PAGES} pages open, above none, MiB`,
    rssMiB(house.hub.pid) - before,
    undefined,
    2,
    "MiB",
  );
}
