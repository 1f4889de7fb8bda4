// A message that its service always refuses does not block the others; a service that refuses every message does not change their
// order.
import { describe, expect, test } from "bun:test";
import { bot, type OutboxRig, openOutboxRig, push } from "./rig.ts";

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/** Answers with this status to texts that begin with `poison`, and accepts all others. */
const poisonous = (status: number) => (text: string) => (text.startsWith("poison") ? { status } : "ok");
const triesOf = ({ tried }: OutboxRig, text: string): number[] =>
  tried.filter((each) => each.text === text).map(({ when }) => when);

describe("a message that is the only one refused", () => {
  for (const status of [500, 502, 503]) {
    test(`with ${status} is skipped after five tries, and the others are sent in order`, async () => {
      await using rig = await openOutboxRig();
      rig.react("phone", poisonous(status));
      for (const text of ["poison", "1", "2", "3"]) await rig.say("phone", text);
      await rig.clock.advance(3 * MINUTE);
      expect(rig.texts("phone")).toEqual(["1", "2", "3"]);
      expect(triesOf(rig, "poison")).toHaveLength(5);
      expect(rig.outbox.list()).toMatchObject([{ message: "poison", tries: 5, state: "waiting" }]);
      expect(rig.logged.filter((line) => line.startsWith("a notification is skipped"))).toHaveLength(1);
    });
  }

  test("is retried every ten minutes, blocks no other, and is delivered late in the end", async () => {
    await using rig = await openOutboxRig();
    rig.react("phone", poisonous(500));
    for (const text of ["poison", "1"]) await rig.say("phone", text);
    await rig.clock.advance(3 * MINUTE);
    for (let hour = 0; hour < 3; hour++) {
      await rig.clock.advance(HOUR);
      expect(await rig.say("phone", `at ${hour}`)).toMatchObject([{ state: "delivered" }]);
    }
    const pauses = triesOf(rig, "poison").map((when, index, all) => when - (all[index - 1] ?? 0));
    expect(pauses.slice(6).every((pause) => pause === 10 * MINUTE)).toBe(true);
    expect(pauses.length).toBeGreaterThan(20);
    rig.react("phone", "ok");
    await rig.clock.advance(10 * MINUTE);
    expect(rig.texts("phone")).toEqual(["1", "at 0", "at 1", "at 2", "poison"]);
    expect(rig.ends()).toMatchObject([
      { type: "notification_delivered_late" },
      { type: "notification_delivered_late", title: "Hub Alert" },
    ]);
  });

  test("is given up when it expires, and retried when a person asks", async () => {
    await using rig = await openOutboxRig([push("phone")], 1);
    rig.react("phone", poisonous(500));
    for (const text of ["poison", "1"]) await rig.say("phone", text);
    await rig.clock.advance(5 * MINUTE);
    const [waiting] = rig.outbox.list();
    rig.outbox.retry(waiting?.id ?? "");
    await rig.clock.advance(0);
    expect(triesOf(rig, "poison")).toHaveLength(6);
    await rig.clock.advance(HOUR);
    expect(rig.outbox.list()).toEqual([]);
    expect(rig.ends()).toMatchObject([
      { type: "notification_delivered_late" },
      { type: "notification_given_up", reason: "expired" },
    ]);
  });

  test("is counted while it waits, and not lost in a restart", async () => {
    await using rig = await openOutboxRig();
    rig.react("phone", poisonous(500));
    for (const text of ["poison", "1", "poison"]) await rig.say("phone", text);
    await rig.clock.advance(3 * MINUTE);
    await rig.say("phone", "poison");
    await rig.restart();
    expect(await rig.say("phone", "2")).toMatchObject([{ state: "queued" }]);
    await rig.clock.advance(5 * MINUTE);
    expect(rig.texts("phone")).toEqual(["1", "2"]);
    expect(rig.outbox.list()).toMatchObject([{ message: "poison", count: 3 }]);
  });

  test("may be one of several", async () => {
    await using rig = await openOutboxRig([bot("chat")]);
    rig.react("chat", poisonous(500));
    for (const text of ["poison a", "poison b", "poison c", "1", "2"]) await rig.say("chat", text);
    await rig.clock.advance(HOUR);
    expect(rig.texts("chat").map((text) => text.split("\n")[0])).toEqual(["1", "2"]);
    expect(rig.outbox.list()).toHaveLength(3);
  });

  test("blocks the next message for little more than a minute, however long it has waited itself", async () => {
    await using rig = await openOutboxRig();
    rig.react("phone", poisonous(500));
    await rig.say("phone", "poison");
    await rig.clock.advance(5 * HOUR);
    expect(await rig.say("phone", "fire")).toMatchObject([{ state: "queued" }]);
    await rig.clock.advance(MINUTE + 6 * SECOND);
    expect(rig.texts("phone")).toEqual(["fire"]);
    expect(await rig.say("phone", "flood")).toMatchObject([{ state: "delivered" }]);
  });
});

describe("a service that fails", () => {
  for (const [name, reaction] of [
    ["answers 500 to everything", { status: 500 }],
    ["answers 503 to everything", { status: 503 }],
    ["cannot be reached", "down"],
    ["hangs", "hang"],
    ["asks for a pause", { status: 429, retryAfterSecs: 60 }],
  ] as const) {
    test(`and ${name} for hours loses no message and keeps the order`, async () => {
      await using rig = await openOutboxRig([bot("chat")]);
      rig.react("chat", reaction);
      const texts = Array.from({ length: 60 }, (_, index) => `n${index}`);
      for (const text of texts.slice(0, 40)) {
        void rig.say("chat", text);
        await rig.clock.advance(MINUTE);
      }
      await rig.clock.advance(5 * HOUR);
      for (const text of texts.slice(40)) void rig.say("chat", text);
      expect(rig.outbox.waiting("chat")).toBe(60);
      // At most two tries in each of the first forty minutes, when messages are posted, and two in each long pause.
      expect(rig.tried.filter(({ when }) => when <= 40 * MINUTE).length).toBeLessThanOrEqual(80);
      if (name !== "asks for a pause") {
        expect(rig.tried.filter(({ when }) => when > 40 * MINUTE).length).toBeLessThanOrEqual(2 * 44);
      }
      rig.react("chat", "ok");
      await rig.clock.advance(20 * MINUTE);
      expect(rig.texts("chat").map((text) => text.split("\n")[0])).toEqual(texts);
      expect(rig.events.filter(({ type }) => type === "notification_given_up")).toEqual([]);
      expect(rig.logged.join("\n")).not.toContain("is skipped");
    });
  }

  test("and does not answer lets no other message go first", async () => {
    await using rig = await openOutboxRig();
    rig.react("phone", (text) => (text === "1" ? "down" : "ok"));
    for (const text of ["1", "2"]) await rig.say("phone", text);
    await rig.clock.advance(2 * HOUR);
    expect(new Set(rig.tried.map(({ text }) => text))).toEqual(new Set(["1"]));
  });
});
