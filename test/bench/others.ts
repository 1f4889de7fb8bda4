// The same work done by programs that people run today, where they are installed: mosquitto as a broker, and Node-RED with it as what
// decides. There is no target: each does more, or less, than the hub.
//
// Broker: a publisher and a subscriber, so many messages under way, none lost; mosquitto asks nobody for a password and does not look
// into messages, the hub asks for an account and its rights. Deciding: 100 devices report 500 states a second, each is answered by a
// command; the hub has a rule for each device, Node-RED one flow for all. CPU time and memory of Node-RED are those with its broker.
import { openAnsweredLoad } from "./support/answered-load.ts";
import { type Bench, type BenchContext, cost, type Row, rate } from "./support/bench.ts";
import { startHub } from "./support/hub-under-test.ts";
import { openListener } from "./support/mqtt-listener.ts";
import { openPublisher } from "./support/mqtt-publisher.ts";
import { mosquittoPath, nodeRedPath, startMosquitto, startNodeRed } from "./support/other-programs.ts";
import { cpuMs, memory } from "./support/proc.ts";
import { createPump, type Pump } from "./support/pump.ts";
import { interleave } from "./support/rounds.ts";
import { makeDevices, prepareRuleHome } from "./support/rule-home.ts";
import { median, percentile } from "./support/stats.ts";

const BROKER_ROUNDS = { rounds: 3, ms: 2000 };
const LOAD = { perEvent: 1, window: 256, batch: 32 };
const DEVICES = 100;
const PER_SECOND = 500;
const ROUNDS = 4;
const ROUND_MS = 2000;
const SETTLE_MS = 5000;

export const others: Bench = {
  name: "others",
  async run(context) {
    const [mosquitto, nodeRed] = [mosquittoPath(), nodeRedPath()];
    if (mosquitto === null) context.say("mosquitto is not installed: nothing to compare with");
    else if (nodeRed === null) context.say("Node-RED is not installed");
    return [
      ...(mosquitto === null ? [] : await asBroker(context, mosquitto)),
      ...(mosquitto === null || nodeRed === null ? [] : await deciding(context, mosquitto, nodeRed)),
    ];
  },
};

async function asBroker({ binary, folder, say }: BenchContext, program: string): Promise<Row[]> {
  await using stack = new AsyncDisposableStack();
  const hub = stack.use(await startHub({ binary, folder: `${folder}/broker-home`, mayAll: true }));
  const other = stack.use(await startMosquitto(program, `${folder}/broker`));
  const rows: Row[] = [];
  for (const qos of [0, 1] as const) {
    await using clients = new AsyncDisposableStack();
    const side = async (pid: number, port: number) => ({ pid, pump: await openPump(clients, port, qos) });
    const sides = { hub: await side(hub.pid, hub.mqttPort), other: await side(other.pid, other.port) };
    const { hub: h, other: o } = await interleave(sides, BROKER_ROUNDS);
    say(`QoS ${qos}: CPU hub ${h.cpuPercent.toFixed(0)} %, mosquitto ${o.cpuPercent.toFixed(0)} % of a core`);
    rows.push(rate(`messages/s, QoS ${qos} (mosquitto)`, h.perSecond, o.perSecond));
    rows.push(cost(`CPU µs/message, QoS ${qos} (mosquitto)`, h.cpuMicros, o.cpuMicros));
  }
  return rows;
}

/** A message under a topic that means nothing to the hub. */
async function openPump(stack: AsyncDisposableStack, port: number, qos: 0 | 1): Promise<Pump> {
  const publisher = stack.use(await openPublisher(port));
  const payload = "x".repeat(120);
  const messages = Array.from({ length: LOAD.batch }, () => ({ topic: `bench/messages/${qos}`, payload }));
  const pump = createPump({ ...LOAD, send: () => publisher.publish(messages, qos) });
  stack.use(await openListener({ port, filter: `bench/messages/${qos}`, onMessage: pump.delivered }));
  return pump;
}

async function deciding({ binary, folder }: BenchContext, broker: string, program: string): Promise<Row[]> {
  await using stack = new AsyncDisposableStack();
  const home = prepareRuleHome({ folder: `${folder}/home`, answering: DEVICES, others: 0 });
  const hub = stack.use(await home.start(binary));
  await makeDevices(hub, DEVICES);
  const mosquitto = stack.use(await startMosquitto(broker, `${folder}/mosquitto`));
  const nodeRed = stack.use(await startNodeRed(program, `${folder}/node-red`, mosquitto.port));
  await Bun.sleep(SETTLE_MS);
  const rss = (...pids: number[]): number => pids.reduce((sum, pid) => sum + memory(pid).rss, 0);
  const rows = [cost("RSS MiB at rest (Node-RED)", rss(hub.pid), rss(nodeRed.pid, mosquitto.pid))];
  const sides = {
    hub: { pids: [hub.pid], load: stack.use(await openAnsweredLoad(hub.mqttPort, DEVICES)) },
    other: { pids: [nodeRed.pid, mosquitto.pid], load: stack.use(await openAnsweredLoad(mosquitto.port, DEVICES)) },
  };
  const measured = { hub: [] as Answered[], other: [] as Answered[] };
  for (let round = -1; round < ROUNDS; round++) {
    for (const side of ["hub", "other"] as const) {
      const answered = await measure(sides[side]);
      if (round >= 0) measured[side].push(answered);
    }
  }
  const of = (side: "hub" | "other", value: (round: Answered) => number): number => median(measured[side].map(value));
  for (const percent of [50, 99]) {
    const at = ({ spans }: Answered): number => percentile(spans, percent);
    rows.push(cost(`ms from state to command, p${percent} (Node-RED)`, of("hub", at), of("other", at)));
  }
  const cpu = ({ cpuMicros }: Answered): number => cpuMicros;
  return [...rows, cost("CPU µs/state and command (Node-RED)", of("hub", cpu), of("other", cpu))];
}

interface Answered {
  spans: number[];
  cpuMicros: number;
}

async function measure({
  pids,
  load,
}: {
  pids: number[];
  load: Awaited<ReturnType<typeof openAnsweredLoad>>;
}): Promise<Answered> {
  const cpu = (): number => pids.reduce((sum, pid) => sum + cpuMs(pid), 0);
  const before = cpu();
  const spans = await load.run({ perSecond: PER_SECOND, ms: ROUND_MS });
  return { spans, cpuMicros: ((cpu() - before) * 1000) / spans.length };
}
