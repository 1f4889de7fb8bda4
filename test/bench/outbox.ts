// What becomes of notifications while the network is down. First 10,000 of them over a simulated outage of six hours, to a
// chat (one a second), a group (twenty a minute) and a push service, with ten SIGKILLs: five while nothing gets through, five
// while the queue drains, each at a random simulated moment. The services are a real HTTP server, which is not there during
// the outage. Then an emergency that comes while 2,000 messages wait. Then a hundred SIGKILLs at random real moments while messages
// go out without a pause: there, what was under way has to be sent again. Last the compiled hub and a rule that notifies three channels of which one never answers.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { freePort } from "../support/free-port.ts";
import { atMost, type Bench, type BenchContext, holds, type Row } from "./support/bench.ts";
import { type Child, startChild } from "./support/child.ts";
import type { OutboxOrder, OutboxProgress } from "./support/outbox-process.ts";
import type { Took } from "./support/outbox-services.ts";
import { measureOvertaking } from "./support/overtaking.ts";
import { prepareHome } from "./support/prepared-hub.ts";
import { median } from "./support/stats.ts";
import { openReader } from "./support/stream-reader.ts";

const MESSAGES = 10_000;
const HOUR_MS = 3_600_000;
const OUTAGE_MS = 6 * HOUR_MS;
const EVERY_MS = OUTAGE_MS / MESSAGES;
// Seven thousand at one a second, and the pause before the first.
const DRAINED_MS = OUTAGE_MS + 3 * HOUR_MS;
const KILLS = 10;
const KILLS_AMID_SENDING = 100;
const OVERTAKEN = 2000;
const STRIDE_MS = 10 * 60_000;
const RUNS = 20;

export const outbox: Bench = {
  name: "outbox",
  async run(context) {
    return [
      ...(await outage(context)),
      ...(await overtaking(context)),
      ...(await killedAmidSending(context)),
      ...(await hangingChannel(context)),
    ];
  },
};

async function outage({ folder, say }: BenchContext): Promise<Row[]> {
  const port = freePort();
  const order = {
    path: join(folder, "outage.redb"),
    url: `http://127.0.0.1:${port}`,
    messages: MESSAGES,
    everyMs: EVERY_MS,
  };
  const kills = [...moments(KILLS / 2, 0, OUTAGE_MS), ...moments(KILLS / 2, OUTAGE_MS, DRAINED_MS - HOUR_MS)];
  const seen: OutboxProgress[] = [];
  await using stack = new AsyncDisposableStack();
  let services: Child | undefined;
  let process = stack.use(await startOutboxProcess({ ...order, from: 0, next: 0 }));
  for (let at = 0; at < DRAINED_MS; ) {
    const stops = [...kills, OUTAGE_MS, DRAINED_MS].filter((stop) => stop > at);
    at = Math.min(at + STRIDE_MS, ...stops);
    const progress = await process.goOn(at);
    seen.push(progress);
    if (kills.includes(at)) {
      await process.kill();
      say(`killed at ${(at / HOUR_MS).toFixed(2)} h with ${progress.waiting} waiting`);
      process = stack.use(await startOutboxProcess({ ...order, from: at, next: progress.next }));
    }
    if (at === OUTAGE_MS) {
      services = stack.use(startServices(port));
      await services.printed(/port=(\d+)/);
    }
  }
  const took = await tookBy(order.url);
  const fullest = seen.reduce((most, each) => (each.waiting > most.waiting ? each : most));
  const little = Math.max(...seen.filter(({ waiting }) => waiting <= MESSAGES / 10).map(({ rss }) => rss));
  const last = seen.at(-1);
  say(`${fullest.waiting} waited at most; ${last?.waiting} are left at ${DRAINED_MS / HOUR_MS} h`);
  return [
    shown("messages posted in the outage", MESSAGES),
    shown("of them waiting at its end", fullest.waiting),
    holds("all delivered", new Set(took.map(({ number }) => number)).size === MESSAGES && last?.waiting === 0),
    holds("in order, each channel", inOrder(took)),
    atMost("sent twice, ten SIGKILLs", doubled(took), undefined, 0, "messages"),
    atMost("in any second, chat", maxWithin(took, "chat", 1000), undefined, 1, "messages"),
    atMost("in any minute, group", maxWithin(took, "group", 60_000), undefined, 20, "messages"),
    shown("RSS MiB, up to 1,000 waiting", little),
    atMost("RSS MiB more with 10,000 waiting", fullest.rss - little, undefined, 16, "MiB"),
  ];
}

async function overtaking({ folder }: BenchContext): Promise<Row[]> {
  const { ms, waiting, first } = await measureOvertaking(join(folder, "overtaking.redb"), freePort(), OVERTAKEN);
  return [
    shown("messages that wait when an emergency comes", waiting),
    holds("the emergency arrives before them", first),
    atMost("ms from posting it to the service's answer", ms, undefined, 2000, "ms"),
  ];
}

async function killedAmidSending({ folder, say }: BenchContext): Promise<Row[]> {
  const messages = 9000;
  await using services = startServices(0);
  const [port] = await services.printed(/port=(\d+)/);
  const url = `http://127.0.0.1:${port}`;
  const order = { path: join(folder, "amid.redb"), messages, everyMs: 0 };
  {
    // All of them wait: nobody listens there.
    await using process = await startOutboxProcess({
      ...order,
      url: `http://127.0.0.1:${freePort()}`,
      from: 0,
      next: 0,
    });
    await process.goOn(1000);
  }
  // Limits are the sender's: as fast as the simulated time passes.
  for (let kill = 0; kill < KILLS_AMID_SENDING; kill++) {
    const process = await startOutboxProcess({ ...order, url, from: kill * HOUR_MS, next: messages });
    void process.goOn((kill + 1) * HOUR_MS).catch(() => {});
    await Bun.sleep(20 + Math.random() * 130);
    await process.kill();
  }
  {
    await using process = await startOutboxProcess({
      ...order,
      url,
      from: KILLS_AMID_SENDING * HOUR_MS,
      next: messages,
    });
    const { waiting } = await process.goOn((KILLS_AMID_SENDING + 6) * HOUR_MS);
    if (waiting > 0) throw new Error(`${waiting} messages are left`);
  }
  const took = await tookBy(url);
  say(`${doubled(took)} of ${messages} came twice: what was under way in the moment of a kill`);
  return [
    holds("killed while sending: all delivered", new Set(took.map(({ number }) => number)).size === messages),
    holds("killed while sending: in order, copies beside each other", inOrder(took)),
    atMost("killed while sending: sent twice", doubled(took), undefined, KILLS_AMID_SENDING * 3, "messages"),
  ];
}

async function hangingChannel({ binary, folder, say }: BenchContext): Promise<Row[]> {
  await using services = startServices(0);
  const [port] = await services.printed(/port=(\d+)/);
  const channel = (name: string): string =>
    `[[notify.channels]]\nname = "${name}"\ntype = "push_app"\napi_key = "key"\nuser_key = "user"\napi_url = "http://127.0.0.1:${port}/${name}"\n`;
  const home = prepareHome(join(folder, "hub"), `\n${["one", "hang", "two"].map(channel).join("\n")}`);
  mkdirSync(join(home.folder, "rules"), { recursive: true });
  writeFileSync(join(home.folder, "rules", "alarm.ron"), RULE);
  await using hub = await home.start(binary);
  const spans: number[] = [];
  let ended = (): void => {};
  using _reader = await openReader({
    port: hub.port,
    path: `/api/v1/events/stream?type=custom_after_all&token=${hub.token}`,
    onFrame: () => ended(),
  });
  for (let run = 0; run < RUNS; run++) {
    const done = new Promise<void>((resolve) => (ended = resolve));
    const begun = performance.now();
    const answer = await fetch(`http://127.0.0.1:${hub.port}/api/v1/webhooks/alarm?secret=${SECRET}`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ run }),
    });
    if (!answer.ok) throw new Error(`webhook: ${answer.status} ${await answer.text()}`);
    await done;
    spans.push(performance.now() - begun);
    await Bun.sleep(50);
  }
  const took = await tookBy(`http://127.0.0.1:${port}`);
  const waiting = await hub.get<{ channel: string }[]>("/notify/outbox");
  say(`${took.length} delivered by the other two, ${waiting.length} wait for the one that hangs`);
  return [
    atMost("rule over `all`, one hangs: ms from webhook to after it, worst", Math.max(...spans), undefined, 50, "ms"),
    shown("the same, median", median(spans)),
    holds("the other two channels delivered all", took.length === 2 * RUNS),
    holds("what hangs is kept", waiting.length === RUNS && waiting.every(({ channel: name }) => name === "hang")),
  ];
}

const SECRET = "a-secret-of-the-benchmark";
const RULE = `(
  id: "5f0c1f8e-0000-4000-8000-000000000001",
  name: "Alarm",
  enabled: true,
  priority: 0,
  cooldown_secs: 0,
  trigger: (type: "webhook_received", path: "alarm", secret: "${SECRET}"),
  conditions: [],
  actions: [
    (type: "notify", channel: "all", message: "message {{trigger.body.run}}"),
    (type: "fire_event", event_type: "after_all"),
  ],
)
`;

function startServices(port: number): Child {
  return startChild([process.execPath, new URL("./support/outbox-services.ts", import.meta.url).pathname, `${port}`]);
}

async function tookBy(url: string): Promise<Took[]> {
  return (await (await fetch(`${url}/took`)).json()) as Took[];
}

async function startOutboxProcess(order: OutboxOrder) {
  const script = new URL("./support/outbox-process.ts", import.meta.url).pathname;
  const child = Bun.spawn([process.execPath, script, JSON.stringify(order)], {
    stdin: "pipe",
    stdout: "pipe",
    stderr: "inherit",
  });
  const lines = linesOf(child.stdout);
  const read = async (): Promise<OutboxProgress> => {
    const { value, done } = await lines.next();
    if (done) throw new Error("the outbox's process has ended");
    return JSON.parse(value) as OutboxProgress;
  };
  await read();
  return {
    async goOn(to: number): Promise<OutboxProgress> {
      child.stdin.write(`${to}\n`);
      await child.stdin.flush();
      return read();
    },
    async kill(): Promise<void> {
      child.kill("SIGKILL");
      await child.exited;
    },
    async [Symbol.asyncDispose]() {
      child.kill("SIGKILL");
      await child.exited;
    },
  };
}

async function* linesOf(stream: ReadableStream<Uint8Array>): AsyncGenerator<string, undefined> {
  const decoder = new TextDecoder();
  let rest = "";
  for await (const chunk of stream) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split("\n");
    rest = lines.pop() ?? "";
    yield* lines;
  }
  return undefined;
}

/** Whole seconds: between two tries, as almost all moments are. */
function moments(count: number, from: number, to: number): number[] {
  return Array.from({ length: count }, () => Math.floor((from + Math.random() * (to - from)) / 1000) * 1000 + 500);
}

function byChannel(took: readonly Took[]): Took[][] {
  return [...Map.groupBy(took, ({ channel }) => channel).values()];
}

function inOrder(took: readonly Took[]): boolean {
  return byChannel(took).every((each) => each.every(({ number }, index) => number >= (each[index - 1]?.number ?? 0)));
}

function doubled(took: readonly Took[]): number {
  return took.length - new Set(took.map(({ number }) => number)).size;
}

/** Within any span of this length, by the sender's time. */
function maxWithin(took: readonly Took[], channel: string, spanMs: number): number {
  const times = took.filter((each) => each.channel === channel).map(({ when }) => when);
  let most = 0;
  for (let first = 0, last = 0; last < times.length; last++) {
    while ((times[last] ?? 0) - (times[first] ?? 0) >= spanMs) first++;
    most = Math.max(most, last - first + 1);
  }
  return most;
}

function shown(name: string, value: number): Row {
  return { name, hub: value, twin: undefined, ratio: undefined, target: undefined, met: undefined };
}
