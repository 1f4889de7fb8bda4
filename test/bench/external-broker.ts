// The same load at a hub with its own broker and at one whose broker is mosquitto, on the same machine: from an MQTT state message
// to its event on a WebSocket. The "twin" is the embedded broker: what the way over another program costs. The two share the cores
// with mosquitto and the load. What another mosquitto passes to a reader that only counts is shown beside it: more than that no program
// can get there.

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { freePort } from "../support/free-port.ts";
import { type Door, LATENCY, LEAST_RATIO, LOAD, latencies, openPump, RATE_ROUNDS, STREAM } from "./mqtt-to-socket.ts";
import { atMost, type Bench, type Row, rate } from "./support/bench.ts";
import { startChild } from "./support/child.ts";
import { stateMessage } from "./support/device-message.ts";
import { type HubUnderTest, startHub } from "./support/hub-under-test.ts";
import { openListener } from "./support/mqtt-listener.ts";
import { openPublisher } from "./support/mqtt-publisher.ts";
import { createPump, type Pump } from "./support/pump.ts";
import { interleave } from "./support/rounds.ts";
import { percentile } from "./support/stats.ts";

const MAX_LATENCY = 2;

export const externalBroker: Bench = {
  name: "external-broker",
  async run(context) {
    if (!Bun.which("mosquitto")) {
      context.say("left out: there is no mosquitto on this machine");
      return [];
    }
    await using stack = new AsyncDisposableStack();
    const [own, other] = [join(context.folder, "own"), join(context.folder, "other")];
    for (const folder of [own, other]) mkdirSync(folder, { recursive: true });
    const { port: brokerPort } = startMosquitto(stack, context.folder);
    const alone = startMosquitto(stack, context.folder);
    const embedded = stack.use(await startHub({ ...context, folder: own }));
    const external = stack.use(await startHub({ ...context, folder: other, brokerPort }));
    const doorOf = async (hub: HubUnderTest): Promise<Door> => ({
      ...{ pid: hub.pid, mqttPort: hub.mqttPort },
      http: { port: hub.port, path: STREAM, token: await hub.login() },
    });
    const doors = { hub: await doorOf(external), twin: await doorOf(embedded) };
    const rows: Row[] = [];
    for (const qos of [0, 1] as const) {
      await using sides = new AsyncDisposableStack();
      const of = async (door: Door) => ({ pid: door.pid, pump: await openPump(sides, door, qos) });
      const bare = { pid: alone.pid, pump: await openBarePump(sides, alone.port, qos) };
      const { hub, twin, most } = await interleave(
        { hub: await of(doors.hub), twin: await of(doors.twin), most: bare },
        RATE_ROUNDS,
      );
      context.say(
        `QoS ${qos}: CPU hub ${hub.cpuPercent.toFixed(0)} %, embedded ${twin.cpuPercent.toFixed(0)} %, mosquitto ${most.cpuPercent.toFixed(0)} %`,
      );
      rows.push(rate(`messages/s, QoS ${qos}`, hub.perSecond, twin.perSecond, LEAST_RATIO));
      rows.push(rate(`messages/s, QoS ${qos}, of those to a bare reader`, hub.perSecond, most.perSecond));
    }
    const spans = { hub: [] as number[], twin: [] as number[] };
    for (let round = 0; round < LATENCY.rounds; round++) {
      for (const side of ["hub", "twin"] as const) spans[side].push(...(await latencies(doors[side])));
    }
    for (const percent of [50, 99]) {
      const [hub, twin] = [percentile(spans.hub, percent), percentile(spans.twin, percent)];
      rows.push(atMost(`ms at 500/s, p${percent}`, hub, twin, MAX_LATENCY * twin, "ms"));
    }
    return rows;
  },
};

interface Mosquitto {
  pid: number;
  port: number;
}

function startMosquitto(stack: AsyncDisposableStack, folder: string): Mosquitto {
  const port = freePort();
  const file = join(folder, `mosquitto-${port}.conf`);
  writeFileSync(
    file,
    `listener ${port} 127.0.0.1\nallow_anonymous true\npersistence false\nmax_queued_messages 0\nmax_inflight_messages 1000\nset_tcp_nodelay true\nlog_dest none\n`,
  );
  const { pid } = stack.use(startChild(["mosquitto", "-c", file]));
  return { pid, port };
}

/** What arrives is counted, and nothing else is done with it; it comes with QoS 0. */
async function openBarePump(stack: AsyncDisposableStack, port: number, qos: 0 | 1): Promise<Pump> {
  const publisher = stack.use(await openPublisher(port));
  const send = (first: number, count: number): void =>
    publisher.publish(
      Array.from({ length: count }, (_, index) => stateMessage("bench_lamp", first + index + qos)),
      qos,
    );
  const pump = createPump({ ...LOAD, send });
  stack.use(await openListener({ port, filter: "#", onMessage: pump.delivered }));
  return pump;
}
