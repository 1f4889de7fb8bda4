// The outbox of a hub in simulated time, over the real network, until it is killed. Time stands still while a request is
// under way. It posts message after message, goes on as far as each line it reads says, and answers with how it is.
import { silentLog } from "../../../src/kit/lifecycle/log.ts";
import { createNotifier } from "../../../src/reach/notify/notifier.ts";
import { startOutbox } from "../../../src/reach/notify/outbox/outbox.ts";
import { openStateDb } from "../../../src/server/db/state-db.ts";
import { createVirtualClock } from "../../support/virtual-clock.ts";
import { rssMiB } from "./proc.ts";

export interface OutboxOrder {
  path: string;
  url: string;
  /** Simulated ms since the beginning, when this process starts. */
  from: number;
  /** The first that was not posted yet, and how many there are in all. */
  next: number;
  messages: number;
  everyMs: number;
}

/** `to`, in simulated ms; real haste where a message is to be sent as soon as the one before it is through. */
export interface OutboxProgress {
  at: number;
  next: number;
  waiting: number;
  rss: number;
}

const BEGIN = Date.UTC(2026, 0, 15);
const STEP_MS = 1000;
const order = JSON.parse(process.argv[2] ?? "") as OutboxOrder;
const clock = createVirtualClock(BEGIN + order.from);
const random = (bytes: number): Uint8Array => crypto.getRandomValues(new Uint8Array(bytes));
let underWay = 0;
let next = order.next;

async function counted(url: string, init: RequestInit): Promise<Response> {
  underWay++;
  try {
    const headers = { ...(init.headers as Record<string, string>), "x-simulated-ms": `${order.from + clock.mono()}` };
    return await fetch(url, { ...init, headers });
  } finally {
    underWay--;
  }
}

const bot = { type: "messaging_bot", bot_token: "123456:token-of-the-benchmark" };
using db = openStateDb(order.path, clock.now);
const notifier = createNotifier({
  section: {
    channels: [
      { ...bot, name: "chat", chat_id: "42", api_url: `${order.url}/chat` },
      { ...bot, name: "group", chat_id: "-100123", api_url: `${order.url}/group` },
      { name: "push", type: "push_app", api_key: "key", user_key: "user", api_url: `${order.url}/push` },
    ],
  },
  ...{ clock, log: silentLog, random, timezone: "UTC", resolve: (file) => file },
  fetch: counted as typeof fetch,
  house: { device: () => undefined, variable: () => undefined },
});
const houseTime = (at: number): string => new Date(at).toISOString().replace("T", " ");
await using outbox = startOutbox({
  ...{ db, notifier, clock, log: silentLog, random, houseTime, expireHours: 24 },
  emit: () => {},
});

/** Seven in ten to the chat, one to the group, two to the push service. */
const channelOf = (number: number): string => ["group", "push", "push"][number % 10] ?? "chat";

async function quiet(): Promise<void> {
  for (let calm = 0; calm < 3; calm++) {
    await new Promise((resolve) => setImmediate(resolve));
    while (underWay > 0) {
      await Bun.sleep(0);
      calm = 0;
    }
  }
}

async function goOn(to: number): Promise<void> {
  while (order.from + clock.mono() < to) {
    for (; next < order.messages && next * order.everyMs <= order.from + clock.mono(); next++) {
      const channel = channelOf(next);
      void outbox.enqueue(
        notifier.render({ channel, message: `message ${next} of the benchmark, as long as such are` }),
      );
    }
    await quiet();
    await clock.advance(Math.min(STEP_MS, to - order.from - clock.mono()));
  }
  await quiet();
}

function report(): void {
  const waiting = ["chat", "group", "push"].reduce((sum, name) => sum + outbox.waiting(name), 0);
  const progress: OutboxProgress = { at: order.from + clock.mono(), next, waiting, rss: rssMiB(process.pid) };
  process.stdout.write(`${JSON.stringify(progress)}\n`);
}

report();
for await (const line of console) {
  await goOn(Number(line));
  report();
}
