// A backup of a 1 GiB history, downloaded by curl while 500 events a second go on: how fast it comes, what memory it takes,
// and what everybody else feels of it. Twins: `zip -1` and `zip -6` of the very files that are in it, beside the same hub
// under the same events, and `unzip` for the restore.
import { mkdirSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { atMost, type Bench, type Row, rate } from "./support/bench.ts";
import { buildHistoryFile } from "./support/history-file.ts";
import { runMeasured } from "./support/measured-run.ts";
import { type MqttPublisher, openPublisher } from "./support/mqtt-publisher.ts";
import type { PingOrder } from "./support/ping-process.ts";
import { type PreparedHub, prepareHome } from "./support/prepared-hub.ts";
import { rssMiB } from "./support/proc.ts";
import { median, percentile } from "./support/stats.ts";
import { openReader } from "./support/stream-reader.ts";

// Some 22 bytes each.
const SAMPLES = 49_000_000;
const KEEP = "\n[history]\nretention_days = 3650\nmax_size_mb = 1000000\n";
const EVENTS_PER_SEC = 500;
const EVERY_MS = 10;
// What a start takes in memory is given back by then, and does not count as the idle hub's.
const SETTLE_MS = 15_000;
const IDLE_MS = 15_000;
const DEVICES = 20;

export const backup: Bench = {
  name: "backup",
  async run({ binary, folder, say }) {
    const home = prepareHome(join(folder, "home"), KEEP);
    buildHistoryFile({ path: home.historyDb, samples: SAMPLES, meterSamples: 0, end: Date.now() });
    await using hub = await home.start(binary);
    using load = await startLoad(hub);
    await Bun.sleep(SETTLE_MS);
    const zip = join(folder, "backup.zip");
    const idle = await observe(hub, load, () => Bun.sleep(IDLE_MS));
    const busy = await observe(hub, load, () => download(hub, zip));
    const unpacked = join(folder, "unpacked");
    mkdirSync(unpacked);
    const unzipMs = await timed(["unzip", "-q", zip, "-d", unpacked]);
    const bytes =
      statSync(join(unpacked, "data", "history.db")).size + statSync(join(unpacked, "data", "state.redb")).size;
    const twinRate = async (level: string): Promise<number> => {
      const target = join(folder, `twin${level}.zip`);
      const ms = await timed(["zip", "-q", level, target, "data/history.db", "data/state.redb"], unpacked);
      say(`zip ${level}: ${(ms / 1000).toFixed(1)} s, ${(statSync(target).size / 1e6).toFixed(0)} MB`);
      return perSecond(bytes, ms);
    };
    const [fast, usual] = [await twinRate("-1"), await twinRate("-6")];
    const restoreMs = await timed([binary, "restore", zip, "--home", join(folder, "restored")]);
    rmSync(unpacked, { recursive: true });
    const { snapshotMs, streamMs, archiveBytes } = busy.result;
    say(
      `snapshots ${(snapshotMs / 1000).toFixed(1)} s, archive ${(streamMs / 1000).toFixed(1)} s, ${(archiveBytes / 1e6).toFixed(0)} MB`,
    );
    say(`worst ping ${Math.max(...busy.pings).toFixed(0)} ms (idle ${Math.max(...idle.pings).toFixed(0)} ms)`);
    const whole = perSecond(bytes, snapshotMs + streamMs);
    return [
      rate("MB/s, archive alone, against zip -1", perSecond(bytes, streamMs), fast, 0.9),
      rate("MB/s, snapshots and checks included, against zip -1", whole, fast),
      rate("MB/s, snapshots and checks included, against zip -6", whole, usual, 0.9),
      atMost("MiB of RSS more, at most", busy.rss - idle.rss, undefined, 40, "MiB"),
      atMost("ping ms, p99", percentile(busy.pings, 99), percentile(idle.pings, 99), 20, "ms"),
      ...latencies(busy.events, idle.events),
      rate(
        "MB/s of a restore, everything verified, against unzip",
        perSecond(bytes, restoreMs),
        perSecond(bytes, unzipMs),
      ),
    ];
  },
};

/** The twin is the same hub before. */
function latencies(busy: readonly number[], idle: readonly number[]): Row[] {
  const row = (name: string, hub: number, twin: number): Row =>
    atMost(name, hub, twin, Number((2 * twin).toFixed(2)), "ms");
  return [
    row("event ms from MQTT to WebSocket, median", median(busy), median(idle)),
    row("event ms from MQTT to WebSocket, p99", percentile(busy, 99), percentile(idle, 99)),
  ];
}

interface Load extends Disposable {
  /** Milliseconds of each event since the last time this was asked. */
  taken(): number[];
}

/** 500 state changes a second, each carrying the moment it was sent. */
async function startLoad(hub: PreparedHub): Promise<Load> {
  let spans: number[] = [];
  const publisher: MqttPublisher = await openPublisher(hub.mqttPort);
  const reader = await openReader({
    port: hub.port,
    path: "/api/v1/events/stream?type=device_state_changed",
    token: hub.token,
    onText(payload) {
      const sent = /"current":\{"sent":([\d.]+)/.exec(payload.toString("latin1"))?.[1];
      if (sent !== undefined) spans.push(performance.now() - Number(sent));
    },
  });
  let turn = 0;
  const begun = performance.now();
  const timer = setInterval(function keepPace() {
    const due = ((performance.now() - begun) / 1000) * EVENTS_PER_SEC;
    for (; turn < due; turn++)
      publisher.publish(
        [{ topic: `hub/devices/pace-${turn % DEVICES}/state`, payload: `{"sent":${performance.now()}}` }],
        0,
      );
  }, EVERY_MS);
  return {
    taken() {
      const all = spans;
      spans = [];
      return all;
    },
    [Symbol.dispose]() {
      clearInterval(timer);
      reader[Symbol.dispose]();
      publisher[Symbol.dispose]();
    },
  };
}

interface Observed<T> {
  result: T;
  pings: number[];
  events: number[];
  /** The most, in MiB. */
  rss: number;
}

const ROUND_MS = 2000;

async function observe<T>(hub: PreparedHub, load: Load, work: () => Promise<T>): Promise<Observed<T>> {
  load.taken();
  let rss = 0;
  const sampler = setInterval(() => {
    rss = Math.max(rss, rssMiB(hub.pid));
  }, 50);
  const doing = { on: true };
  const worked = work().finally(() => {
    doing.on = false;
  });
  const pings: number[] = [];
  while (doing.on) pings.push(...(await ping(hub.port)));
  const result = await worked;
  clearInterval(sampler);
  const events = load.taken();
  if (events.length < EVENTS_PER_SEC) throw new Error(`only ${events.length} events came back`);
  return { result, pings, events, rss };
}

async function ping(port: number): Promise<number[]> {
  const script = new URL("./support/ping-process.ts", import.meta.url);
  const { lines } = await runMeasured(script, { port, ms: ROUND_MS } satisfies PingOrder);
  return lines[0] as number[];
}

interface Downloaded {
  snapshotMs: number;
  streamMs: number;
  archiveBytes: number;
}

async function download({ port, token }: PreparedHub, target: string): Promise<Downloaded> {
  const said = "%{http_code} %{time_starttransfer} %{time_total} %{size_download}";
  const child = Bun.spawn(
    [
      "curl",
      "-sS",
      "-X",
      "POST",
      "-o",
      target,
      "-w",
      said,
      "-H",
      `Authorization: Bearer ${token}`,
      `http://127.0.0.1:${port}/api/v1/system/backup`,
    ],
    { stdout: "pipe", stderr: "inherit" },
  );
  const [code, first, total, bytes] = (await new Response(child.stdout).text()).split(" ").map(Number);
  if (code !== 200) throw new Error(`the backup was answered with ${code}`);
  return {
    snapshotMs: Number(first) * 1000,
    streamMs: (Number(total) - Number(first)) * 1000,
    archiveBytes: Number(bytes),
  };
}

/** Milliseconds; throws where it fails. */
async function timed(command: string[], cwd?: string): Promise<number> {
  const begun = performance.now();
  const child = Bun.spawn(command, { stdin: "ignore", stdout: "ignore", stderr: "inherit", ...(cwd ? { cwd } : {}) });
  if ((await child.exited) !== 0) throw new Error(`${command[0]} failed`);
  return performance.now() - begun;
}

function perSecond(bytes: number, ms: number): number {
  return bytes / 1e6 / (ms / 1000);
}
