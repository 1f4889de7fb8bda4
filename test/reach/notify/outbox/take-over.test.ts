// Messages that waited on a hub that died, taken over by the one that is there now: each of them arrives, once.
import { describe, expect, test } from "bun:test";
import { copyFileSync, existsSync } from "node:fs";
import { silentLog } from "../../../../src/kit/lifecycle/log.ts";
import type { ChannelMessage } from "../../../../src/reach/notify/channel.ts";
import type { ChannelOutcome, Notifier } from "../../../../src/reach/notify/notifier.ts";
import { readLeftMessages } from "../../../../src/reach/notify/outbox/left-behind.ts";
import type { LeftMessage } from "../../../../src/reach/notify/outbox/left-message.ts";
import { startOutbox } from "../../../../src/reach/notify/outbox/outbox.ts";
import { openTestState } from "../../../support/state-db.ts";
import { createTemporaryFolder } from "../../../support/temporary-folder.ts";
import { createVirtualClock } from "../../../support/virtual-clock.ts";
import { bot, type OutboxRig, openOutboxRig, push } from "./rig.ts";

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const BOTH = [push("phone"), push("tablet")];

/** What waits in a hub that loses its power now. */
function leftBy(rig: Pick<OutboxRig, "db">): LeftMessage[] {
  using folder = createTemporaryFolder();
  const state = folder.at("state.redb");
  for (const suffix of ["", "-wal"])
    if (existsSync(rig.db.own.filename + suffix)) copyFileSync(rig.db.own.filename + suffix, state + suffix);
  return readLeftMessages(state, () => true, 100_000);
}

/** A hub whose services are down, which said these texts, one a second. */
async function leftOf(texts: readonly string[], channel = "phone"): Promise<LeftMessage[]> {
  await using gone = await openOutboxRig(BOTH);
  for (const name of ["phone", "tablet"]) gone.react(name, "down");
  for (const text of texts) {
    await gone.say(channel, text);
    await gone.clock.advance(SECOND);
  }
  return leftBy(gone);
}

/** The hub that took over, so much later. */
async function openHere(afterMs = HOUR, channels: unknown[] = BOTH): Promise<OutboxRig> {
  const here = await openOutboxRig(channels);
  await here.clock.advance(afterMs);
  return here;
}

const waitingIn = ({ outbox }: OutboxRig) => outbox.list().map(({ message }) => message);
const relayed = (rig: OutboxRig, text: string, priority?: number) => {
  const copies = rig.notifier.render({ channel: "all", message: text, ...(priority !== undefined && { priority }) });
  return copies.map((copy, position) => ({ ...copy, relay: { id: copy.message.id, position } }));
};

test("each arrives once, as it was posted, with its time and the mark that it is late", async () => {
  using folder = createTemporaryFolder();
  const clock = createVirtualClock();
  const sent: ChannelMessage[] = [];
  let result: ChannelOutcome["result"] = {
    ok: false,
    reason: "cut",
    fault: { transient: true, partsArrived: 2, settled: { reached: ["ann@example.org"], refused: [] } },
  };
  const notifier: Pick<Notifier, "list" | "deliver"> = {
    list: () => [{ name: "mail", kind: "email", enabled: true, limits: {} }] as ReturnType<Notifier["list"]>,
    async deliver({ channel, message }) {
      sent.push(message);
      return { channel, kind: "email", message, durationMs: 1, result };
    },
  };
  const open = (name: string) => {
    const db = openTestState(folder.at(name), clock.now);
    const shared = { db, notifier, clock, log: silentLog, random: (bytes: number) => new Uint8Array(bytes) };
    const houseTime = (at: number): string => new Date(at).toISOString().replace("T", " ").slice(0, 16);
    return { db, outbox: startOutbox({ ...shared, emit() {}, houseTime, expireHours: 24 }) };
  };
  const options = { priority: 1, tag: "door", actions: [{ id: "shut", label: "Shut it" }], rule: "night" };
  const texts = { title: "The door ✨", message: "open <since> nine", html: "<b>open</b> since nine" };
  const enqueued = { ...texts, ...options, id: "m-1", at: clock.now(), late: false };
  const gone = open("gone.redb");
  void gone.outbox.enqueue([{ channel: "mail", message: enqueued }]);
  await clock.advance(SECOND);
  for (let more = 0; more < 2; more++)
    void gone.outbox.enqueue([{ channel: "mail", message: { ...enqueued, id: "m-2" } }]);
  void gone.outbox.enqueue([{ channel: "mail", message: { ...enqueued, id: "m-3", message: "shut" } }]);
  // What counts is on disk after a while.
  await clock.advance(MINUTE);
  const rows = leftBy(gone);
  expect(rows).toHaveLength(3);
  await gone.outbox[Symbol.asyncDispose]();
  gone.db[Symbol.dispose]();
  const here = open("here.redb");
  result = { ok: true, delivery: { answer: "ok", parts: 1 } };
  sent.length = 0;
  expect(here.outbox.takeOver(rows)).toBe(3);
  await clock.advance(HOUR);
  const settled = { reached: ["ann@example.org"], refused: [] };
  const late = { ...enqueued, late: true };
  expect(sent.map(({ yieldsNow, ...message }) => message)).toEqual([
    { ...late, skipParts: 2, settled },
    { ...late, id: "m-2", repeats: "(2 times since 12:00)" },
    { ...late, id: "m-3", message: "shut" },
  ]);
  expect(here.outbox.list()).toEqual([]);
  await here.outbox[Symbol.asyncDispose]();
  here.db[Symbol.dispose]();
});

describe("order and age", () => {
  test("the older ones go before what waits here, also after a restart", async () => {
    const rows = await leftOf(["1", "2", "3"]);
    await using here = await openHere();
    here.react("phone", "down");
    await here.say("phone", "4");
    expect(here.outbox.takeOver(rows.toReversed())).toBe(3);
    expect(waitingIn(here)).toEqual(["1", "2", "3", "4"]);
    await here.say("phone", "5");
    await here.restart({ crash: true });
    expect(waitingIn(here)).toEqual(["1", "2", "3", "4", "5"]);
    here.react("phone", "ok");
    await here.clock.advance(15 * MINUTE);
    expect(here.texts("phone")).toEqual(["1", "2", "3", "4", "5"]);
    const ids = new Set(rows.map(({ message_id }) => message_id));
    expect(ids.size).toBe(3);
  });

  test("they take their places between those that wait here, and no id is used twice", async () => {
    await using gone = await openOutboxRig(BOTH);
    await using here = await openOutboxRig(BOTH);
    for (const rig of [gone, here]) rig.react("phone", "down");
    // In the same milliseconds.
    for (const number of [1, 2, 3]) {
      await here.say("phone", `here ${number}`);
      await gone.say("phone", `gone ${number}`);
      for (const rig of [gone, here]) await rig.clock.advance(SECOND);
    }
    await here.say("phone", "here 4");
    const rows = leftBy(gone);
    expect(here.outbox.takeOver(rows)).toBe(3);
    await here.say("phone", "here 5");
    const pairs = [1, 2, 3].flatMap((number) => [`here ${number}`, `gone ${number}`]);
    expect(waitingIn(here)).toEqual([...pairs, "here 4", "here 5"]);
    expect(new Set(here.outbox.list().map(({ id }) => id)).size).toBe(8);
    here.react("phone", "ok");
    await here.clock.advance(15 * MINUTE);
    expect(here.texts("phone")).toEqual([...pairs, "here 4", "here 5"]);
  });

  test("an emergency goes first, at once, and nobody waits for the pauses of the other machine", async () => {
    await using gone = await openOutboxRig(BOTH);
    gone.react("phone", { status: 429, retryAfterSecs: 3600 });
    for (const priority of [0, 2])
      await gone.outbox.enqueue(gone.notifier.render({ channel: "phone", message: `priority ${priority}`, priority }));
    await gone.clock.advance(MINUTE);
    await using here = await openHere(2 * MINUTE);
    here.outbox.takeOver(leftBy(gone));
    await here.clock.advance(SECOND);
    expect(here.texts("phone")).toEqual(["priority 2", "priority 0"]);
  });

  test("a message that arrives says how long it waited, on both machines together", async () => {
    const rows = await leftOf(["1"]);
    await using here = await openHere(2 * HOUR);
    here.outbox.takeOver(rows);
    await here.clock.advance(SECOND);
    expect(here.ends()).toMatchObject([{ type: "notification_delivered_late", waited_secs: 7200 }]);
    expect(here.arrived[0]?.timestamp).toBe(Number(rows[0]?.at));
  });

  test("what expired meanwhile is not sent, and that is reported once", async () => {
    const rows = await leftOf(["1", "2"]);
    await using here = await openHere(24 * HOUR + SECOND);
    expect(here.outbox.takeOver(rows)).toBe(0);
    expect(here.outbox.takeOver(rows)).toBe(0);
    await here.clock.advance(MINUTE);
    expect(here.tried).toEqual([]);
    const reported = { type: "notification_given_up", reason: "expired" };
    expect(here.ends()).toMatchObject([
      { ...reported, at: "2026-01-15T12:00:00Z" },
      { ...reported, at: "2026-01-15T12:00:01Z" },
    ]);
  });

  test("what is not delivered here either expires when it is that old, over restarts", async () => {
    const rows = await leftOf(["1"]);
    await using here = await openHere(20 * HOUR);
    here.react("phone", "down");
    here.outbox.takeOver(rows);
    await here.clock.advance(3 * HOUR);
    await here.restart();
    await here.clock.advance(40 * MINUTE);
    expect(waitingIn(here)).toEqual(["1"]);
    // A restart loses the time since the last try.
    await here.clock.advance(40 * MINUTE);
    expect(waitingIn(here)).toEqual([]);
    expect(here.ends()).toMatchObject([{ type: "notification_given_up", reason: "expired" }]);
  });

  test("a message from the future, as the other machine's clock was wrong, is one of now", async () => {
    const rows = (await leftOf(["1"])).map((row) => ({ ...row, at: Number(row.at) + 240 * HOUR }));
    await using here = await openHere();
    here.react("phone", "down");
    expect(here.outbox.takeOver(rows)).toBe(1);
    await here.say("phone", "2");
    expect(waitingIn(here)).toEqual(["1", "2"]);
    await here.clock.advance(23 * HOUR);
    expect(waitingIn(here)).toEqual(["1", "2"]);
  });
});

describe("once", () => {
  test("what waits here already is not taken, however often it comes", async () => {
    const rows = await leftOf(["1", "2"]);
    await using here = await openHere();
    here.react("phone", "down");
    expect([1, 2].map(() => here.outbox.takeOver(rows))).toEqual([2, 0]);
    await here.restart({ crash: true });
    expect(here.outbox.takeOver([...rows, ...rows])).toBe(0);
    expect(waitingIn(here)).toEqual(["1", "2"]);
  });

  test("what arrived is not taken again for an hour, nor what comes twice in one call", async () => {
    const rows = await leftOf(["1", "2"]);
    await using here = await openHere();
    expect(here.outbox.takeOver([...rows, ...rows])).toBe(2);
    await here.clock.advance(59 * MINUTE);
    expect(here.outbox.takeOver(rows)).toBe(0);
    await here.clock.advance(SECOND);
    expect(here.texts("phone")).toEqual(["1", "2"]);
    // Nobody remembers for ever.
    await here.clock.advance(2 * MINUTE);
    expect(here.outbox.takeOver(rows)).toBe(2);
  });

  for (const page of [1, 2]) {
    test(`of copies of which one is to arrive, one arrives, ${page} in a page`, async () => {
      await using gone = await openOutboxRig(BOTH);
      for (const name of ["phone", "tablet"]) gone.react(name, "down");
      await gone.outbox.enqueue(relayed(gone, "1"));
      // Long enough for both channels to have been tried there.
      await gone.clock.advance(20 * MINUTE);
      const rows = leftBy(gone);
      expect(rows).toHaveLength(2);
      await using here = await openHere();
      for (let from = 0; from < rows.length; from += page) {
        here.outbox.takeOver(rows.slice(from, from + page));
        await here.clock.advance(SECOND);
      }
      await here.clock.advance(HOUR);
      expect(here.arrived.map(({ channel, text }) => [channel, text])).toEqual([["phone", "1"]]);
      expect(leftBy(here)).toEqual([]);
    });
  }

  test("a copy for another channel has its turn after a while here, also after a restart", async () => {
    await using gone = await openOutboxRig(BOTH);
    gone.react("phone", "down");
    await gone.outbox.enqueue(relayed(gone, "1", 1));
    const rows = leftBy(gone);
    await using here = await openHere();
    here.react("phone", "down");
    expect(here.outbox.takeOver(rows)).toBe(2);
    await here.clock.advance(20 * SECOND);
    await here.restart({ crash: true });
    await here.clock.advance(30 * SECOND);
    expect(here.tried.map(({ channel }) => channel)).not.toContain("tablet");
    await here.clock.advance(30 * SECOND);
    expect(here.texts("tablet")).toEqual(["1"]);
    here.react("phone", "ok");
    await here.clock.advance(HOUR);
    expect(here.texts("phone")).toEqual([]);
  });

  test("it goes at once where the first channel is not here, or refuses it", async () => {
    await using gone = await openOutboxRig(BOTH);
    gone.react("phone", "down");
    await gone.outbox.enqueue(relayed(gone, "1"));
    const rows = leftBy(gone);
    await using without = await openHere(HOUR, [push("tablet")]);
    expect(without.outbox.takeOver(rows)).toBe(1);
    await using refusing = await openHere();
    refusing.react("phone", { status: 400 });
    expect(refusing.outbox.takeOver(rows)).toBe(2);
    for (const here of [without, refusing]) {
      await here.clock.advance(SECOND);
      expect(here.texts("tablet")).toEqual(["1"]);
    }
  });
});

test("what is here is on disk, and sent after a kill", async () => {
  const rows = await leftOf(["1", "2"]);
  await using here = await openHere();
  here.react("phone", "hang");
  here.outbox.takeOver(rows);
  expect(leftBy(here).map(({ message }) => message)).toEqual(["1", "2"]);
  await here.restart({ crash: true });
  here.react("phone", "ok");
  await here.clock.advance(MINUTE);
  expect(here.texts("phone")).toEqual(["1", "2"]);
  const waited = here.ends().map((event) => (event.type === "notification_delivered_late" ? event.waited_secs : 0));
  expect(waited.map((secs) => Math.floor(secs / 60))).toEqual([60, 60]);
});

test("where the disk refuses, none is taken, and all are when they come again", async () => {
  const rows = await leftOf(["1", "2"]);
  await using here = await openHere();
  here.db.durable.run("PRAGMA query_only = ON");
  expect(() => here.outbox.takeOver(rows)).toThrow(expect.objectContaining({ code: "storage" }));
  await here.clock.advance(MINUTE);
  expect(here.tried).toEqual([]);
  here.db.durable.run("PRAGMA query_only = OFF");
  expect(here.outbox.takeOver(rows)).toBe(2);
  await here.clock.advance(MINUTE);
  expect(here.texts("phone")).toEqual(["1", "2"]);
});

test("those of a channel that is not configured are left out, in one line of the log", async () => {
  const rows = await leftOf(["1", "2"], "all");
  await using here = await openHere(HOUR, [push("tablet")]);
  expect(here.outbox.takeOver(rows)).toBe(2);
  await here.clock.advance(MINUTE);
  expect(here.texts("tablet")).toEqual(["1", "2"]);
  expect(here.logged.filter((line) => line.includes("left out"))).toEqual([
    expect.stringContaining('"of_unknown_channels":2,"channels":["phone"]'),
  ]);
});

test("a disabled channel keeps them until it works", async () => {
  const rows = await leftOf(["1"]);
  await using here = await openHere(HOUR, [{ ...push("phone"), priority: 9 }]);
  expect(here.outbox.takeOver(rows)).toBe(1);
  expect(here.outbox.list()).toMatchObject([{ message: "1", state: "blocked" }]);
  await here.restart({ channels: [push("phone")] });
  await here.clock.advance(10 * SECOND);
  expect(here.texts("phone")).toEqual(["1"]);
});

test("rows that are none are left out, in one line of the log, and keep no other back", async () => {
  const [row = {}, last = {}] = await leftOf(["1", "2"]);
  const wrong: LeftMessage[] = [
    {},
    { ...row, channel: 5 },
    { ...row, channel: "" },
    { ...row, message_id: null },
    { ...row, message_id: "x".repeat(2000) },
    { ...row, at: "yesterday" },
    { ...row, at: -1 },
    { ...row, at: 1e300 },
    { ...row, title: { text: "1" } },
    { ...row, message: null },
    { ...row, html: ["<b>1</b>"] },
    { ...row, message: "x".repeat(1_100_000) },
    { ...row, options: { priority: 2 } },
    { ...row, options: `{"tag":"${"x".repeat(70_000)}"}` },
    { ...row, settled: 7 },
    { ...row, relay: ["1", 0] },
  ];
  await using here = await openHere();
  const odd = { ...row, count: -3, parts: 1.5, kept_ms: "soon", tries: null, options: "no JSON", relay: '{"id":1}' };
  const { html, settled, ...older } = last;
  expect(here.outbox.takeOver([...wrong, odd, older])).toBe(2);
  expect(here.logged.filter((line) => line.includes("left out"))).toEqual([
    expect.stringContaining(`"unreadable":${wrong.length},"of_unknown_channels":0`),
  ]);
  await here.clock.advance(MINUTE);
  expect(here.texts("phone")).toEqual(["1", "2"]);
  expect(here.outbox.takeOver([])).toBe(0);
});

test("the quota counts for them too: the oldest are given up", async () => {
  const long = "x".repeat(100_000);
  const rows = await leftOf(Array.from({ length: 80 }, (_, number) => `gone ${number} ${long}`));
  await using here = await openHere();
  here.react("phone", "down");
  for (let number = 0; number < 100; number++) void here.say("phone", `here ${number} ${long}`);
  expect(here.outbox.takeOver(rows)).toBe(80);
  // 16 MiB, as in durable.test.ts.
  const kept = waitingIn(here).map((text) => text.split(" x")[0]);
  expect(kept).toHaveLength(167);
  expect(kept.slice(0, 2)).toEqual(["gone 13", "gone 14"]);
  expect(here.ends()[0]).toMatchObject({ type: "notification_given_up", reason: "no_room" });
  await here.restart({ crash: true });
  expect(waitingIn(here).map((text) => text.split(" x")[0])).toEqual(kept);
});

test("the limits of a service hold for them", async () => {
  await using gone = await openOutboxRig([bot("chat")]);
  gone.react("chat", "down");
  for (const text of ["1", "2", "3"]) await gone.say("chat", text);
  await using here = await openHere(HOUR, [bot("chat")]);
  here.outbox.takeOver(leftBy(gone));
  await here.clock.advance(10 * SECOND);
  const times = here.arrived.map(({ when }) => when);
  expect(times).toHaveLength(3);
  expect(times.slice(1).every((when, index) => when - (times[index] ?? 0) >= SECOND)).toBe(true);
});
