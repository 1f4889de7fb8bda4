// The stream to 200 WebSocket clients.
//
// The hub is driven through its broker: each MQTT state message becomes one event of about 400 bytes for 200 readers. The
// twin is a bare `Bun.serve` that gets the text of such an event as a line over TCP and publishes it to one topic: one
// cheap input for 200 deliveries on both sides. The readers are the same code, in this process. Compared are deliveries a
// second, with so many events under way that neither side idles or drops, and the server process's CPU time for a
// delivery (/proc/PID/stat). The hub's CPU includes reading MQTT, comparing and making the event, which the twin does not
// do. The more events come at once, the fewer writes a socket needs, and the more that input weighs: so three loads are
// shown (1, 8 and 32 at once), and the target is held against each.
//
// "Mixed filters": 50 readers without a filter, 50 by type, 50 by device, 50 by both; all want every event.
// "1,000 filters": 1,000 more readers, each with another device's filter; the twin is the same hub under the same load
// without them. "Idle": their devices say nothing. "Hit": the events come from those devices in turn, one at a time.
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
/** Of what the bare twin delivers. */
const OF_BARE = 0.9;
// "Costing no more than none", within the noise of two busy cores.
const NO_MORE = 0.95;
const ROUNDS = { rounds: 5, ms: 1500, warmUp: 3 };
const BRIEF_ROUNDS = { rounds: 3, ms: 1000, warmUp: 2 };
const STREAM = "/api/v1/events/stream";
const LOADS = {
  single: { window: 1, batch: 1 },
  steady: { window: 32, batch: 8 },
  burst: { window: 128, batch: 32 },
};

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
      ["no filters, 8 at once", [""], LOADS.steady],
      ["mixed filters, 8 at once", ["", "?type=device_state_changed", "?device_id=hall_lamp", BOTH], LOADS.steady],
      ["no filters, 1 at once", [""], LOADS.single],
      ["no filters, 32 at once", [""], LOADS.burst],
    ] as const) {
      await using readers = new AsyncDisposableStack();
      const hubPump = createPump({ perEvent: CLIENTS, ...load, send: hubSend });
      const twinPump = createPump({ perEvent: CLIENTS, ...load, send: twinSend });
      const pathOf = (index: number): string => STREAM + (paths[index % paths.length] ?? "");
      await open(readers, CLIENTS, hubPump, (index) => ({ port: hub.port, path: pathOf(index), token }));
      await open(readers, CLIENTS, twinPump, () => ({ port: Number(http), path: "/" }));
      const sides = { hub: { pid: hub.pid, pump: hubPump }, twin: { pid: twin.pid, pump: twinPump } };
      const { hub: h, twin: t } = await interleave(sides, roundsOf(context));
      context.say(`${name}: server CPU hub ${h.cpuPercent.toFixed(0)} %, twin ${t.cpuPercent.toFixed(0)} % of a core`);
      rows.push(rate(`deliveries/s, ${name}`, h.perSecond, t.perSecond, OF_BARE));
      rows.push(cost(`CPU µs/delivery, ${name}`, h.cpuMicros, t.cpuMicros));
    }
    return [...rows, ...(await manyFilters(context, publisher, hub, token))];
  },
};

const BOTH = "?type=device_state_changed&device_id=hall_lamp";

const roundsOf = ({ brief }: BenchContext) => (brief ? BRIEF_ROUNDS : ROUNDS);

async function manyFilters(
  context: BenchContext,
  publisher: MqttPublisher,
  { pid, port }: { pid: number; port: number },
  token: string,
): Promise<Row[]> {
  const rows: Row[] = [];
  for (const [name, device, load, extra] of [
    ["1,000 filters idle, 8 at once", "lamp", LOADS.steady, 0],
    ["1,000 filters hit, 1 at once", "wanted", LOADS.single, 1],
  ] as const) {
    await using stack = new AsyncDisposableStack();
    // Counted for both: a state that is already held causes no event.
    let next = 0;
    const send = (_first: number, count: number): void => {
      publisher.publish(devices(device, next, count), 0);
      next += count;
    };
    const none = createPump({ perEvent: CLIENTS, ...load, send });
    const many = createPump({ perEvent: CLIENTS + extra, ...load, send });
    let active: Pump = none;
    await open(stack, CLIENTS, { delivered: () => active.delivered() }, () => ({ port, path: STREAM, token }));
    const prepare = async (): Promise<AsyncDisposable> => {
      const readers = new AsyncDisposableStack();
      await open(readers, FILTERS, many, (index) => ({ port, path: `${STREAM}?device_id=wanted_${index}`, token }));
      active = many;
      readers.defer(() => {
        active = none;
      });
      return readers;
    };
    const sides = { none: { pid, pump: none }, filtered: { pid, pump: many, prepare } };
    const { none: n, filtered: f } = await interleave(sides, roundsOf(context));
    context.say(
      `${name}: server CPU with ${f.cpuPercent.toFixed(0)} %, without ${n.cpuPercent.toFixed(0)} % of a core`,
    );
    rows.push(rate(`deliveries/s, ${name} (twin: without)`, f.perSecond, n.perSecond, NO_MORE));
    rows.push(cost(`CPU µs/delivery, ${name} (twin: without)`, f.cpuMicros, n.cpuMicros));
  }
  return rows;
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

function devices(name: string, first: number, count: number) {
  return Array.from({ length: count }, (_, index) =>
    stateMessage(`${name}_${(first + index) % FILTERS}`, first + index),
  );
}
