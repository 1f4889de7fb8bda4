// An outbox with the real notifier and channels, a real database, a clock that the test moves, and a `fetch` that answers as the
// test says. Ending it, cleanly or not, and starting it again is one call.
import { type Log, silentLog } from "../../../../src/kit/lifecycle/log.ts";
import { sleep } from "../../../../src/kit/time/clock.ts";
import { type ChannelMemory, openChannelMemory } from "../../../../src/reach/notify/channel-memory.ts";
import { createNotifier, type Notifier } from "../../../../src/reach/notify/notifier.ts";
import { type FirstTry, type Outbox, startOutbox } from "../../../../src/reach/notify/outbox/outbox.ts";
import { createHouseTime } from "../../../../src/reach/notify/render.ts";
import type { StateDb } from "../../../../src/server/db/state-db.ts";
import type { HubEvent } from "../../../../src/server/events/catalog.ts";
import { openTestState } from "../../../support/state-db.ts";
import { createTemporaryFolder } from "../../../support/temporary-folder.ts";
import { createVirtualClock, type VirtualClock } from "../../../support/virtual-clock.ts";

/** What a service does with a message: accepts it, refuses it, hangs, or cannot be reached. */
export type Reaction = "ok" | "down" | "hang" | { afterMs: number } | { status: number; retryAfterSecs?: number };

export interface Arrival {
  channel: string;
  title: string;
  text: string;
  /** By the virtual clock, monotonic. */
  when: number;
  timestamp: number | undefined;
  /** Of Pushover. */
  priority?: string | undefined;
  /** The status the service answered with, if it did. */
  status?: number;
}

export interface OutboxRig extends AsyncDisposable {
  readonly clock: VirtualClock;
  outbox: Outbox;
  notifier: Notifier;
  db: StateDb;
  /** What services accepted, in order. */
  readonly arrived: Arrival[];
  /** Every request, accepted or not. */
  readonly tried: Arrival[];
  /** The highest number of simultaneous requests in one channel. */
  maxAtOnce: number;
  readonly events: HubEvent[];
  /** The events about messages that arrived late or will not arrive. */
  ends(): HubEvent[];
  readonly logged: string[];
  /** The texts a channel accepted. */
  texts(channel: string): string[];
  /** From now on. */
  react(channel: string, reaction: Reaction | ((text: string) => Reaction)): void;
  say(channel: string, message: string, title?: string): Promise<FirstTry[]>;
  restart(how?: { crash?: boolean; channels?: unknown[]; stepMs?: number }): Promise<void>;
}

/** A channel without limits. */
export const push = (name: string) => ({
  ...{ name, type: "push_app", api_key: "k".repeat(30), user_key: "u".repeat(30) },
  api_url: `http://${name}.test`,
});
/** Limited to one message a second; a group also to twenty a minute. */
export const bot = (name: string, chat_id = "42") => ({
  ...{ name, type: "messaging_bot", bot_token: "123456:secretsecretsecretsecret", chat_id },
  api_url: `http://${name}.test`,
});

export async function openOutboxRig(configured: unknown[] = [push("phone")], expireHours = 24): Promise<OutboxRig> {
  const folder = createTemporaryFolder();
  const clock = createVirtualClock();
  const reactions = new Map<string, (text: string) => Reaction>();
  const note = (message: string, fields: object = {}): void =>
    void rig.logged.push(`${message} ${JSON.stringify(fields)}`);
  const log: Log = { ...silentLog, info: note, warn: note, error: note, always: note, child: () => log };
  const random = (bytes: number): Uint8Array => crypto.getRandomValues(new Uint8Array(bytes));
  const houseTime = createHouseTime("Europe/Berlin");
  const underWay = new Map<string, number>();
  let channels = configured;
  let memory: ChannelMemory;

  async function answer(arrival: Arrival): Promise<Response> {
    const reaction = reactions.get(arrival.channel)?.(arrival.text) ?? "ok";
    if (reaction === "down") throw Object.assign(new Error("refused"), { code: "ConnectionRefused" });
    if (reaction === "hang") return new Promise<never>(() => {});
    if (typeof reaction === "object" && "status" in reaction) {
      arrival.status = reaction.status;
      return refusal(reaction);
    }
    if (reaction !== "ok") await sleep(clock, "service", reaction.afterMs);
    arrival.status = 200;
    rig.arrived.push(arrival);
    return Response.json({ ok: true, status: 1, result: { message_id: 1 }, request: "r" });
  }

  async function service(url: string | URL | Request, init?: RequestInit): Promise<Response> {
    const channel = new URL(String(url)).hostname.replace(/\.test$/, "");
    const arrival: Arrival = { channel, when: clock.mono(), ...readBody(String(init?.body)) };
    rig.tried.push(arrival);
    const now = (underWay.get(channel) ?? 0) + 1;
    underWay.set(channel, now);
    rig.maxAtOnce = Math.max(rig.maxAtOnce, now);
    try {
      // The service may continue after the request was aborted.
      return await Promise.race([answer(arrival), aborted(init?.signal)]);
    } finally {
      underWay.set(channel, (underWay.get(channel) ?? 1) - 1);
    }
  }

  function start(): void {
    rig.db = openTestState(folder.at("state.redb"), clock.now);
    memory = openChannelMemory({ db: rig.db, clock, log });
    rig.notifier = createNotifier({
      memory,
      section: { channels },
      ...{ clock, log, random, timezone: "Europe/Berlin", resolve: folder.at },
      fetch: service as typeof fetch,
      house: { device: () => undefined, variable: () => undefined },
    });
    const { db, notifier } = rig;
    const emit = (event: HubEvent): void => void rig.events.push(event);
    rig.outbox = startOutbox({ db, notifier, clock, log, random, emit, houseTime, expireHours });
  }

  const rig = {
    ...{ clock, arrived: [], tried: [], maxAtOnce: 0, events: [], logged: [] },
    ends: () => rig.events.filter(({ type }) => /^notification_(delivered_late|given_up)$/.test(type)),
    texts: (channel) => rig.arrived.filter((each) => each.channel === channel).map(({ text }) => text),
    react: (channel, reaction) =>
      void reactions.set(channel, typeof reaction === "function" ? reaction : () => reaction),
    say: (channel, message, title) => rig.outbox.enqueue(rig.notifier.render({ channel, message, title })),
    async restart({ crash = false, stepMs = 0, ...changed } = {}) {
      // After a crash nothing is written: the database is closed first.
      if (crash) rig.db[Symbol.dispose]();
      await close(rig);
      if (!crash) memory[Symbol.dispose]();
      if (!crash) rig.db[Symbol.dispose]();
      clock.step(stepMs);
      channels = changed.channels ?? channels;
      start();
    },
    async [Symbol.asyncDispose]() {
      await close(rig);
      memory[Symbol.dispose]();
      rig.db[Symbol.dispose]();
      folder[Symbol.dispose]();
    },
  } as Partial<OutboxRig> as OutboxRig;
  start();
  return rig;
}

async function close({ outbox, clock }: OutboxRig): Promise<void> {
  const closed = outbox[Symbol.asyncDispose]();
  // A message being sent gets some seconds to finish, and only `advance` moves the time.
  await clock.advance(10_000);
  await closed;
}

function readBody(body: string): Pick<Arrival, "title" | "text" | "timestamp" | "priority"> {
  if (body.startsWith("{")) {
    const { text } = JSON.parse(body) as { text: string };
    const [title = "", ...rest] = text.split("\n");
    return { title, text: rest.join("\n"), timestamp: undefined };
  }
  const form = new URLSearchParams(body);
  return {
    title: form.get("title") ?? "",
    text: form.get("message") ?? "",
    timestamp: Number(form.get("timestamp")) * 1000,
    priority: form.get("priority") ?? undefined,
  };
}

function aborted(signal: AbortSignal | null | undefined): Promise<never> {
  return new Promise((_, reject) => signal?.addEventListener("abort", () => reject(signal.reason), { once: true }));
}

function refusal({ status, retryAfterSecs }: { status: number; retryAfterSecs?: number }): Response {
  const parameters = retryAfterSecs === undefined ? {} : { parameters: { retry_after: retryAfterSecs } };
  return Response.json(
    { ok: false, status: 0, error_code: status, description: "no", errors: ["no"], ...parameters },
    { status },
  );
}
