// What is important goes first, and an emergency waits for nothing.
import { describe, expect, test } from "bun:test";
import { bot, type OutboxRig, openOutboxRig, push } from "./rig.ts";

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const EMERGENCY = 2;
const HIGH = 1;

const enqueue = ({ outbox, notifier }: OutboxRig, message: string, priority?: number, channel = "phone") =>
  outbox.enqueue(notifier.render({ channel, message, priority }));
const first = (text: string): string => text.split("\n")[0] ?? "";

test("emergencies go first, then what is high, then the others, each in their order", async () => {
  await using rig = await openOutboxRig();
  rig.react("phone", "down");
  await enqueue(rig, "n1");
  for (const [text, priority] of [
    ["h1", HIGH],
    ["low", -1],
    ["e1", EMERGENCY],
    ["n2", undefined],
    ["h2", HIGH],
    ["e2", EMERGENCY],
    ["silent", -2],
    ["n3", 0],
  ] as const)
    void enqueue(rig, text, priority);
  await rig.clock.advance(SECOND);
  await rig.restart();
  rig.react("phone", "ok");
  await rig.clock.advance(MINUTE);
  expect(rig.texts("phone")).toEqual(["e1", "e2", "h1", "h2", "n1", "low", "n2", "silent", "n3"]);
});

test("what is high goes between the parts of a long text, which is no failure of it, and loses none", async () => {
  await using rig = await openOutboxRig([bot("chat")]);
  const words = Array.from({ length: 3000 }, (_, index) => `w${index}`).join(" ");
  const long = enqueue(rig, words, undefined, "chat");
  await rig.clock.advance(SECOND / 2);
  void enqueue(rig, "door", HIGH, "chat");
  void enqueue(rig, "later", undefined, "chat");
  await rig.clock.advance(20 * SECOND);
  const texts = rig.texts("chat");
  expect(texts.indexOf("door")).toBe(1);
  expect(texts.at(-1)).toBe("later");
  const all = rig.arrived.map(({ title, text }) => `${title}\n${text}`).join(" ");
  for (const word of ["w0 ", "w500 ", "w1000 ", "w2000 ", "w2999"]) expect(all.split(word)).toHaveLength(2);
  expect(await long).toMatchObject([{ channel: "chat" }]);
  expect(rig.outbox.list()).toEqual([]);
  expect(rig.events.filter(({ type }) => type === "notification_queued")).toEqual([]);
  expect(rig.notifier.list()[0]?.lastError).toBeUndefined();
});

describe("an emergency", () => {
  for (const [name, channel, reaction] of [
    ["a retry pause", push("phone"), "down"],
    ["the pause that a quota asks for", push("phone"), { status: 429 }],
    ["a retry pause of a chat", bot("phone"), { status: 500 }],
    ["a day's pause", bot("phone"), { status: 429, retryAfterSecs: 86_400 }],
  ] as const) {
    test(`overtakes 2,000 waiting messages within two seconds, in ${name}`, async () => {
      await using rig = await openOutboxRig([channel]);
      rig.react("phone", reaction);
      rig.db.durable.run("PRAGMA synchronous = OFF");
      for (let index = 0; index < 2000; index++) void enqueue(rig, `n${index}`);
      await rig.clock.advance(3 * HOUR);
      rig.react("phone", "ok");
      const enqueued = rig.clock.mono();
      const answer = enqueue(rig, "leak", EMERGENCY);
      await rig.clock.advance(2 * SECOND);
      // One whose pause ends in that very second may be under way.
      const place = rig.arrived.findIndex(({ text }) => first(text) === "leak");
      expect([0, 1]).toContain(place);
      expect((rig.arrived[place]?.when ?? 0) - enqueued).toBeLessThanOrEqual(2 * SECOND);
      expect(await answer).toEqual([{ channel: "phone", state: "delivered" }]);
    });
  }

  test("does not wait for a message that hangs, nor for the parts of a long text", async () => {
    await using rig = await openOutboxRig([push("phone"), bot("chat")]);
    rig.react("phone", (text) => (text === "n" ? "hang" : "ok"));
    void enqueue(rig, "n");
    void enqueue(rig, Array.from({ length: 6000 }, (_, index) => `w${index}`).join(" "), undefined, "chat");
    await rig.clock.advance(SECOND / 2);
    void enqueue(rig, "leak", EMERGENCY);
    void enqueue(rig, "leak", EMERGENCY, "chat");
    await rig.clock.advance(2 * SECOND);
    expect(rig.texts("phone")).toEqual(["leak"]);
    expect(rig.texts("chat")).toContain("leak");
    expect(rig.outbox.list()).toMatchObject([{ message: "n" }, { channel: "chat" }]);
  });

  test("is not held up by the limit of a group for a minute", async () => {
    await using rig = await openOutboxRig([bot("group", "-100123")]);
    for (let index = 0; index < 60; index++) void enqueue(rig, `n${index}`, undefined, "group");
    await rig.clock.advance(25 * SECOND);
    expect(rig.arrived).toHaveLength(20);
    void enqueue(rig, "leak", EMERGENCY, "group");
    await rig.clock.advance(SECOND);
    expect(rig.texts("group").at(-1)).toBe("leak");
  });

  test("is tried within a minute where the service asked for a day of silence, also right after another one", async () => {
    await using rig = await openOutboxRig([bot("chat")]);
    rig.react("chat", { status: 429, retryAfterSecs: 86_400 });
    void enqueue(rig, "n", undefined, "chat");
    await rig.clock.advance(SECOND);
    for (const text of ["fire", "leak"]) {
      void enqueue(rig, text, EMERGENCY, "chat");
      await rig.clock.advance(2 * SECOND);
    }
    rig.react("chat", "ok");
    await rig.clock.advance(MINUTE);
    expect(rig.texts("chat").map(first)).toEqual(["leak", "fire", "n"]);
  });

  test("is not hammered on: many of them try a failing channel every five seconds, then once a minute", async () => {
    await using rig = await openOutboxRig();
    rig.react("phone", "down");
    for (let index = 0; index < 60; index++) {
      void enqueue(rig, `e${index}`, EMERGENCY);
      await rig.clock.advance(SECOND);
    }
    expect(rig.tried.length).toBeLessThanOrEqual(13);
    const before = rig.tried.length;
    await rig.clock.advance(HOUR);
    expect(rig.tried.length - before).toBeLessThanOrEqual(90);
    rig.react("phone", "ok");
    await rig.clock.advance(90 * SECOND);
    expect(rig.texts("phone")).toEqual(Array.from({ length: 60 }, (_, index) => `e${index}`));
  });

  test("is the last to be given up for room", async () => {
    await using rig = await openOutboxRig([push("phone"), push("tablet")]);
    rig.react("phone", "down");
    rig.react("tablet", "down");
    rig.db.durable.run("PRAGMA synchronous = OFF");
    for (let index = 0; index < 6000; index++) void enqueue(rig, `e${index}`, EMERGENCY, "tablet");
    for (let index = 0; index < 4050; index++) void enqueue(rig, `n${index}`, index < 4020 ? undefined : HIGH);
    const waiting = rig.outbox.list();
    expect(waiting).toHaveLength(10_000);
    expect(waiting.filter(({ channel }) => channel === "tablet")).toHaveLength(6000);
    // The first is being sent.
    const left = waiting.filter(({ channel }) => channel === "phone").map(({ message }) => message);
    expect(left.slice(0, 2)).toEqual(["n0", "n51"]);
  });
});
