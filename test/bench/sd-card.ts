// What the hub writes to its disk in a day: an SD card wears by bytes written. Bytes are Linux's count for the hub's own
// process (write_bytes of /proc/PID/io: each page it made dirty; both databases, their logs, log files), over a minute
// that begins when the hub has settled, and carried on to a day. The homes are in use: this is not their first start.
//
// Four hubs run side by side, each in its own home: one that nobody talks to; a house of 30 lights with weather, doors,
// motion and sysmon (plugins/virtual as it comes, random_events on); 100 devices with 20 changes a second; and the same
// with [storage] max_write_mb_per_day at a small value. "Folding in": the databases' logs go back into their files when a
// thousand pages have gathered, which a minute may not see; closing the hub does it for all of the run, start included, so
// that the row with it is more than a day's real share. No row knows of max_write_mb_per_day but the limited hub's: what is
// above its default of 500 is held back on a real day.
//
// The twin is one committed INSERT for each change that the hub recorded (twins/insert-each.ts), by its bytes for a change
// over 20,000; it keeps no last state of devices, which the hub does.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { atMost, type Bench, type BenchContext, cost, holds, type Row } from "./support/bench.ts";
import { runMeasured } from "./support/measured-run.ts";
import { type Message, openPublisher } from "./support/mqtt-publisher.ts";
import { type PreparedHub, prepareHome } from "./support/prepared-hub.ts";
import { bytesWrittenBy } from "./support/proc-io.ts";

const PLUGINS_MS = 5000;
const SETTLE_MS = 10_000;
const WINDOW_MS = 60_000;
const DAY_MS = 86_400_000;
const TWIN_SAMPLES = 20_000;
const BUSY = { devices: 100, perSecond: 20 };
const LIMIT_MB = 12;
// An hour's share may be used at once, and what is on its way when it ends is written still.
const AT_ONCE_MB = (LIMIT_MB / 24) * 1.5;
const PLUGINS = ["virtual", "sysmon"];
const HOUSE_CONFIG = "lights = 30\nrandom_events = true\n";

interface Kind {
  name: string;
  toml: string;
  plugins?: boolean;
  /** Changes come in over MQTT. */
  busy?: boolean;
}

const IDLE: Kind = { name: "idle", toml: "" };
const HOUSE: Kind = { name: "house", toml: PLUGINS.map(pluginTable).join(""), plugins: true };
const TALKING: Kind = { name: `${BUSY.perSecond} changes/s`, toml: "", busy: true };
const LIMITED: Kind = { name: "limited", toml: `\n[storage]\nmax_write_mb_per_day = ${LIMIT_MB}\n`, busy: true };

export const sdCard: Bench = {
  name: "sd-card",
  async run(context) {
    const twin = await bytesOfAnInsert(context.folder);
    context.say(`an INSERT each: ${Math.round(twin)} bytes a change`);
    const [idle, house, talking, limited] = await runAll([IDLE, HOUSE, TALKING, LIMITED], context);
    for (const one of [idle, house, talking, limited]) context.say(tell(one));
    return [
      atMost("bytes/minute, idle", idle.bytes, undefined, 0, "bytes"),
      ...rowsOf(house, twin),
      ...rowsOf(talking, twin),
      atMost(
        `MB since the start, ${LIMIT_MB} a day allowed (twin: 500)`,
        limited.sinceStart / 1e6,
        talking.sinceStart / 1e6,
        AT_ONCE_MB,
        "MB",
      ),
      atMost("bytes in its last 30 s", limited.secondHalf, undefined, 0, "bytes"),
      holds("it says that it spares the disk, and drops nothing", limited.sparing && limited.dropped === 0),
    ];
  },
};

function rowsOf({ name, bytes, closing, recorded }: Ended, twin: number): Row[] {
  const perDay = (some: number): number => ((some / 1e6) * DAY_MS) / WINDOW_MS;
  return [
    cost(`MB/day, ${name}`, perDay(bytes), perDay(recorded * twin)),
    cost(`MB/day, ${name}, folding in`, perDay(bytes + closing), perDay(recorded * twin)),
  ];
}

/** What one hub did within the minute. */
interface Ended {
  name: string;
  bytes: number;
  secondHalf: number;
  /** While it closed. */
  closing: number;
  /** From the start to the end of the minute. */
  sinceStart: number;
  /** Samples that went into the history's file. */
  recorded: number;
  dropped: number;
  sparing: boolean;
}

function tell({ name, bytes, closing, sinceStart, recorded }: Ended): string {
  return `${name}: ${bytes} bytes for ${recorded} changes in a minute, ${sinceStart} since the start, ${closing} while closing`;
}

/** Side by side; closed one after the other, since what a process wrote in the end is known from its parent's count. */
async function runAll(kinds: readonly [Kind, Kind, Kind, Kind], context: BenchContext): Promise<Four> {
  await using stack = new AsyncDisposableStack();
  const running: Running[] = [];
  for (const kind of kinds) running.push(await begin(kind, context, stack));
  await Bun.sleep(SETTLE_MS);
  const before = await lookAt(running);
  await Bun.sleep(WINDOW_MS / 2);
  const half = await lookAt(running);
  await Bun.sleep(WINDOW_MS / 2);
  const after = await lookAt(running);
  const ended: Ended[] = [];
  for (const [index, { name, stop }] of running.entries()) {
    const [first, middle, last] = [before[index], half[index], after[index]];
    if (!first || !middle || !last) throw new Error(`${name} was not looked at`);
    const mine = bytesWrittenBy(process.pid);
    await stop();
    const whole = bytesWrittenBy(process.pid) - mine;
    ended.push({
      name,
      bytes: last.bytes - first.bytes,
      secondHalf: last.bytes - middle.bytes,
      closing: whole - last.bytes,
      sinceStart: last.bytes,
      recorded: last.recorded - first.recorded,
      dropped: last.dropped,
      sparing: last.sparing,
    });
  }
  return ended as Four;
}

type Four = [Ended, Ended, Ended, Ended];

interface Running {
  name: string;
  hub: PreparedHub;
  stop: () => Promise<void>;
}

async function begin(kind: Kind, { binary, folder }: BenchContext, stack: AsyncDisposableStack): Promise<Running> {
  const home = prepareHome(join(folder, kind.name.replace(/\W/g, "-")), kind.toml);
  if (kind.plugins) writePluginConfig(home.folder);
  await firstTime(await home.start(binary), kind);
  const hub = stack.use(await home.start(binary));
  const quiet = kind.busy ? await talk(hub, stack) : (): void => {};
  return {
    name: kind.name,
    hub,
    async stop() {
      quiet();
      await hub[Symbol.asyncDispose]();
    },
  };
}

/** What happens once in a home's life: it is laid out, and its devices are met. */
async function firstTime(hub: PreparedHub, { busy, plugins }: Kind): Promise<void> {
  await using _hub = hub;
  if (busy) {
    using publisher = await openPublisher(hub.mqttPort);
    publisher.publish(
      Array.from({ length: BUSY.devices }, (_, index) => messageOf(index)),
      1,
    );
    while (publisher.acknowledged < BUSY.devices) await Bun.sleep(10);
  }
  if (plugins) await Bun.sleep(PLUGINS_MS);
}

function pluginTable(id: string): string {
  const [binary, config] = [`plugins/${id}/bin/${id}.js`, `plugins/${id}/config/config.toml`];
  return `\n[[plugins]]\nid = "${id}"\nbinary = "${binary}"\nconfig = "${config}"\nenabled = true\n`;
}

function writePluginConfig(home: string): void {
  const folder = join(home, "plugins", "virtual", "config");
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "config.toml"), HOUSE_CONFIG);
}

async function talk(hub: PreparedHub, stack: AsyncDisposableStack): Promise<() => void> {
  const publisher = stack.use(await openPublisher(hub.mqttPort));
  let count = BUSY.devices;
  const timer = setInterval(() => publisher.publish([messageOf(count++)], 0), 1000 / BUSY.perSecond);
  stack.defer(() => clearInterval(timer));
  return () => clearInterval(timer);
}

/** Each device in its turn changes one attribute of four. */
function messageOf(count: number): Message {
  const temperature = 200 + Math.floor(count / BUSY.devices) / 10;
  const payload = `{"temperature":${temperature},"humidity":50,"battery_pct":97,"mode":"auto"}`;
  return { topic: `hub/devices/sensor_${count % BUSY.devices}/state`, payload };
}

interface Look {
  bytes: number;
  recorded: number;
  dropped: number;
  sparing: boolean;
}

interface Status {
  disk: { sparing: boolean };
  history: { samples_recorded: number; samples_dropped: number };
}

async function lookAt(running: readonly Running[]): Promise<Look[]> {
  return await Promise.all(
    running.map(async ({ hub }) => {
      const { disk, history } = await hub.get<Status>("/system/status");
      return {
        bytes: bytesWrittenBy(hub.pid),
        recorded: history.samples_recorded,
        dropped: history.samples_dropped,
        sparing: disk.sparing,
      };
    }),
  );
}

async function bytesOfAnInsert(folder: string): Promise<number> {
  const script = new URL("./twins/insert-each.ts", import.meta.url);
  const { writtenBytes } = await runMeasured(script, { path: join(folder, "states.db"), samples: TWIN_SAMPLES });
  return writtenBytes / TWIN_SAMPLES;
}
