// Full load with one reader that never reads: memory stays bounded, that reader is closed, nobody else misses an event.
//
// 50 readers check that the numbers of the events are without a gap, while one asks for the upgrade and then leaves its
// socket alone. The twin is another hub under the same load without that reader. Shown is how far RSS rose above its
// level before the load.
import { connect, type Socket } from "node:net";
import { atMost, type Bench, type BenchContext, holds, type Row } from "./support/bench.ts";
import { seqIn, stateMessage } from "./support/device-message.ts";
import { type HubUnderTest, startHub } from "./support/hub-under-test.ts";
import { openPublisher } from "./support/mqtt-publisher.ts";
import { rssMiB } from "./support/proc.ts";
import { createPump } from "./support/pump.ts";
import { openReader, upgradeRequest } from "./support/stream-reader.ts";

const CLIENTS = 50;
const LOAD_MS = 12_000;
const STREAM = "/api/v1/events/stream";
const MAY_COST_MIB = 16;

interface Outcome {
  growthMiB: number;
  gaps: number;
  eventsPerSecond: number;
  /** Seconds into the load; undefined while it was never closed. */
  slowClosedAfter: number | undefined;
}

export const slowReader: Bench = {
  name: "slow-reader",
  async run(context) {
    const twin = await underLoad({ ...context, folder: `${context.folder}/twin` }, false);
    const hub = await underLoad({ ...context, folder: `${context.folder}/hub` }, true);
    context.say(
      `the slow reader was closed after ${hub.slowClosedAfter?.toFixed(1)} s; ${Math.round(hub.eventsPerSecond)} events/s with it, ${Math.round(twin.eventsPerSecond)} without`,
    );
    const rows: Row[] = [
      atMost(
        "RSS growth under load, MiB",
        hub.growthMiB,
        twin.growthMiB,
        Math.round(twin.growthMiB + MAY_COST_MIB),
        "MiB",
      ),
      holds("the slow reader is closed", hub.slowClosedAfter !== undefined),
      holds("the others miss nothing", hub.gaps === 0 && twin.gaps === 0),
    ];
    return rows;
  },
};

async function underLoad(context: BenchContext, withSlow: boolean): Promise<Outcome> {
  await using stack = new AsyncDisposableStack();
  const hub = stack.use(await startHub(context));
  const token = await hub.login();
  const publisher = stack.use(await openPublisher(hub.mqttPort));
  const send = (first: number, count: number): void =>
    publisher.publish(
      Array.from({ length: count }, (_, index) => stateMessage("bench_lamp", first + index)),
      0,
    );
  const pump = createPump({ perEvent: CLIENTS, window: 64, batch: 16, send });
  let gaps = 0;
  for (let client = 0; client < CLIENTS; client++) {
    let last: number | undefined;
    const onText = (text: Buffer): void => {
      const seq = seqIn(text);
      if (last !== undefined && seq !== last + 1) gaps++;
      last = seq;
    };
    stack.use(await openReader({ port: hub.port, path: STREAM, token, onText, onFrame: pump.delivered }));
  }
  // Warm: what the load itself needs has been claimed before the slow one comes.
  await pump.run(3000);
  const before = rssMiB(hub.pid);
  let most = before;
  const watch = setInterval(() => {
    most = Math.max(most, rssMiB(hub.pid));
  }, 50);
  const begun = performance.now();
  const slow = withSlow ? await openSlow(hub, token) : undefined;
  if (slow) stack.defer(() => void slow.destroy());
  const closedAfter = slow ? watchClosed(hub, begun) : undefined;
  const round = await pump.run(LOAD_MS);
  clearInterval(watch);
  return {
    growthMiB: most - before,
    gaps,
    eventsPerSecond: (round.events / round.ms) * 1000,
    slowClosedAfter: closedAfter?.(),
  };
}

/** Asks for the upgrade and never reads. */
function openSlow({ port }: HubUnderTest, token: string): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: "127.0.0.1", port });
    socket.pause();
    socket.on("error", reject);
    socket.on("connect", () => {
      socket.write(upgradeRequest(port, STREAM, token));
      resolve(socket);
    });
  });
}

/** When the hub said in its log that a reader had to go. */
function watchClosed({ child }: HubUnderTest, begun: number): () => number | undefined {
  let at: number | undefined;
  const timer = setInterval(() => {
    if (!/cannot keep up and was closed|went away without closing/.test(child.output())) return;
    at ??= (performance.now() - begun) / 1000;
    clearInterval(timer);
  }, 50);
  return () => {
    clearInterval(timer);
    return at;
  };
}
