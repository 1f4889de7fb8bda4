// bun test/bench/small-machine.ts [MINUTES] [HUB]: a house on a machine of the size of a Raspberry Pi, for an hour. By hand only, as root.
//
// The hub, its plugins and its files get one core, 512 MiB and a disk that takes 100 writes and 10 MB a second. Beside it: the virtual
// house, 100 Zigbee devices that report something once a minute, a meter that does each second, the page in Chromium, a question for
// /health five times a second, and a backup every ten minutes. Ends with 1 where an event is missing or reported twice, the hub started anew,
// something was swapped out or ended for want of memory, a backup failed, or the page was no longer live or complained.
import { copyFileSync, existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { CHROMIUM, openBrowser } from "../page/support/browser.ts";
import { type PageHouse, startPageHouse } from "../page/support/page-house.ts";
import { atMost, holds, type Row } from "./support/bench.ts";
import { watchHealth } from "./support/health-watch.ts";
import { heapMiB } from "./support/page-measures.ts";
import { cpuMs, memory } from "./support/proc.ts";
import { openSmallGroup } from "./support/small-group.ts";
import { percentile } from "./support/stats.ts";
import { openReader } from "./support/stream-reader.ts";
import { formatTable } from "./support/table.ts";

const MINUTES = Number(process.argv[2] ?? 60);
const HUB = resolve(process.argv[3] ?? join(import.meta.dir, "..", "..", "bin", "hub"));
const SIZE = { memoryMiB: 512, writeMBps: 10, writesPerSecond: 100 };
const DEVICES = 100;
const BACKUP_EVERY_MIN = 10;
const LAST_EVENT_MS = 10_000;
const MB = 1_048_576;
const print = (text: string): void => void process.stdout.write(`${text}\n`);

interface Counted {
  sent: number;
  received: number;
  gaps: number;
}

async function main(): Promise<number> {
  if (!existsSync(HUB)) throw new Error(`${HUB} is missing: bun run build`);
  if (!existsSync(CHROMIUM)) throw new Error(`${CHROMIUM} is missing: apt install chromium`);
  const folder = mkdtempSync(join(tmpdir(), "hub-small-"));
  try {
    const program = join(folder, "hub");
    copyFileSync(HUB, program);
    using group = openSmallGroup({ program, folder, ...SIZE });
    if (!group) throw new Error("this wants root and control groups of the first version");
    const rows = await live(group.wrapper);
    rows.push(
      { ...shown("memory at most, with pages of files, MiB", group.maxMemory / MB) },
      { ...shown("how often the limit was reached", group.memoryLimitReached) },
      { ...shown("seconds in which it wanted more than its core", group.throttledSecs) },
      holds("nothing was ended for want of memory", !group.outOfMemory),
    );
    print(formatTable(`small machine, ${MINUTES} minutes`, rows));
    return rows.some(({ met }) => met === false) ? 1 : 0;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function live(binary: string): Promise<Row[]> {
  await using stack = new AsyncDisposableStack();
  const house = stack.use(await startPageHouse({ zigbee: DEVICES, tidy: true, binary }));
  const { pid } = house.hub;
  const visitors = stack.use(await openBrowser("whole"));
  const visitor = stack.use(await visitors.visit(house, { role: "user" }));
  const health = stack.use(watchHealth({ port: house.hub.port, everyMs: 200, withinMs: 5000 }));
  const events: Counted = { sent: 0, received: 0, gaps: 0 };
  const ids = new Set(reporters(house).map(({ device }) => device.ieee_address));
  stack.use(
    await openReader({
      ...{ port: house.hub.port, path: "/api/v1/events/stream", token: await house.hub.adminToken() },
      onText: (text) => count(text, ids, events),
    }),
  );
  const begun = { cpu: cpuMs(pid), at: performance.now() };
  const heaps = [await heapMiB(visitor)];
  const backups: boolean[] = [];
  let most = 0;
  for (let second = 0; second < MINUTES * 60; second++) {
    reportLamps(house, second, events);
    if (second % (BACKUP_EVERY_MIN * 60) === 60) backups.push(await backUp(house));
    if (second % 60 === 0) {
      const { rss } = memory(pid);
      most = Math.max(most, rss);
      print(
        `${second / 60} min: RSS ${rss.toFixed(0)} MiB, ${events.received} of ${events.sent} events, slowest /health ${Math.max(0, ...health.spans).toFixed(0)} ms`,
      );
    }
    await Bun.sleep(Math.max(0, begun.at + (second + 1) * 1000 - performance.now()));
  }
  for (const until = performance.now() + LAST_EVENT_MS; events.received < events.sent && performance.now() < until; )
    await Bun.sleep(50);
  heaps.push(await heapMiB(visitor));
  const cpuPercent = ((cpuMs(pid) - begun.cpu) / (performance.now() - begun.at)) * 100;
  const swapped = Number(/^VmSwap:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? 0);
  return [
    { ...shown("events told", events.sent) },
    atMost("events that are missing or came twice", Math.abs(events.sent - events.received), undefined, 0, "events"),
    atMost("gaps in the stream", events.gaps, undefined, 0, "gaps"),
    atMost("questions for /health without an answer", health.missed, undefined, 0, "questions"),
    { ...shown("ms of /health, p99", percentile(health.spans, 99)) },
    { ...shown("ms of /health, slowest", Math.max(...health.spans)) },
    { ...shown("CPU of the hub, % of a core", cpuPercent) },
    { ...shown("RSS of the hub at most, MiB", most) },
    atMost("swapped out, kB", swapped, undefined, 0, "kB"),
    holds("every backup was whole", backups.every(Boolean)),
    holds("the hub never started anew", house.hub.pid === pid && house.hub.output.split("the hub is up").length === 2),
    holds("the page is live", (await visitor.page.$("main[data-live=live]")) !== null),
    atMost("complaints of the browser", visitor.complaints.length, undefined, 0, "complaints"),
    { ...shown("growth of the page's heap, MiB", (heaps.at(-1) ?? 0) - (heaps[0] ?? 0)) },
  ];
}

function shown(name: string, hub: number): Row {
  return { name, hub, twin: undefined, ratio: undefined, target: undefined, met: undefined };
}

/** Lamps that nobody else commands. */
function reporters({ network }: PageHouse) {
  return network.members.filter(({ state }) => typeof state.brightness === "number").slice(3);
}

/** The first one is the meter; the others take turns, each once a minute. */
function reportLamps(house: PageHouse, second: number, events: Counted): void {
  const [meter, ...others] = reporters(house);
  const due = others.filter((_, index) => index % 60 === second % 60);
  for (const one of [meter, ...due]) {
    if (!one) continue;
    events.sent++;
    const turn = one === meter ? second : Math.floor(second / 60);
    house.network.report(one.device.friendly_name, { brightness: 1 + (turn % 254) });
  }
}

function count(text: Buffer, ids: ReadonlySet<string>, events: Counted): void {
  const frame = JSON.parse(text.toString()) as { type: string; device_id?: string };
  if (frame.type === "device_state_changed" && ids.has(frame.device_id ?? "")) events.received++;
  if (frame.type.includes("gap")) events.gaps++;
}

/** Downloads one; whether it is a whole zip. */
async function backUp(house: PageHouse): Promise<boolean> {
  const authorization = `Bearer ${await house.hub.adminToken()}`;
  const answer = await fetch(`${house.hub.api}/system/backup`, { method: "POST", headers: { authorization } });
  const bytes = Buffer.from(await answer.arrayBuffer());
  // Its directory stands at the end.
  const whole = answer.ok && bytes.subarray(-22).readUInt32LE(0) === 0x06054b50;
  print(`  a backup: ${(bytes.length / MB).toFixed(1)} MB${whole ? "" : `, not whole (${answer.status})`}`);
  return whole;
}

process.exitCode = await main();
