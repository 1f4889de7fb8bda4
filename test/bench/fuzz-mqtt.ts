// 200,000 odd MQTT packets at the compiled hub: valid ones of 3.1.1 and 5, mutated, cut, oversize, and noise, over some
// 35,000 connections of one account, two dozen at a time.
//
// Asserted: the hub stays up and /health answers all along, its memory stays bounded, and a well-behaved plugin beside it
// has every one of its states answered by a rule's command. Only by hand: bun run bench fuzz-mqtt [--seed N]
import { appendFileSync } from "node:fs";
import { join } from "node:path";
import { isTimeUp, tried } from "../support/campaign.ts";
import { createRandom } from "../support/random.ts";
import { openAnsweredLoad } from "./support/answered-load.ts";
import { atMost, type Bench, holds, type Row } from "./support/bench.ts";
import { watchHealth } from "./support/health-watch.ts";
import { createMqttFuzz } from "./support/mqtt-fuzz.ts";
import { rssMiB } from "./support/proc.ts";
import { makeDevices, prepareRuleHome } from "./support/rule-home.ts";
import { percentile } from "./support/stats.ts";

const PACKETS = 200_000;
const BRIEF_PACKETS = 20_000;
const AT_ONCE = 24;
const TIMEOUT_MS = 40;
const DEVICES = 10;
const NEIGHBOUR = { perSecond: 50, ms: 2000 };
const MAX_GROWTH_MIB = 256;
const HEALTH_CEILING_MS = 250;
// The asking shares its process with the fuzzer.
const WORST_CEILING_MS = 1000;
const GUEST = { username: "guest", password: "a password of the fuzzer" };

export const fuzzMqtt: Bench = {
  name: "fuzz-mqtt",
  async run(context) {
    const home = prepareRuleHome({ folder: context.folder, answering: DEVICES, others: 0 });
    appendFileSync(
      join(context.folder, "config", "hub.toml"),
      `\n[[mqtt.users]]\nusername = "${GUEST.username}"\npassword = "${GUEST.password}"\n`,
    );
    await using hub = await home.start(context.binary);
    await makeDevices(hub, DEVICES);
    using neighbour = await openAnsweredLoad(hub.mqttPort, DEVICES);
    using health = watchHealth({ port: hub.port, everyMs: 100, withinMs: 5000 });
    const conversation = createMqttFuzz(createRandom(context.seed), GUEST);
    const before = rssMiB(hub.pid);
    const count = { packets: 0, connections: 0, bytesBack: 0, refused: 0 };
    let most = before;
    const wanted = context.brief ? BRIEF_PACKETS : PACKETS;
    let isOver = false;

    async function talk(): Promise<void> {
      while (count.packets < wanted && !isTimeUp()) {
        const packets = conversation();
        const took = await sendAll(hub.mqttPort, packets);
        count.packets += took.sent;
        count.connections++;
        count.bytesBack += took.bytesBack;
        if (took.sent === 0) count.refused++;
        if (count.connections % 5000 === 0) {
          most = Math.max(most, rssMiB(hub.pid));
          context.say(
            `${count.packets} packets, ${count.connections} connections, RSS ${rssMiB(hub.pid).toFixed(0)} MiB`,
          );
        }
        if (count.refused > 1000) throw new Error("the broker lets nobody in any more");
      }
    }
    const spans: number[] = [];
    let lost: unknown;
    const beside = (async () => {
      while (!isOver && lost === undefined)
        await neighbour.run(NEIGHBOUR).then(
          (more) => void spans.push(...more),
          (error: unknown) => {
            lost = error;
          },
        );
    })();
    await Promise.all(Array.from({ length: AT_ONCE }, talk));
    isOver = true;
    await beside;
    if (lost !== undefined) context.say(`the neighbour: ${lost}`);
    const status = await hub.get<{ devices: number; problems: { part: string; message: string }[] }>("/system/status");
    for (const { part, message } of status.problems) context.say(`status: ${part}: ${message}`);
    most = Math.max(most, rssMiB(hub.pid));
    tried(`${count.packets} packets in ${count.connections} connections, ${spans.length} states of the neighbour`);
    return [
      shown("packets sent", count.packets),
      shown("connections", count.connections),
      shown("bytes the broker answered", count.bytesBack),
      shown("devices afterwards", status.devices),
      shown("states of the neighbour", spans.length),
      shown("state to command beside it, p99 ms", percentile(spans, 99)),
      holds("each was answered once", lost === undefined && spans.length > 0),
      atMost("/health p99, ms", percentile(health.spans, 99), undefined, HEALTH_CEILING_MS, "ms"),
      atMost("/health worst, ms", Math.max(...health.spans), undefined, WORST_CEILING_MS, "ms"),
      atMost("/health not answered", health.missed, undefined, 0, ""),
      atMost("RSS growth, MiB", most - before, undefined, MAX_GROWTH_MIB, "MiB"),
    ];
  },
};

function shown(name: string, hub: number): Row {
  return { name, hub, twin: undefined, ratio: undefined, target: undefined, met: undefined };
}

const PINGREQ = Buffer.from([0xc0, 0]);

/** Counts what was written before the broker closed; waits for what it makes of it, as long as it makes something. */
async function sendAll(port: number, packets: readonly Buffer[]): Promise<{ sent: number; bytesBack: number }> {
  let isClosed = false;
  let bytesBack = 0;
  let wake = (): void => {};
  const end = (): void => {
    isClosed = true;
    wake();
  };
  const socket = await Bun.connect({
    hostname: "127.0.0.1",
    port,
    socket: {
      data(_, chunk) {
        bytesBack += chunk.length;
        wake();
      },
      close: end,
      error: end,
    },
  }).catch(() => undefined);
  if (!socket) {
    await Bun.sleep(10);
    return { sent: 0, bytesBack };
  }
  const something = (): Promise<void> =>
    new Promise((resolve) => {
      const timer = setTimeout(resolve, TIMEOUT_MS);
      wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  let sent = 0;
  for (const packet of packets) {
    if (isClosed || socket.write(packet) < 0) break;
    sent++;
    // One after the other: what stands behind a broken packet in one segment would never be looked at.
    if (sent === 1) await something();
    else await new Promise((resolve) => setImmediate(resolve));
  }
  // What a connection that is torn down still holds is not read: only after this was answered is all of it.
  if (!isClosed && socket.write(PINGREQ) > 0) await something();
  socket.terminate();
  return { sent, bytesBack };
}
