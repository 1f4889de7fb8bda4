import { describe, expect, test } from "bun:test";
import { bot, openOutboxRig, push } from "./rig.ts";

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

describe("the first try", () => {
  test("delivers at once, and leaves nothing in the database", async () => {
    await using rig = await openOutboxRig();
    expect(await rig.say("phone", "hello")).toEqual([{ channel: "phone", state: "delivered" }]);
    expect(rig.texts("phone")).toEqual(["hello"]);
    expect(rig.outbox.list()).toEqual([]);
    expect(rig.db.durable.query("SELECT count(*) AS n FROM outbox").get()).toEqual({ n: 0 });
    expect(rig.ends()).toEqual([]);
    expect(new Set(rig.clock.pending())).toEqual(new Set(["write-behind"]));
  });

  test("comes after the message is on disk", async () => {
    await using rig = await openOutboxRig();
    let rows: unknown;
    rig.react("phone", () => {
      rows = rig.db.durable.query("SELECT message FROM outbox").all();
      return "ok";
    });
    await rig.say("phone", "hello");
    expect(rows).toEqual([{ message: "hello" }]);
  });

  test("that fails for a transient reason returns the hint, keeps the message, and logs a warning", async () => {
    await using rig = await openOutboxRig();
    rig.react("phone", "down");
    const [first] = await rig.say("phone", "hello");
    expect(first).toMatchObject({ state: "queued", hint: "No network, or a wrong api_url" });
    expect(first?.error).toContain("ConnectionRefused");
    expect(rig.outbox.list()).toMatchObject([
      { channel: "phone", title: "Hub Alert", message: "hello", tries: 1, count: 1 },
    ]);
    expect(rig.logged.filter((line) => line.startsWith("a channel does not take notifications"))).toHaveLength(1);
    rig.react("phone", "ok");
    await rig.clock.advance(8 * SECOND);
    expect(rig.texts("phone")).toEqual(["hello"]);
    expect(rig.outbox.list()).toEqual([]);
  });

  test("that fails for good does not keep the message, and is reported", async () => {
    await using rig = await openOutboxRig();
    rig.react("phone", { status: 401 });
    expect(await rig.say("phone", "hello")).toMatchObject([{ state: "failed" }]);
    await rig.clock.advance(HOUR);
    expect(rig.tried).toHaveLength(1);
    expect(rig.outbox.list()).toEqual([]);
    expect(rig.ends()).toMatchObject([
      { type: "notification_given_up", channel: "phone", reason: "refused", tries: 1, more: 0 },
    ]);
  });

  test("that hangs ends after ten seconds, and the message waits", async () => {
    await using rig = await openOutboxRig();
    rig.react("phone", "hang");
    const enqueued = rig.say("phone", "hello");
    await rig.clock.advance(10 * SECOND);
    expect(await enqueued).toMatchObject([
      { state: "queued", error: "the Pushover server did not answer in time (10 s)" },
    ]);
  });

  test("a disabled channel fails with its reason; `log` accepts everything and needs no disk", async () => {
    await using rig = await openOutboxRig([{ ...push("phone"), priority: 3 }]);
    expect(await rig.say("phone", "x")).toMatchObject([{ state: "failed", hint: "Run `hub check`" }]);
    expect(rig.ends()).toMatchObject([{ type: "notification_given_up", reason: "disabled" }]);
    expect(await rig.say("log", "x")).toEqual([{ channel: "log", state: "delivered" }]);
  });

  test("a message of a megabyte is refused, one of 100 kB is not", async () => {
    await using rig = await openOutboxRig();
    expect(await rig.say("phone", "x".repeat(1024 * 1024))).toMatchObject([{ state: "failed" }]);
    expect(await rig.say("phone", "x".repeat(100_000))).toMatchObject([{ state: "delivered" }]);
  });
});

describe("a waiting message", () => {
  test("is tried after growing pauses of 5 s to 10 min, and delivered in order when the service works again", async () => {
    await using rig = await openOutboxRig();
    rig.react("phone", "down");
    await rig.say("phone", "1");
    const [second] = await rig.say("phone", "2");
    expect(second).toMatchObject({ state: "queued", error: expect.stringContaining("ConnectionRefused") });
    await rig.say("phone", "3");
    await rig.clock.advance(6 * HOUR);
    const pauses = rig.tried.slice(1).map(({ when }, index) => when - (rig.tried[index]?.when ?? 0));
    expect(rig.tried.every(({ text }) => text === "1")).toBe(true);
    // At least 5 s, as Pushover asks for. The jitter is a quarter.
    expect(Math.min(...pauses)).toBeGreaterThanOrEqual(5 * SECOND);
    expect(pauses.slice(8).every((pause) => pause >= 7.5 * MINUTE && pause <= 12.5 * MINUTE)).toBe(true);
    expect(pauses[3]).toBeGreaterThan(25 * SECOND);
    rig.react("phone", "ok");
    await rig.clock.advance(13 * MINUTE);
    expect(rig.texts("phone")).toEqual(["1", "2", "3"]);
  });

  test("is marked as late with its original time, in the message and in an event", async () => {
    await using rig = await openOutboxRig([push("phone"), bot("chat")]);
    rig.react("phone", "down");
    rig.react("chat", "down");
    const at = rig.clock.now();
    await Promise.all([rig.say("phone", "door"), rig.say("chat", "door")]);
    await rig.clock.advance(HOUR);
    rig.react("phone", "ok");
    rig.react("chat", "ok");
    await rig.clock.advance(15 * MINUTE);
    expect(rig.arrived.find(({ channel }) => channel === "phone")?.timestamp).toBe(at);
    expect(rig.texts("chat")).toEqual(["door\n\n(delivered late; this is from 2026-01-15 13:00)"]);
    expect(rig.ends()).toMatchObject([
      { type: "notification_delivered_late", title: "Hub Alert", at: "2026-01-15T12:00:00Z", count: 1 },
      { type: "notification_delivered_late" },
    ]);
  });

  test("that gets through within a minute is not late", async () => {
    await using rig = await openOutboxRig();
    rig.react("phone", "down");
    await rig.say("phone", "door");
    rig.react("phone", "ok");
    await rig.clock.advance(MINUTE);
    expect(rig.texts("phone")).toEqual(["door"]);
    expect(rig.ends()).toEqual([]);
  });

  test("is counted when the same text is posted again", async () => {
    await using rig = await openOutboxRig([push("phone"), { ...bot("chat"), parse_mode: "MarkdownV2" }]);
    rig.react("phone", "down");
    rig.react("chat", "down");
    for (let minute = 0; minute < 12; minute++) {
      await Promise.all([rig.say("phone", "cold"), rig.say("chat", "cold"), rig.say("phone", `${minute % 2}`)]);
      await rig.clock.advance(MINUTE);
    }
    expect(rig.outbox.list({ channel: "phone" })).toMatchObject([
      { message: "cold", count: 12 },
      { message: "0", count: 6 },
      { message: "1", count: 6 },
    ]);
    rig.react("phone", "ok");
    rig.react("chat", "ok");
    await rig.clock.advance(15 * MINUTE);
    expect(rig.texts("phone")).toEqual([
      "cold (12 times since 13:00)",
      "0 (6 times since 13:00)",
      "1 (6 times since 13:01)",
    ]);
    // In the channel's markup.
    expect(rig.texts("chat")[0]).toStartWith("cold \\(12 times since 13:00\\)\n\n\\(delivered late");
    expect(rig.ends()[0]).toMatchObject({ type: "notification_delivered_late", count: 12 });
  });

  test("counts over a restart, and names the date when it was on another day", async () => {
    await using rig = await openOutboxRig();
    rig.react("phone", "down");
    for (let hour = 0; hour < 14; hour++) {
      await rig.say("phone", "cold");
      await rig.clock.advance(HOUR);
      if (hour === 5) await rig.restart();
    }
    rig.react("phone", "ok");
    await rig.clock.advance(15 * MINUTE);
    expect(rig.texts("phone")).toEqual(["cold (14 times since 2026-01-15 13:00)"]);
  });

  test("with another title or text is another message", async () => {
    await using rig = await openOutboxRig();
    rig.react("phone", "down");
    await rig.say("phone", "cold", "a");
    await rig.say("phone", "cold", "b");
    await rig.say("phone", "colder", "b");
    expect(rig.outbox.waiting("phone")).toBe(3);
  });

  test("is not merged with the same text posted while it is being sent", async () => {
    await using rig = await openOutboxRig();
    rig.react("phone", "hang");
    const first = rig.say("phone", "cold");
    await rig.clock.advance(SECOND);
    await rig.say("phone", "cold");
    expect(rig.outbox.list()).toMatchObject([{ state: "sending" }, { state: "queued" }]);
    rig.react("phone", "ok");
    await rig.clock.advance(20 * SECOND);
    await first;
    expect(rig.texts("phone")).toEqual(["cold", "cold"]);
  });

  test("is tried within five seconds of a start, however long its pause was, also for a group", async () => {
    await using rig = await openOutboxRig([push("phone"), bot("group", "-100123")]);
    rig.react("phone", "down");
    rig.react("group", "down");
    await rig.say("all", "x");
    await rig.clock.advance(6 * HOUR);
    await rig.restart();
    const before = rig.tried.length;
    await rig.clock.advance(5 * SECOND);
    expect(
      rig.tried
        .slice(before)
        .map(({ channel }) => channel)
        .sort(),
    ).toEqual(["group", "phone"]);
    rig.react("phone", "ok");
    rig.react("group", "ok");
    await rig.restart();
    await rig.clock.advance(5 * SECOND);
    expect(rig.arrived.map(({ channel }) => channel).sort()).toEqual(["group", "phone"]);
  });

  test("waits as long as the service asks", async () => {
    await using rig = await openOutboxRig([bot("chat")]);
    rig.react("chat", { status: 429, retryAfterSecs: 1234 });
    await rig.say("chat", "x");
    rig.react("chat", "ok");
    await rig.clock.advance(1233 * SECOND);
    expect(rig.tried).toHaveLength(1);
    await rig.restart();
    await rig.clock.advance(1200 * SECOND);
    expect(rig.tried).toHaveLength(1);
    await rig.clock.advance(40 * SECOND);
    expect(rig.texts("chat")).toHaveLength(1);
  });

  test("is given up when the service refuses it later, and the next one is sent", async () => {
    await using rig = await openOutboxRig();
    rig.react("phone", "down");
    for (const text of ["1", "2", "3"]) await rig.say("phone", text);
    rig.react("phone", (text) => (text === "2" ? { status: 400 } : "ok"));
    await rig.clock.advance(MINUTE);
    expect(rig.texts("phone")).toEqual(["1", "3"]);
    expect(rig.ends()).toMatchObject([{ type: "notification_given_up", reason: "refused" }]);
  });

  test("sends only the missing parts of a long text", async () => {
    await using rig = await openOutboxRig([bot("chat")]);
    let taken = 0;
    rig.react("chat", () => (taken++ < 2 ? "ok" : "down"));
    const words = Array.from({ length: 3000 }, (_, index) => `w${index}`).join(" ");
    const enqueued = rig.say("chat", words);
    await rig.clock.advance(10 * SECOND);
    expect(await enqueued).toMatchObject([{ state: "queued" }]);
    expect(rig.arrived).toHaveLength(2);
    await rig.restart();
    rig.react("chat", "ok");
    await rig.clock.advance(MINUTE);
    const all = rig.arrived.map(({ title, text }) => `${title}\n${text}`).join(" ");
    for (const word of ["w0 ", "w500 ", "w1000 ", "w2000 ", "w2999"]) expect(all.split(word)).toHaveLength(2);
  });
});

describe("a notice", () => {
  test("that is cancelled leaves the queues of all channels, but not the others", async () => {
    await using rig = await openOutboxRig([push("phone"), push("tablet")]);
    rig.react("phone", "down");
    rig.react("tablet", "down");
    const enqueue = (message: string, notice?: string) =>
      rig.outbox.enqueue(rig.notifier.render({ channel: "all", message, notice }));
    await enqueue("door", "n1");
    await enqueue("leak", "n2");
    await enqueue("cold");
    await rig.restart();
    rig.outbox.cancelNotice("n1");
    rig.react("phone", "ok");
    rig.react("tablet", "ok");
    await rig.clock.advance(MINUTE);
    expect([rig.texts("phone"), rig.texts("tablet")]).toEqual([
      ["leak", "cold"],
      ["leak", "cold"],
    ]);
  });
});

describe("channels do not wait for each other", () => {
  test("when one hangs, the others deliver", async () => {
    await using rig = await openOutboxRig([push("a"), push("b"), push("c")]);
    rig.react("b", "hang");
    const enqueued = rig.say("all", "fire");
    await rig.clock.advance(0);
    expect([rig.texts("a"), rig.texts("b"), rig.texts("c")]).toEqual([["fire"], [], ["fire"]]);
    await rig.clock.advance(10 * SECOND);
    expect((await enqueued).map(({ state }) => state)).toEqual(["delivered", "queued", "delivered"]);
  });

  test("a channel sends one message at a time", async () => {
    await using rig = await openOutboxRig();
    rig.react("phone", "hang");
    for (const text of ["1", "2", "3"]) void rig.say("phone", text);
    await rig.clock.advance(9 * SECOND);
    expect(rig.tried).toHaveLength(1);
    expect(rig.outbox.list().map(({ state }) => state)).toEqual(["sending", "queued", "queued"]);
  });
});

describe("limits of the services", () => {
  test("delay a second message, which is no error", async () => {
    await using rig = await openOutboxRig([bot("chat")]);
    expect(await rig.say("chat", "1")).toMatchObject([{ state: "delivered" }]);
    expect(await rig.say("chat", "2")).toEqual([{ channel: "chat", state: "queued" }]);
    await rig.clock.advance(SECOND);
    expect(rig.texts("chat")).toEqual(["1", "2"]);
    expect(rig.logged).toEqual([]);
  });

  test("apply to the quota of Pushover: the next try is when it is renewed, or after a day", async () => {
    await using rig = await openOutboxRig([push("phone")], 72);
    rig.react("phone", { status: 429 });
    expect(await rig.say("phone", "1")).toMatchObject([{ state: "queued", hint: expect.stringContaining("quota") }]);
    await rig.say("phone", "2");
    await rig.clock.advance(HOUR - SECOND);
    expect(rig.tried).toHaveLength(1);
    rig.react("phone", "ok");
    await rig.clock.advance(MINUTE);
    expect(rig.texts("phone")).toEqual(["1", "2"]);
  });

  test("allow one message a second to a chat, twenty a minute to a group, from the first try on", async () => {
    await using rig = await openOutboxRig([bot("chat"), bot("group", "-100123")]);
    for (let index = 0; index < 60; index++) void rig.say("all", `${index}`);
    await rig.clock.advance(5 * MINUTE);
    for (const channel of ["chat", "group"]) {
      const times = rig.arrived.filter((each) => each.channel === channel).map(({ when }) => when);
      expect(rig.texts(channel)).toHaveLength(60);
      expect(most(times, SECOND)).toBe(1);
      if (channel === "group") expect(most(times, MINUTE)).toBe(20);
    }
  });

  test("apply over restarts", async () => {
    await using rig = await openOutboxRig([bot("group", "-100123")]);
    for (let index = 0; index < 60; index++) void rig.say("group", `${index}`);
    for (let turn = 0; turn < 3; turn++) {
      await rig.clock.advance(19 * SECOND);
      await rig.restart();
    }
    await rig.clock.advance(5 * MINUTE);
    const times = rig.arrived.map(({ when }) => when);
    expect(new Set(rig.texts("group").map((text) => text.split("\n")[0])).size).toBe(60);
    expect(most(times, SECOND)).toBe(1);
    expect(most(times, MINUTE)).toBeLessThanOrEqual(20);
  });
});

/** Within any window of this length, its end not included. */
function most(times: readonly number[], spanMs: number): number {
  return Math.max(...times.map((begin) => times.filter((time) => time >= begin && time < begin + spanMs).length));
}
