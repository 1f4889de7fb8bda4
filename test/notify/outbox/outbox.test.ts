import { describe, expect, test } from "bun:test";
import { bot, openOutboxRig, push } from "./rig.ts";

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

describe("the first try", () => {
  test("delivers at once, and leaves nothing behind", async () => {
    await using rig = await openOutboxRig();
    expect(await rig.say("phone", "hello")).toEqual([{ channel: "phone", state: "delivered" }]);
    expect(rig.texts("phone")).toEqual(["hello"]);
    expect(rig.outbox.list()).toEqual([]);
    expect(rig.db.durable.query("SELECT count(*) AS n FROM outbox").get()).toEqual({ n: 0 });
    expect(rig.events).toEqual([]);
    expect(rig.clock.pending()).toEqual(["write-behind"]);
  });

  test("is on disk before the service has heard of it", async () => {
    await using rig = await openOutboxRig();
    let rows: unknown;
    rig.react("phone", () => {
      rows = rig.db.durable.query("SELECT message FROM outbox").all();
      return "ok";
    });
    await rig.say("phone", "hello");
    expect(rows).toEqual([{ message: "hello" }]);
  });

  test("that fails for a passing reason is answered with the hint, kept, and warned of", async () => {
    await using rig = await openOutboxRig();
    rig.react("phone", "down");
    const [first] = await rig.say("phone", "hello");
    expect(first).toMatchObject({ state: "queued", hint: "No network, or a wrong api_url" });
    expect(first?.error).toContain("ConnectionRefused");
    expect(rig.outbox.list()).toMatchObject([
      { channel: "phone", title: "Hub Alert", message: "hello", tries: 1, count: 1 },
    ]);
    expect(rig.logged.some((line) => line.startsWith("a notification was not delivered"))).toBe(true);
    rig.react("phone", "ok");
    await rig.clock.advance(8 * SECOND);
    expect(rig.texts("phone")).toEqual(["hello"]);
    expect(rig.outbox.list()).toEqual([]);
  });

  test("that fails for good is not kept, and told", async () => {
    await using rig = await openOutboxRig();
    rig.react("phone", { status: 401 });
    expect(await rig.say("phone", "hello")).toMatchObject([{ state: "failed" }]);
    await rig.clock.advance(HOUR);
    expect(rig.tried).toHaveLength(1);
    expect(rig.outbox.list()).toEqual([]);
    expect(rig.events).toMatchObject([
      { type: "notification_given_up", channel: "phone", reason: "refused", tries: 1, more: 0 },
    ]);
  });

  test("that hangs is over after ten seconds, and the message waits", async () => {
    await using rig = await openOutboxRig();
    rig.react("phone", "hang");
    const posted = rig.say("phone", "hello");
    await rig.clock.advance(10 * SECOND);
    expect(await posted).toMatchObject([{ state: "queued", error: "the push service did not answer in time (10 s)" }]);
  });

  test("a disabled channel fails with its reason; `log` takes everything and needs no disk", async () => {
    await using rig = await openOutboxRig([{ ...push("phone"), priority: 3 }]);
    expect(await rig.say("phone", "x")).toMatchObject([{ state: "failed", hint: "Run `hub check`" }]);
    expect(rig.events).toMatchObject([{ type: "notification_given_up", reason: "disabled" }]);
    expect(await rig.say("log", "x")).toEqual([{ channel: "log", state: "delivered" }]);
  });

  test("a message of a megabyte is refused, one of 100 kB is not", async () => {
    await using rig = await openOutboxRig();
    expect(await rig.say("phone", "x".repeat(1024 * 1024))).toMatchObject([{ state: "failed" }]);
    expect(await rig.say("phone", "x".repeat(100_000))).toMatchObject([{ state: "delivered" }]);
  });
});

describe("what waits", () => {
  test("is tried after growing pauses of 5 s to 10 min, and delivered in order when the service is back", async () => {
    await using rig = await openOutboxRig();
    rig.react("phone", "down");
    await rig.say("phone", "1");
    const [second] = await rig.say("phone", "2");
    expect(second).toMatchObject({ state: "queued", error: expect.stringContaining("ConnectionRefused") });
    await rig.say("phone", "3");
    await rig.clock.advance(6 * HOUR);
    const pauses = rig.tried.slice(1).map(({ when }, index) => when - (rig.tried[index]?.when ?? 0));
    expect(rig.tried.every(({ text }) => text === "1")).toBe(true);
    // Not before 5 s: what the push service asks for. The jitter is a quarter.
    expect(Math.min(...pauses)).toBeGreaterThanOrEqual(5 * SECOND);
    expect(pauses.slice(8).every((pause) => pause >= 7.5 * MINUTE && pause <= 12.5 * MINUTE)).toBe(true);
    expect(pauses[3]).toBeGreaterThan(25 * SECOND);
    rig.react("phone", "ok");
    await rig.clock.advance(13 * MINUTE);
    expect(rig.texts("phone")).toEqual(["1", "2", "3"]);
  });

  test("is marked as late with its own time, in the message and as an event", async () => {
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
    expect(rig.events).toMatchObject([
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
    expect(rig.events).toEqual([]);
  });

  test("is counted where it is alike, not piled up", async () => {
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
    expect(rig.events[0]).toMatchObject({ type: "notification_delivered_late", count: 12 });
  });

  test("counts with the date when it was on another day, and over a restart", async () => {
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

  test("with another title or another text is another message", async () => {
    await using rig = await openOutboxRig();
    rig.react("phone", "down");
    await rig.say("phone", "cold", "a");
    await rig.say("phone", "cold", "b");
    await rig.say("phone", "colder", "b");
    expect(rig.outbox.waiting("phone")).toBe(3);
  });

  test("an alike one that comes while it is being sent is not lost in it", async () => {
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

  test("is tried within five seconds of a start, whatever pause it was in, and to a group as well", async () => {
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

  test("is given up one by one where the service refuses it later, and the next goes on", async () => {
    await using rig = await openOutboxRig();
    rig.react("phone", "down");
    for (const text of ["1", "2", "3"]) await rig.say("phone", text);
    rig.react("phone", (text) => (text === "2" ? { status: 400 } : "ok"));
    await rig.clock.advance(MINUTE);
    expect(rig.texts("phone")).toEqual(["1", "3"]);
    expect(rig.events).toMatchObject([{ type: "notification_given_up", reason: "refused" }]);
  });

  test("sends the parts of a long text that are missing, and no other", async () => {
    await using rig = await openOutboxRig([bot("chat")]);
    let taken = 0;
    rig.react("chat", () => (taken++ < 2 ? "ok" : "down"));
    const words = Array.from({ length: 3000 }, (_, index) => `w${index}`).join(" ");
    const posted = rig.say("chat", words);
    await rig.clock.advance(10 * SECOND);
    expect(await posted).toMatchObject([{ state: "queued" }]);
    expect(rig.arrived).toHaveLength(2);
    await rig.restart();
    rig.react("chat", "ok");
    await rig.clock.advance(MINUTE);
    const all = rig.arrived.map(({ title, text }) => `${title}\n${text}`).join(" ");
    for (const word of ["w0 ", "w500 ", "w1000 ", "w2000 ", "w2999"]) expect(all.split(word)).toHaveLength(2);
  });
});

describe("channels do not wait for each other", () => {
  test("one hangs, the others deliver", async () => {
    await using rig = await openOutboxRig([push("a"), push("b"), push("c")]);
    rig.react("b", "hang");
    const posted = rig.say("all", "fire");
    await rig.clock.advance(0);
    expect([rig.texts("a"), rig.texts("b"), rig.texts("c")]).toEqual([["fire"], [], ["fire"]]);
    await rig.clock.advance(10 * SECOND);
    expect((await posted).map(({ state }) => state)).toEqual(["delivered", "queued", "delivered"]);
  });

  test("at most one message is under way in a channel", async () => {
    await using rig = await openOutboxRig();
    rig.react("phone", "hang");
    for (const text of ["1", "2", "3"]) void rig.say("phone", text);
    await rig.clock.advance(9 * SECOND);
    expect(rig.tried).toHaveLength(1);
    expect(rig.outbox.list().map(({ state }) => state)).toEqual(["sending", "queued", "queued"]);
  });
});

describe("limits of the services", () => {
  test("let a second one wait a moment, and that is no error", async () => {
    await using rig = await openOutboxRig([bot("chat")]);
    expect(await rig.say("chat", "1")).toMatchObject([{ state: "delivered" }]);
    expect(await rig.say("chat", "2")).toEqual([{ channel: "chat", state: "queued" }]);
    await rig.clock.advance(SECOND);
    expect(rig.texts("chat")).toEqual(["1", "2"]);
    expect(rig.logged).toEqual([]);
  });

  test("hold for the push service's quota: it is asked again when that is renewed, at most once a day", async () => {
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

  test("one a second to a chat, twenty a minute to a group, from the first try on", async () => {
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

  test("hold over restarts", async () => {
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
