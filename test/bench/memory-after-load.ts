// What is left of a load: RSS and own memory of the idle hub, a minute after 100,000 MQTT messages from a hundred devices with
// somebody reading the events, and a minute after a login, a backup, the page's files and a query of the history.
//
// The twin is bare aedes that publishes each payload through `Bun.serve` (see `mqtt-to-socket`), under the same messages.
import { atMost, type Bench, cost, type Row } from "./support/bench.ts";
import { startTwin } from "./support/child.ts";
import { stateMessage } from "./support/device-message.ts";
import { type HubUnderTest, startHub } from "./support/hub-under-test.ts";
import { openPublisher } from "./support/mqtt-publisher.ts";
import { type Memory, memory } from "./support/proc.ts";
import { openReader } from "./support/stream-reader.ts";

const MESSAGES = 100_000;
const DEVICES = 100;
const BATCH = 100;
/** Longer than the hub takes to give back what only its start needed. */
const SETTLE_MS = 20_000;
const AFTER_MS = 60_000;
const LIMIT_MIB = 10;

interface Loaded {
  pid: number;
  mqttPort: number;
  http: { port: number; path: string; token?: string };
}

export const memoryAfterLoad: Bench = {
  name: "memory-after-load",
  async run({ binary, folder, brief, say }) {
    await using stack = new AsyncDisposableStack();
    const twin = stack.use(startTwin("aedes-publish"));
    const [http, mqttPort] = await twin.printed(/http port=(\d+)/, /mqtt port=(\d+)/);
    const hub = stack.use(await startHub({ binary, folder: `${folder}/home` }));
    const token = await hub.login();
    await Bun.sleep(SETTLE_MS);
    const rest = { hub: memory(hub.pid), twin: memory(twin.pid) };
    say(`at rest: hub ${described(rest.hub)}; twin ${described(rest.twin)}`);

    const stream = { port: hub.port, path: "/api/v1/events/stream", token };
    await load({ pid: hub.pid, mqttPort: hub.mqttPort, http: stream });
    await load({ pid: twin.pid, mqttPort: Number(mqttPort), http: { port: Number(http), path: "/" } });
    say(`after the last message: hub ${described(memory(hub.pid))}; twin ${described(memory(twin.pid))}`);
    await Bun.sleep(AFTER_MS);
    const after = { hub: memory(hub.pid), twin: memory(twin.pid) };
    const rows = rowsOf("a minute after 100,000 messages", rest.hub, after.hub, rest.twin, after.twin);

    if (brief) return rows;
    await useAll(hub, token);
    say(`after a login, a backup, the page and a query: hub ${described(memory(hub.pid))}`);
    await Bun.sleep(AFTER_MS);
    return [...rows, ...rowsOf("a minute after a login, a backup, the page and a query", rest.hub, memory(hub.pid))];
  },
};

/** Every message is acknowledged before so many more are under way. */
async function load({ mqttPort, http }: Loaded): Promise<void> {
  await using stack = new AsyncDisposableStack();
  let wake = (): void => {};
  const publisher = stack.use(await openPublisher(mqttPort, () => wake()));
  stack.use(await openReader({ ...http, onFrame: () => {} }));
  for (let sent = 0; sent < MESSAGES; sent += BATCH) {
    const batch = Array.from({ length: BATCH }, (_, index) =>
      stateMessage(`bench_${(sent + index) % DEVICES}`, sent + index),
    );
    publisher.publish(batch, 1);
    while (publisher.acknowledged < sent) {
      const { promise, resolve } = Promise.withResolvers<void>();
      wake = resolve;
      await promise;
    }
  }
  while (publisher.acknowledged < MESSAGES) await Bun.sleep(1);
}

async function useAll(hub: HubUnderTest, token: string): Promise<void> {
  const ask = async (path: string, init: RequestInit = {}): Promise<void> => {
    const headers = { authorization: `Bearer ${token}`, ...init.headers };
    const answer = await fetch(`http://127.0.0.1:${hub.port}${path}`, { ...init, headers });
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
    await answer.arrayBuffer();
  };
  await hub.login();
  for (const path of ["/", "/api/v1/devices", "/api/v1/events?limit=1000", "/api/v1/openapi.json"]) await ask(path);
  await ask(`/api/v1/devices/bench_1/history?limit=1000`);
  await ask("/api/v1/system/backup", { method: "POST" });
}

function rowsOf(when: string, rest: Memory, after: Memory, twinRest?: Memory, twinAfter?: Memory): Row[] {
  const twin = (pick: "rss" | "anonymous"): number | undefined =>
    twinRest && twinAfter && twinAfter[pick] - twinRest[pick];
  const own = after.anonymous - rest.anonymous;
  const twinOwn = twin("anonymous");
  return [
    atMost(`RSS MiB above rest, ${when}`, after.rss - rest.rss, twin("rss"), LIMIT_MIB, "MiB"),
    ...(twinOwn === undefined ? [] : [cost(`own MiB above rest, ${when}`, own, twinOwn)]),
  ];
}

const described = ({ rss, anonymous }: Memory): string => `RSS ${rss.toFixed(0)} MiB, own ${anonymous.toFixed(0)}`;
