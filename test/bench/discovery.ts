// Devices that announce themselves: how long the hub takes to take them in, whether it answers meanwhile, and what they cost.
//
// Taken in: 300 Zigbee devices in one retained message of about 1 MB, and 5,000 entities of Home Assistant's discovery in a
// message each; `/health` is asked every 5 ms meanwhile, and its slowest answer is the stall; the twin
// is the slowest of the same hub in as long a time before. Cost: CPU time for a state message
// of a device with twelve values, Zigbee's and one of twelve entities that each pick a key, beside that for the same object as a plain
// device's state; the twin is the plain device in the same hub. Memory: RSS after each has settled, for each described attribute. Disk:
// bytes written in a minute by 100 Zigbee devices that each report once a minute, as MB a day.
import { atMost, type Bench, type BenchContext, cost, type Row } from "./support/bench.ts";
import { watchHealth } from "./support/health-watch.ts";
import { type Message, openPublisher } from "./support/mqtt-publisher.ts";
import { type PreparedHub, prepareHome } from "./support/prepared-hub.ts";
import { countCpuNanos, rssMiB } from "./support/proc.ts";
import { bytesWrittenBy } from "./support/proc-io.ts";

const ZIGBEE = { devices: 300, exposes: 12 };
const ENTITIES = { devices: 500, each: 10 };
const STATES = { rounds: 4, messages: 4000 };
/** The hub looks each five seconds whether it is quiet, and gives memory back then: at the second look at the latest. */
const SETTLE_MS = 14_000;
const MINUTE_MS = 60_000;
const MINUTES_A_DAY = 1440;
const TOML = "\n[devices]\nmax_devices = 20000\n";

export const discovery: Bench = {
  name: "discovery",
  async run(context) {
    return [...(await takingIn(context)), ...(await stateCost(context)), ...(await written(context))];
  },
};

async function takingIn(context: BenchContext): Promise<Row[]> {
  const home = prepareHome(`${context.folder}/taking-in`, TOML, { mayAll: true });
  await using hub = await home.start(context.binary);
  using publisher = await openPublisher(hub.mqttPort);
  await Bun.sleep(SETTLE_MS);
  const before = rssMiB(hub.pid);
  const list = JSON.stringify(zigbeeDevices(ZIGBEE.devices));
  context.say(`${ZIGBEE.devices} Zigbee devices: ${(list.length / 1e6).toFixed(2)} MB`);
  const idle = await slowestAtRest(hub);
  const zigbee = await timed(hub, ZIGBEE.devices, () =>
    publisher.publish([{ topic: "zigbee2mqtt/bridge/devices", payload: list }], 1),
  );
  await Bun.sleep(SETTLE_MS);
  const between = rssMiB(hub.pid);
  const entities = await timed(hub, ZIGBEE.devices + ENTITIES.devices, () => publisher.publish(configs(), 1));
  await Bun.sleep(SETTLE_MS);
  const kibOf = (mib: number, attributes: number): number => (mib * 1024) / attributes;
  return [
    atMost(`ms, ${ZIGBEE.devices} Zigbee devices in one message`, zigbee.ms, undefined, 1000, "ms"),
    atMost("slowest /health meanwhile", zigbee.slowest, idle, 50, "ms"),
    atMost(`ms, ${ENTITIES.devices * ENTITIES.each} entities`, entities.ms, undefined, 5000, "ms"),
    atMost("slowest /health meanwhile (entities)", entities.slowest, idle, 50, "ms"),
    atMost(
      "KiB of RSS an attribute (Zigbee)",
      kibOf(between - before, ZIGBEE.devices * ZIGBEE.exposes),
      undefined,
      8,
      "KiB",
    ),
    atMost(
      "KiB of RSS an attribute (entities)",
      kibOf(rssMiB(hub.pid) - between, ENTITIES.devices * ENTITIES.each),
      undefined,
      8,
      "KiB",
    ),
  ];
}

async function slowestAtRest({ port }: PreparedHub): Promise<number> {
  using health = watchHealth({ port, everyMs: 5, withinMs: 5000 });
  await Bun.sleep(2000);
  return Math.max(...health.spans);
}

/** Until so many devices are there. */
async function timed(hub: PreparedHub, devices: number, work: () => void): Promise<{ ms: number; slowest: number }> {
  using health = watchHealth({ port: hub.port, everyMs: 5, withinMs: 5000 });
  const begun = performance.now();
  work();
  for (;;) {
    const { devices: there } = await hub.get<{ devices: number }>("/system/status");
    if (there >= devices) break;
    if (performance.now() - begun > 60_000) throw new Error(`${there} of ${devices} devices are there after a minute`);
    await Bun.sleep(10);
  }
  return { ms: performance.now() - begun, slowest: Math.max(...health.spans) };
}

async function stateCost(context: BenchContext): Promise<Row[]> {
  const home = prepareHome(`${context.folder}/cost`, TOML, { mayAll: true });
  await using hub = await home.start(context.binary);
  let acknowledged = (): void => {};
  using publisher = await openPublisher(hub.mqttPort, () => acknowledged());
  publisher.publish([{ topic: "zigbee2mqtt/bridge/devices", payload: JSON.stringify(zigbeeDevices(100)) }], 1);
  publisher.publish(configs(100, Object.keys(stateOf(0))), 1);
  await Bun.sleep(SETTLE_MS);
  const measured = { zigbee: [] as number[], entities: [] as number[], plain: [] as number[] };
  const topics = {
    zigbee: (index: number) => `zigbee2mqtt/lamp ${index % 100}`,
    entities: (index: number) => `bench/${index % 100}`,
    plain: (index: number) => `hub/devices/plain_${index % 100}/state`,
  };
  const kinds = ["zigbee", "entities", "plain"] as const;
  let sent = publisher.acknowledged;
  for (let round = -1; round < STATES.rounds; round++) {
    for (const kind of round % 2 === 0 ? kinds : kinds.toReversed()) {
      const messages = Array.from({ length: STATES.messages }, (_, index) => ({
        topic: topics[kind](index),
        payload: JSON.stringify(stateOf(index + round)),
      }));
      const nanos = countCpuNanos(hub.pid);
      sent += messages.length;
      const all = Promise.withResolvers<void>();
      acknowledged = () => publisher.acknowledged >= sent && all.resolve();
      publisher.publish(messages, 1);
      await all.promise;
      if (round >= 0) measured[kind].push(nanos() / 1000 / messages.length);
    }
  }
  const mean = (all: readonly number[]): number => all.reduce((sum, one) => sum + one, 0) / all.length;
  const plain = mean(measured.plain);
  return [
    cost("CPU µs, a state, Zigbee (twin: of a plain device)", mean(measured.zigbee), plain, 0.5),
    cost("CPU µs, a state, entities (twin: of a plain device)", mean(measured.entities), plain, 0.5),
  ];
}

async function written(context: BenchContext): Promise<Row[]> {
  const home = prepareHome(`${context.folder}/disk`, TOML, { mayAll: true });
  await using hub = await home.start(context.binary);
  using publisher = await openPublisher(hub.mqttPort);
  publisher.publish([{ topic: "zigbee2mqtt/bridge/devices", payload: JSON.stringify(zigbeeDevices(100)) }], 1);
  const report = (index: number): void =>
    publisher.publish([{ topic: `zigbee2mqtt/lamp ${index}`, payload: JSON.stringify(stateOf(index)) }], 1);
  for (let index = 0; index < 100; index++) report(index);
  await Bun.sleep(2 * SETTLE_MS);
  const before = bytesWrittenBy(hub.pid);
  for (let index = 0; index < 100; index++) {
    report(index + 100 * Math.round(Math.random() * 50));
    await Bun.sleep(MINUTE_MS / 100);
  }
  const perDay = ((bytesWrittenBy(hub.pid) - before) * MINUTES_A_DAY) / 1e6;
  return [atMost("MB/day, 100 Zigbee devices once a minute", perDay, undefined, 500, "MB")];
}

function zigbeeDevices(count: number): object[] {
  return Array.from({ length: count }, (_, index) => ({
    ieee_address: `0x${(0x1000 + index).toString(16).padStart(16, "0")}`,
    type: "Router",
    friendly_name: `lamp ${index}`,
    description: "x".repeat(1500),
    definition: {
      ...{ model: "BENCH", vendor: "Maker", description: "A lamp of a benchmark", options: [] },
      exposes: Object.keys(stateOf(0)).map((property) => ({
        ...{ type: "numeric", name: property, property, access: 7, value_min: 0, value_max: 1_000_000 },
        ...{ label: property, description: "One of many values that a device has, as long as they are", unit: "W" },
        ...(property === "linkquality" && { category: "diagnostic" }),
      })),
    },
  }));
}

function stateOf(index: number): Record<string, number> {
  const values = Array.from({ length: ZIGBEE.exposes - 1 }, (_, at) => [`value_${at}`, at < 3 ? index : at]);
  return { ...Object.fromEntries(values), linkquality: index % 255 };
}

const KEYS = Array.from({ length: ENTITIES.each }, (_, at) => `value_${at}`);

function configs(devices = ENTITIES.devices, keys: readonly string[] = KEYS): Message[] {
  return Array.from({ length: devices * keys.length }, (_, index) => {
    const [device, key] = [Math.floor(index / keys.length), keys[index % keys.length] ?? ""];
    return {
      topic: `homeassistant/sensor/bench_${device}/${key}/config`,
      payload: JSON.stringify({
        ...{ name: key, uniq_id: `bench_${index}`, stat_t: `bench/${device}` },
        ...{ val_tpl: `{{ value_json.${key} }}`, unit_of_meas: "W", dev_cla: "power" },
        dev: { ids: [`bench_${device}`], name: `Bench ${device}`, mf: "Maker", mdl: "BENCH" },
      }),
    };
  });
}
