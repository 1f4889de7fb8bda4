// The stream to 200 WebSocket clients.
//
// The hub is driven through its broker: each MQTT state message becomes one event of about 400 bytes, which goes to 200
// readers. The twin is a bare `Bun.serve` that gets the very text of such an event as a line over TCP and publishes it
// to one topic: 200 deliveries for one cheap input on both sides. The readers are the same code, in this process.
// Compared are deliveries a second with a window of events under way, so that neither side idles or drops, and the
// server process's CPU time for one delivery (/proc/PID/stat). The hub's CPU includes reading MQTT, comparing and
// making the event, which the twin does not do. "Single" is one event at a time, as in a quiet house.
//
// "Mixed filters": 50 readers without a filter, 50 by type, 50 by device, 50 by both; all want every event.
// "1,000 device filters": 200 readers of everything and 1,000 more, each with another device's filter, while the events
// come from all 1,000 devices in turn; its twin is the same hub with the same load without those 1,000.
import { type Bench, type BenchContext, cost, type Row, rate } from "./support/bench.ts";
import { startTwin } from "./support/child.ts";
import { stateMessage } from "./support/device-message.ts";
import { startHub } from "./support/hub-under-test.ts";
import { type MqttPublisher, openPublisher } from "./support/mqtt-publisher.ts";
import { createPump, type Pump } from "./support/pump.ts";
import { interleave } from "./support/rounds.ts";
import { openReader } from "./support/stream-reader.ts";

const CLIENTS = 200;
const FILTERS = 1000;
const ROUNDS = { rounds: 5, ms: 1500 };
const STREAM = "/api/v1/events/stream";
const BURST = { window: 128, batch: 32 };
const SINGLE = { window: 1, batch: 1 };

export const fanOut: Bench = {
  name: "fan-out",
  async run(context) {
    await using stack = new AsyncDisposableStack();
    const hub = stack.use(await startHub(context));
    const token = await hub.login();
    const publisher = stack.use(await openPublisher(hub.mqttPort));
    const twin = stack.use(startTwin("publish-loop"));
    const [http, doorPort] = await twin.printed(/http port=(\d+)/, /door port=(\d+)/);
    const door = await Bun.connect({ hostname: "127.0.0.1", port: Number(doorPort), socket: { data() {} } });
    stack.defer(() => door.terminate());
    const event = await sampleEvent(publisher, hub.port, token);
    context.say(`one event is ${event.length} bytes`);
    const twinSend = (_first: number, count: number): void => void door.write(`${event}\n`.repeat(count));
    const hubSend = (first: number, count: number): void => publisher.publish(range(first, count, "hall_lamp"), 0);

    const rows: Row[] = [];
    for (const [name, paths, load] of [
      ["no filters", [""], BURST],
      ["mixed filters", ["", "?type=device_state_changed", "?device_id=hall_lamp", BOTH], BURST],
      ["no filters, single", [""], SINGLE],
    ] as const) {
      await using readers = new AsyncDisposableStack();
      const hubPump = createPump({ perEvent: CLIENTS, ...load, send: hubSend });
      const twinPump = createPump({ perEvent: CLIENTS, ...load, send: twinSend });
      const pathOf = (index: number): string => STREAM + (paths[index % paths.length] ?? "");
      await open(readers, CLIENTS, hubPump, (index) => ({ port: hub.port, path: pathOf(index), token }));
      await open(readers, CLIENTS, twinPump, () => ({ port: Number(http), path: "/" }));
      const sides = { hub: { pid: hub.pid, pump: hubPump }, twin: { pid: twin.pid, pump: twinPump } };
      const { hub: h, twin: t } = await interleave(sides, ROUNDS);
      context.say(`${name}: server CPU hub ${h.cpuPercent.toFixed(0)} %, twin ${t.cpuPercent.toFixed(0)} % of a core`);
      rows.push(rate(`deliveries/s, ${name}`, h.perSecond, t.perSecond, 0.8));
      rows.push(cost(`CPU µs/delivery, ${name}`, h.cpuMicros, t.cpuMicros));
    }
    return [...rows, ...(await manyFilters(context, publisher, hub, token))];
  },
};

const BOTH = "?type=device_state_changed&device_id=hall_lamp";

async function manyFilters(
  { say }: BenchContext,
  publisher: MqttPublisher,
  { pid, port }: { pid: number; port: number },
  token: string,
): Promise<Row[]> {
  await using stack = new AsyncDisposableStack();
  const send = (first: number, count: number): void => publisher.publish(devices(first, count), 0);
  const none = createPump({ perEvent: CLIENTS, ...BURST, send });
  let active: Pump = none;
  const relay = { delivered: () => active.delivered() };
  await open(stack, CLIENTS, relay, () => ({ port, path: STREAM, token }));
  // The 1,000 come and go between the rounds; what they themselves get is counted as well.
  const many = createPump({ perEvent: CLIENTS + 1, ...BURST, send });
  const filtered: Pump = {
    delivered: many.delivered,
    async run(ms) {
      await using extra = new AsyncDisposableStack();
      await open(extra, FILTERS, many, (index) => ({ port, path: `${STREAM}?device_id=lamp_${index}`, token }));
      active = many;
      const round = await many.run(ms);
      active = none;
      return round;
    },
  };
  const sides = { none: { pid, pump: none }, filtered: { pid, pump: filtered } };
  const { none: n, filtered: f } = await interleave(sides, ROUNDS);
  say(`1,000 filters: server CPU with ${f.cpuPercent.toFixed(0)} %, without ${n.cpuPercent.toFixed(0)} % of a core`);
  return [
    rate("deliveries/s, 1,000 device filters (twin: hub without them)", f.perSecond, n.perSecond, 0.95),
    cost("CPU µs/delivery, 1,000 device filters (twin: hub without them)", f.cpuMicros, n.cpuMicros),
  ];
}

async function open(
  stack: AsyncDisposableStack,
  count: number,
  pump: Pick<Pump, "delivered">,
  target: (index: number) => { port: number; path: string; token?: string },
): Promise<void> {
  const readers = await Promise.all(
    Array.from({ length: count }, (_, index) => openReader({ ...target(index), onFrame: pump.delivered })),
  );
  for (const reader of readers) stack.use(reader);
}

async function sampleEvent(publisher: MqttPublisher, port: number, token: string): Promise<string> {
  const { promise, resolve } = Promise.withResolvers<string>();
  let seen = 0;
  // The second: the first has no state before it.
  const onText = (text: Buffer): void => void (++seen === 2 && resolve(text.toString()));
  using _reader = await openReader({ port, path: `${STREAM}?device_id=hall_lamp`, token, onText });
  publisher.publish(range(0, 2, "hall_lamp"), 0);
  return await promise;
}

function range(first: number, count: number, deviceId: string) {
  return Array.from({ length: count }, (_, index) => stateMessage(deviceId, first + index + 2));
}

function devices(first: number, count: number) {
  return Array.from({ length: count }, (_, index) => stateMessage(`lamp_${(first + index) % FILTERS}`, first + index));
}
