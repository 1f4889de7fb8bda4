// From an MQTT state message to its event on a WebSocket: one plugin-like publisher, one reader.
//
// Rate: so many messages are kept under way for 12 s in rounds; every event must arrive (a lost one breaks the benchmark),
// and with QoS 1 every message must be acknowledged. Latency: 500 messages a second, one at a time, from write to read.
// The twin is bare aedes that publishes each payload as it is through `Bun.serve`, in one process: no accounts, rights,
// parsing, comparing or event. The target is held against both; the hub's share of it that is no broker (state, event, history)
// is most of what is left.
import { type Bench, cost, type Row, rate } from "./support/bench.ts";
import { startTwin } from "./support/child.ts";
import { numberIn, stateMessage } from "./support/device-message.ts";
import { startHub } from "./support/hub-under-test.ts";
import { openPublisher } from "./support/mqtt-publisher.ts";
import { createPump, type Pump } from "./support/pump.ts";
import { interleave } from "./support/rounds.ts";
import { percentile } from "./support/stats.ts";
import { openReader } from "./support/stream-reader.ts";

export const RATE_ROUNDS = { rounds: 3, ms: 4000 };
const BRIEF_ROUNDS = { rounds: 3, ms: 2500, warmUp: 2 };
export const LOAD = { perEvent: 1, window: 256, batch: 32 };
export const LATENCY = { rounds: 4, messages: 1000, everyMs: 2 };
export const LEAST_RATIO = 0.6;
export const STREAM = "/api/v1/events/stream";

export interface Door {
  pid: number;
  http: { port: number; path: string; token?: string };
  mqttPort: number;
}

export const mqttToSocket: Bench = {
  name: "mqtt-to-socket",
  async run(context) {
    await using stack = new AsyncDisposableStack();
    const hub = stack.use(await startHub(context));
    const token = await hub.login();
    const twin = stack.use(startTwin("aedes-publish"));
    const [http, mqttPort] = await twin.printed(/http port=(\d+)/, /mqtt port=(\d+)/);
    const doors = {
      hub: { pid: hub.pid, http: { port: hub.port, path: STREAM, token }, mqttPort: hub.mqttPort },
      twin: { pid: twin.pid, http: { port: Number(http), path: "/" }, mqttPort: Number(mqttPort) },
    };
    const rows: Row[] = [];
    for (const qos of [0, 1] as const) {
      await using sides = new AsyncDisposableStack();
      const of = async (door: Door) => ({ pid: door.pid, pump: await openPump(sides, door, qos) });
      const { hub: h, twin: t } = await interleave(
        { hub: await of(doors.hub), twin: await of(doors.twin) },
        context.brief ? BRIEF_ROUNDS : RATE_ROUNDS,
      );
      context.say(
        `QoS ${qos}: server CPU hub ${h.cpuPercent.toFixed(0)} %, twin ${t.cpuPercent.toFixed(0)} % of a core`,
      );
      rows.push(rate(`messages/s without loss, QoS ${qos}`, h.perSecond, t.perSecond, LEAST_RATIO));
      rows.push(cost(`CPU µs/message, QoS ${qos}`, h.cpuMicros, t.cpuMicros));
    }
    if (context.brief) return rows;
    const spans = { hub: [] as number[], twin: [] as number[] };
    for (let round = 0; round < LATENCY.rounds; round++) {
      for (const side of ["hub", "twin"] as const) spans[side].push(...(await latencies(doors[side])));
    }
    for (const percent of [50, 99]) {
      rows.push(cost(`ms at 500/s, p${percent}`, percentile(spans.hub, percent), percentile(spans.twin, percent)));
    }
    return rows;
  },
};

/** A pump whose round ends when every event is there and every message acknowledged. */
export async function openPump(stack: AsyncDisposableStack, { http, mqttPort }: Door, qos: 0 | 1): Promise<Pump> {
  const publisher = stack.use(await openPublisher(mqttPort));
  const send = (first: number, count: number): void =>
    publisher.publish(
      Array.from({ length: count }, (_, index) => stateMessage("bench_lamp", first + index + qos)),
      qos,
    );
  const pump = createPump({ ...LOAD, send });
  stack.use(await openReader({ ...http, onFrame: pump.delivered }));
  let sent = 0;
  return {
    delivered: pump.delivered,
    async run(ms) {
      const round = await pump.run(ms);
      sent += round.events;
      const until = performance.now() + 5000;
      while (qos === 1 && publisher.acknowledged < sent && performance.now() < until) await Bun.sleep(1);
      if (qos === 1 && publisher.acknowledged !== sent) throw new Error(`${publisher.acknowledged} of ${sent} PUBACKs`);
      return round;
    },
  };
}

export async function latencies({ http, mqttPort }: Door): Promise<number[]> {
  using publisher = await openPublisher(mqttPort);
  const sentAt: number[] = [];
  const spans: number[] = [];
  const onText = (text: Buffer): void => {
    const at = sentAt[numberIn(text)];
    if (at !== undefined) spans.push(performance.now() - at);
  };
  using _reader = await openReader({ ...http, onText });
  const begun = performance.now();
  for (let number = 0; number < LATENCY.messages; number++) {
    const wait = begun + number * LATENCY.everyMs - performance.now();
    if (wait > 0) await Bun.sleep(wait);
    sentAt[number] = performance.now();
    publisher.publish([stateMessage("bench_clock", number)], 0);
  }
  await Bun.sleep(200);
  if (spans.length < LATENCY.messages) throw new Error(`${spans.length} of ${LATENCY.messages} messages arrived`);
  // The first tenth warms up.
  return spans.slice(LATENCY.messages / 10);
}
