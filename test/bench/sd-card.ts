// What the hub writes to its disk in a day: an SD card wears by bytes written. Bytes are Linux's count for the hub's own
// process (write_bytes of /proc/PID/io: each page it made dirty; both databases, their logs, the journal of readings, log
// files), over a minute that begins when the hub has settled, and carried on to a day. The homes are in use: this is not
// their first start.
//
// The hubs run side by side, each in its own home: one that nobody talks to; a house of 30 lights with weather, doors,
// motion and sysmon (plugins/virtual as it comes, random_events on); a quiet house, 100 devices that each report once a
// minute; the same with a rule that turns a switch on, waits and turns it off, ten times a minute; one meter that reports each
// second; two rules that start a timer and turn a switch, once and ten times a minute; 100 devices with 20 changes a second; and
// the same with [storage] max_write_mb_per_day at a small value.
// "Checkpointing": readings go from their journal into the databases once an hour or when a mebibyte has gathered, and the
// databases' logs go back into their files when a thousand pages have, which a minute may not see. Closing the hub does all
// of it for the whole run, start included: a row with it shares what that cost out over the hour it would otherwise have
// taken to come. No row knows of max_write_mb_per_day but the limited hub's: what is above its default of 500 is held back
// on a real day.
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
// What a hub does once after its start is done by then.
const SETTLE_MS = 65_000;
const WINDOW_MS = 60_000;
// Longer than [storage] flush_secs.
const FLUSHED_MS = 6000;
const DAY_MS = 86_400_000;
const TWIN_SAMPLES = 20_000;
const HOUR_SECS = 3600;
const HOURS = 24;
// An hour's share of it, which may be used at once, is some ten of the pages that 20 changes/s write: used up before the minute.
const LIMIT_MB = 1;
const QUIET_MB = 50;
const METER_MB = 100;
const PLUGINS = ["virtual", "sysmon"];
const HOUSE_CONFIG = "lights = 30\nrandom_events = true\n";

interface Load {
  devices: number;
  perSecond: number;
  /** The `count`-th message. */
  message: (count: number) => Message;
}

interface Kind {
  name: string;
  toml: string;
  plugins?: boolean;
  /** Changes come in over MQTT. */
  load?: Load;
  /** Rules answer its load. */
  rules?: "timer" | "delay";
}

const QUIET: Load = { devices: 100, perSecond: 100 / 60, message: sensorMessage };
const METER: Load = { devices: 1, perSecond: 1, message: meterMessage };
// One in eleven is motion: ten times a minute.
const QUIET_AND_MOTION: Load = { devices: 100, perSecond: 110 / 60, message: sensorOrMotion };
const MOTION: Load = { devices: 1, perSecond: 1 / 60, message: motionMessage };
const OFTEN: Load = { ...MOTION, perSecond: 10 / 60 };
const BUSY: Load = { devices: 100, perSecond: 20, message: sensorMessage };

const IDLE: Kind = { name: "idle", toml: "" };
const HOUSE: Kind = { name: "house", toml: PLUGINS.map(pluginTable).join(""), plugins: true };
const CALM: Kind = { name: "100 devices once a minute", toml: "", load: QUIET };
const METERED: Kind = { name: "a meter each second", toml: "", load: METER };
const RULED: Kind = { name: "a rule, a timer and a switch once a minute", toml: "", load: MOTION, rules: "timer" };
const WAITING: Kind = {
  name: "the 100 devices, and a delay ten times a minute",
  toml: "",
  load: QUIET_AND_MOTION,
  rules: "delay",
};
const RULED_OFTEN: Kind = { ...RULED, name: "the same ten times a minute", load: OFTEN };
const TALKING: Kind = { name: "20 changes/s", toml: "", load: BUSY };
const LIMITED: Kind = { name: "limited", toml: `\n[storage]\nmax_write_mb_per_day = ${LIMIT_MB}\n`, load: BUSY };

export const sdCard: Bench = {
  name: "sd-card",
  async run(context) {
    const twin = await bytesOfAnInsert(context.folder);
    context.say(`an INSERT each: ${Math.round(twin)} bytes a change`);
    const ended = await runAll([IDLE, HOUSE, CALM, WAITING, METERED, RULED, RULED_OFTEN, TALKING, LIMITED], context);
    const [idle, house, calm, waiting, metered, ruled, ruledOften, talking, limited] = ended;
    for (const one of ended) context.say(report(one));
    return [
      atMost("bytes/minute, idle", idle.bytes, undefined, 0, "bytes"),
      ...rowsOf(house, twin),
      allInAll(calm, twin, QUIET_MB),
      allInAll(waiting, twin, METER_MB),
      allInAll(metered, twin, METER_MB),
      allInAll(ruled, twin, METER_MB),
      allInAll(ruledOften, twin, METER_MB),
      ...rowsOf(talking, twin),
      atMost(
        `MB since the start, ${LIMIT_MB} a day allowed (twin: 500)`,
        limited.sinceStart / 1e6,
        talking.sinceStart / 1e6,
        // What a start writes by itself, and what may be used at once.
        Math.ceil((idle.sinceStart / 1e6 + LIMIT_MB / HOURS) * 100) / 100,
        "MB",
      ),
      atMost("bytes in its last 30 s", limited.secondHalf, undefined, 0, "bytes"),
      holds("it says that it spares the disk, and drops nothing", limited.reports && limited.dropped === 0),
    ];
  },
};

const perDay = (bytesOfMinute: number): number => ((bytesOfMinute / 1e6) * DAY_MS) / WINDOW_MS;

function rowsOf({ name, bytes, closing, recorded }: Ended, twin: number): Row[] {
  return [
    cost(`MB/day, ${name}`, perDay(bytes), perDay(recorded * twin)),
    cost(`MB/day, ${name}, checkpointing`, perDay(bytes + closing), perDay(recorded * twin)),
  ];
}

/** The minute, carried on to a day, and what checkpoints the readings of an hour, 24 times. */
function allInAll({ name, bytes, closing, recorded }: Ended, twin: number, most: number): Row {
  return atMost(`MB/day, ${name}`, perDay(bytes) + (closing / 1e6) * HOURS, perDay(recorded * twin), most, "MB");
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
  /** Samples that the history recorded. */
  recorded: number;
  dropped: number;
  /** In its status, and as an alert. */
  reports: boolean;
}

function report({ name, bytes, closing, sinceStart, recorded }: Ended): string {
  return `${name}: ${bytes} bytes for ${recorded} changes in a minute, ${sinceStart} since the start, ${closing} while closing`;
}

/** Side by side; closed one after the other, since what a process wrote in the end is known from its parent's count. */
async function runAll<K extends readonly Kind[]>(
  kinds: readonly [...K],
  context: BenchContext,
): Promise<{ [I in keyof K]: Ended }> {
  await using stack = new AsyncDisposableStack();
  const running: Running[] = [];
  for (const kind of kinds) running.push(await begin(kind, context, stack));
  await Bun.sleep(SETTLE_MS);
  const before = await lookAt(running);
  await Bun.sleep(WINDOW_MS / 2);
  const half = await lookAt(running);
  await Bun.sleep(WINDOW_MS / 2);
  const after = await lookAt(running);
  for (const { restOfHour } of running) await restOfHour();
  await Bun.sleep(FLUSHED_MS);
  const ended: Ended[] = [];
  for (const [index, { kind, hub, stop }] of running.entries()) {
    const [first, middle, last] = [before[index], half[index], after[index]];
    if (!first || !middle || !last) throw new Error(`${kind.name} was not looked at`);
    const [mine, theirs] = [bytesWrittenBy(process.pid), bytesWrittenBy(hub.pid)];
    await stop();
    ended.push({
      name: kind.name,
      bytes: last.bytes - first.bytes,
      secondHalf: last.bytes - middle.bytes,
      closing: bytesWrittenBy(process.pid) - mine - theirs,
      sinceStart: last.bytes,
      recorded: last.recorded - first.recorded,
      dropped: last.dropped,
      reports: last.reports,
    });
  }
  return ended as { [I in keyof K]: Ended };
}

interface Running {
  kind: Kind;
  hub: PreparedHub;
  /** Reports at once what is left of an hour, so that closing shows what an hour's readings cost in the databases. */
  restOfHour: () => Promise<void>;
  stop: () => Promise<void>;
}

async function begin(kind: Kind, { binary, folder }: BenchContext, stack: AsyncDisposableStack): Promise<Running> {
  const home = prepareHome(join(folder, kind.name.replace(/\W/g, "-")), kind.toml);
  if (kind.plugins) writePluginConfig(home.folder);
  if (kind.rules) writeRules(home.folder, RULES[kind.rules]);
  await firstTime(await home.start(binary), kind);
  const hub = stack.use(await home.start(binary));
  const talk = kind.load && (await startTalking(hub, kind.load, stack));
  return {
    kind,
    hub,
    async restOfHour() {
      if (kind === CALM || kind === WAITING || kind === METERED) await talk?.restOfHour();
    },
    async stop() {
      talk?.quiet();
      await hub[Symbol.asyncDispose]();
    },
  };
}

/** What happens once in a home's life: it is laid out, and its devices are met. */
async function firstTime(hub: PreparedHub, { load, plugins, rules }: Kind): Promise<void> {
  await using _hub = hub;
  if (load) {
    using publisher = await openPublisher(hub.mqttPort);
    publisher.publish(
      Array.from({ length: load.devices }, (_, index) => load.message(index)),
      1,
    );
    while (publisher.acknowledged < load.devices) await Bun.sleep(10);
  }
  if (rules) {
    await hub.post("/timers", { id: "hall_timer" });
    await hub.post("/switches", { id: "hall_switch" });
  }
  if (plugins) await Bun.sleep(PLUGINS_MS);
}

const MOTION_ID = "hall_motion";
const ON_MOTION = `trigger: DeviceStateChanged(device_id: "${MOTION_ID}", attribute: "count")`;
const RULES: Record<NonNullable<Kind["rules"]>, Readonly<Record<string, string>>> = {
  timer: {
    motion: `${ON_MOTION},
    actions: [Timer(device_id: "hall_timer", command: "start", duration_secs: 2)],`,
    end: `trigger: DeviceStateChanged(device_id: "hall_timer", attribute: "state", to: "expired"),
    actions: [SetDeviceState(device_id: "hall_switch", state: (command: "toggle"))],`,
  },
  delay: {
    motion: `${ON_MOTION},
    actions: [
        SetDeviceState(device_id: "hall_switch", state: (command: "on")),
        Delay(duration_secs: 2),
        SetDeviceState(device_id: "hall_switch", state: (command: "off")),
    ],`,
  },
};

function writeRules(home: string, rules: Readonly<Record<string, string>>): void {
  mkdirSync(join(home, "rules"), { recursive: true });
  for (const [id, body] of Object.entries(rules))
    writeFileSync(join(home, "rules", `${id}.ron`), `(\n    id: "${id}",\n    name: "${id}",\n    ${body}\n)\n`);
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

interface Talk {
  restOfHour: () => Promise<void>;
  quiet: () => void;
}

const AT_ONCE = 100;

async function startTalking(hub: PreparedHub, load: Load, stack: AsyncDisposableStack): Promise<Talk> {
  const publisher = stack.use(await openPublisher(hub.mqttPort));
  let count = load.devices;
  const timer = setInterval(() => publisher.publish([load.message(count++)], 0), 1000 / load.perSecond);
  const quiet = (): void => clearInterval(timer);
  stack.defer(quiet);
  return {
    quiet,
    async restOfHour() {
      const minute = (WINDOW_MS + SETTLE_MS) / 1000;
      for (let left = Math.round((HOUR_SECS - minute) * load.perSecond); left > 0; left -= AT_ONCE) {
        publisher.publish(
          Array.from({ length: Math.min(left, AT_ONCE) }, () => load.message(count++)),
          0,
        );
        await Bun.sleep(20);
      }
    },
  };
}

/** Each device in its turn changes one attribute of four. */
function sensorMessage(count: number): Message {
  const temperature = 200 + Math.floor(count / BUSY.devices) / 10;
  const payload = `{"temperature":${temperature},"humidity":50,"battery_pct":97,"mode":"auto"}`;
  return { topic: `hub/devices/sensor_${count % BUSY.devices}/state`, payload };
}

function meterMessage(count: number): Message {
  const payload = `{"power_w":${300 + (count % 97)},"energy_kwh":${(4000 + count / 100).toFixed(2)}}`;
  return { topic: "hub/devices/meter/state", payload };
}

function sensorOrMotion(count: number): Message {
  return count % 11 === 10 ? motionMessage(count) : sensorMessage(count);
}

function motionMessage(count: number): Message {
  return { topic: `hub/devices/${MOTION_ID}/state`, payload: `{"count":${count}}` };
}

interface Look {
  bytes: number;
  recorded: number;
  dropped: number;
  reports: boolean;
}

interface Status {
  disk: { sparing: boolean };
  history: { samples_recorded: number; samples_dropped: number };
}

async function lookAt(running: readonly Running[]): Promise<Look[]> {
  return await Promise.all(
    running.map(async ({ hub }) => {
      const { disk, history } = await hub.get<Status>("/system/status");
      const alerts = await hub.get<{ kind: string; until: string | null }[]>("/system/alerts");
      return {
        bytes: bytesWrittenBy(hub.pid),
        recorded: history.samples_recorded,
        dropped: history.samples_dropped,
        reports: disk.sparing && alerts.some(({ kind, until }) => kind === "write_allowance" && until === null),
      };
    }),
  );
}

async function bytesOfAnInsert(folder: string): Promise<number> {
  const script = new URL("./twins/insert-each.ts", import.meta.url);
  const { writtenBytes } = await runMeasured(script, { path: join(folder, "states.db"), samples: TWIN_SAMPLES });
  return writtenBytes / TWIN_SAMPLES;
}
