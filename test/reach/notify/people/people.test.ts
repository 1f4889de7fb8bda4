// People: their channels in order, their groups, who is at home, their quiet hours and what is held back in them.
import { describe, expect, test } from "bun:test";
import { Value } from "@sinclair/typebox/value";
import { silentLog } from "../../../../src/kit/lifecycle/log.ts";
import { createZone } from "../../../../src/kit/time/zone.ts";
import { createMessenger, digestMessages } from "../../../../src/reach/notify/messenger.ts";
import { PeopleSection } from "../../../../src/reach/notify/people/config.ts";
import { openHeldMessages } from "../../../../src/reach/notify/people/held.ts";
import { createPeople } from "../../../../src/reach/notify/people/people.ts";
import { createHouseTime } from "../../../../src/reach/notify/render.ts";
import { bot, type OutboxRig, openOutboxRig, push } from "../outbox/rig.ts";

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const ZONE = "Europe/Berlin";
// The rig begins at 13:00 in Berlin.
const UNTIL_TEN_PM = 9 * HOUR;
const HIGH = 1;
const EMERGENCY = 2;

const ANNA = { name: "Anna", channels: ["phone", "chat"], groups: ["parents"], quiet_hours: "22:00-07:00" };
const BEN = { name: "Ben", channels: ["tablet"], groups: ["parents"] };

/** The house with these people, as it starts. */
function openPeople(rig: OutboxRig, people: unknown[] = [ANNA, BEN]) {
  const { clock, db, outbox, notifier } = rig;
  const section = Value.Default(PeopleSection, people) as PeopleSection;
  const modes = new Map<string, boolean>();
  const attributes = new Map<string, Record<string, unknown>>();
  const variables = new Map<string, unknown>();
  const house = {
    attribute: (id: string, name: string) => attributes.get(id)?.[name],
    variable: (name: string) => variables.get(name),
    mode: (id: string) => modes.get(id),
  };
  const known = createPeople({ section, clock, zone: createZone(ZONE), house });
  const held = openHeldMessages({
    ...{ db, clock, log: silentLog, people: known, houseTime: createHouseTime(ZONE), isSent: outbox.has },
    send: (digest, along) => void outbox.enqueue(digestMessages(digest, notifier), along),
  });
  const messenger = createMessenger({ notifier, outbox, people: known, held, log: silentLog });
  const say = (name: string | string[], message: string, priority?: number, title?: string) =>
    messenger.enqueue([name].flat(), { message, priority, title });
  return {
    ...{ modes, attributes, variables, people: known, held, messenger, say },
    stop: () => held[Symbol.dispose](),
  };
}

const channels = () => [push("phone"), push("tablet"), bot("chat")];
const first = (text: string): string => text.split("\n")[0] ?? "";

test("a text of megabytes arrives, shortened, and its author learns of it", async () => {
  await using rig = await openOutboxRig(channels());
  const { messenger } = openPeople(rig);
  for (const [sign, to] of [
    ["漢", "chat"],
    ['"', "chat"],
    ["x", "person:Anna"],
    ["\n", "phone"],
  ] as const) {
    const message = `fire ${sign.repeat(1_200_000)}`;
    const sent = messenger.enqueue([to], { message, title: message });
    await rig.clock.advance(10 * SECOND);
    expect(await sent).toMatchObject([{ state: "delivered", note: expect.stringContaining("too long") }]);
    expect(rig.arrived.find(({ text, title }) => `${title}${text}`.includes("fire"))).toBeDefined();
    rig.arrived.length = 0;
  }
});

describe("a message to a person", () => {
  test("goes through the first channel, and only that", async () => {
    await using rig = await openOutboxRig(channels());
    const { say } = openPeople(rig);
    expect(await say("person:Anna", "door")).toEqual([{ channel: "phone", state: "delivered" }]);
    await rig.clock.advance(HOUR);
    expect(rig.arrived.map(({ channel }) => channel)).toEqual(["phone"]);
    expect(rig.db.durable.query("SELECT count(*) AS n FROM outbox").get()).toEqual({ n: 0 });
  });

  for (const [priority, withinMs] of [
    [EMERGENCY, 2 * SECOND],
    [HIGH, MINUTE + SECOND],
    [undefined, 15 * MINUTE + SECOND],
  ] as const) {
    test(`of priority ${priority} goes on to the next channel within ${withinMs / SECOND} s, and comes once`, async () => {
      await using rig = await openOutboxRig(channels());
      rig.react("phone", "down");
      const { say } = openPeople(rig);
      void say("person:Anna", "leak", priority);
      await rig.clock.advance(withinMs);
      expect(rig.texts("chat").map(first)).toEqual(["leak"]);
      rig.react("phone", "ok");
      await rig.clock.advance(HOUR);
      expect(rig.arrived).toHaveLength(1);
      expect(rig.outbox.list()).toEqual([]);
      expect(rig.db.durable.query("SELECT count(*) AS n FROM outbox").get()).toEqual({ n: 0 });
    });
  }

  test("goes on at once when its channel refuses it for good, which is no failure", async () => {
    await using rig = await openOutboxRig(channels());
    rig.react("phone", { status: 401 });
    const { say } = openPeople(rig);
    expect(await say("person:Anna", "door")).toMatchObject([{ channel: "phone", state: "queued" }]);
    await rig.clock.advance(SECOND);
    expect(rig.texts("chat").map(first)).toEqual(["door"]);
    expect(rig.ends()).toEqual([]);
  });

  for (const crash of [false, true]) {
    test(`keeps its other channels over ${crash ? "a crash" : "a restart"}`, async () => {
      await using rig = await openOutboxRig(channels());
      rig.react("phone", "down");
      const { say } = openPeople(rig);
      void say("person:Anna", "door");
      await rig.clock.advance(10 * MINUTE);
      await rig.restart({ crash });
      expect(rig.outbox.list()).toHaveLength(1);
      await rig.clock.advance(15 * MINUTE);
      expect(rig.arrived.map(({ channel }) => channel)).toEqual(["chat"]);
      await rig.restart({ crash });
      rig.react("phone", "ok");
      await rig.clock.advance(HOUR);
      expect(rig.arrived).toHaveLength(1);
    });
  }

  test("does not use a disabled channel while another works", async () => {
    await using rig = await openOutboxRig([{ ...push("phone"), priority: 9 }, push("tablet"), bot("chat")]);
    await openPeople(rig).say("person:Anna", "door");
    expect(rig.arrived.map(({ channel }) => channel)).toEqual(["chat"]);
  });

  test("to nobody known fails, and the others get theirs", async () => {
    await using rig = await openOutboxRig(channels());
    const { say, messenger } = openPeople(rig);
    const [failed] = await say(["person:Ana", "person:Ben"], "door");
    expect(failed).toMatchObject({ state: "failed", error: expect.stringContaining('did you mean "person:Anna"') });
    expect(rig.texts("tablet")).toEqual(["door"]);
    expect(["person:Anna", "people:parents", "people:all", "phone", "log"].every(messenger.has)).toBe(true);
    expect(["person:Ana", "people:home", "people:", "Anna"].some(messenger.has)).toBe(false);
  });
});

describe("groups", () => {
  test("reach each person once, whatever names they have", async () => {
    await using rig = await openOutboxRig(channels());
    const { say, messenger } = openPeople(rig);
    await say(["people:parents", "person:Anna", "people:all", "phone"], "door");
    expect(rig.arrived.map(({ channel }) => channel).sort()).toEqual(["phone", "tablet"]);
    expect(messenger.expand("people:parents")).toEqual(["person:Anna", "person:Ben"]);
  });

  test("people:home are those at home; an alarm reaches everybody if nobody is", async () => {
    await using rig = await openOutboxRig(channels());
    const home = openPeople(rig, [
      { ...ANNA, home: "device:phones.anna.presence" },
      { ...BEN, home: "mode:ben_home" },
    ]);
    await home.say("people:home", "nothing is known");
    expect(rig.arrived).toHaveLength(2);
    home.attributes.set("phones.anna", { presence: "home" });
    home.modes.set("ben_home", false);
    await home.say("people:home", "supper");
    expect(rig.texts("phone")).toContain("supper");
    expect(rig.texts("tablet")).not.toContain("supper");
    home.attributes.set("phones.anna", { presence: "away" });
    expect(await home.say("people:home", "window")).toEqual([]);
    await home.say("people:home", "leak", EMERGENCY);
    expect([rig.texts("phone").at(-1), rig.texts("tablet").at(-1)]).toEqual(["leak", "leak"]);
  });

  test("leave out whoever is in none of their modes, as long as another is notified", async () => {
    await using rig = await openOutboxRig(channels());
    const house = openPeople(rig, [ANNA, { ...BEN, modes: ["at_work", "away"] }]);
    await house.say("people:parents", "1");
    house.modes.set("away", true);
    await house.say("people:parents", "2");
    expect([rig.texts("phone"), rig.texts("tablet")]).toEqual([["1", "2"], ["2"]]);
    house.modes.set("away", false);
    expect(await house.say("person:Ben", "3")).toMatchObject([{ state: "queued" }]);
    await house.say("person:Ben", "4", HIGH);
    expect(rig.texts("tablet")).toEqual(["2", "4"]);
    house.modes.set("at_work", true);
    await rig.clock.advance(MINUTE);
    expect(rig.texts("tablet").at(-1)).toBe("13:00 3");
  });
});

describe("quiet hours", () => {
  test("hold back all but what is important, and end with one message", async () => {
    await using rig = await openOutboxRig(channels());
    const { say, held } = openPeople(rig);
    await rig.clock.advance(UNTIL_TEN_PM);
    expect(await say("person:Anna", "washing <done> & dry", undefined, "Laundry")).toMatchObject([
      { channel: "person:Anna", state: "queued" },
    ]);
    await rig.clock.advance(3 * HOUR);
    await say("person:Anna", "cold");
    await say("person:Anna", "cold");
    await say("person:Anna", "leak", HIGH);
    await say("phone", "to the channel itself");
    expect(rig.texts("phone")).toEqual(["leak", "to the channel itself"]);
    expect(held.count("Anna")).toBe(3);
    await rig.clock.advance(6 * HOUR - SECOND);
    expect(rig.arrived).toHaveLength(2);
    await rig.clock.advance(MINUTE);
    expect(rig.arrived.at(-1)).toMatchObject({
      title: "3 messages while you were not disturbed",
      text: "2026-01-15 22:00 Laundry: washing <done> & dry\n01:00 cold (2 times)",
    });
    await rig.clock.advance(HOUR);
    expect(rig.arrived).toHaveLength(3);
    expect(held.count("Anna")).toBe(0);
  });

  for (const crash of [false, true]) {
    test(`what is held survives ${crash ? "a crash" : "a restart"}, and comes although the hub was off at their end`, async () => {
      await using rig = await openOutboxRig(channels());
      const before = openPeople(rig);
      await rig.clock.advance(UNTIL_TEN_PM);
      await before.say("person:Anna", "1");
      if (!crash) before.stop();
      await rig.restart({ crash, stepMs: 12 * HOUR });
      const after = openPeople(rig);
      expect(after.held.count("Anna")).toBe(1);
      await rig.clock.advance(MINUTE);
      expect(rig.texts("phone")).toEqual(["2026-01-15 22:00 1"]);
      after.stop();
      await rig.restart({ crash });
      openPeople(rig);
      await rig.clock.advance(HOUR);
      expect(rig.arrived).toHaveLength(1);
    });
  }

  test("a digest that was stored right before the hub died is not made again", async () => {
    await using rig = await openOutboxRig(channels());
    rig.react("phone", "down");
    const before = openPeople(rig, [{ ...ANNA, channels: ["phone"] }]);
    await rig.clock.advance(UNTIL_TEN_PM);
    await before.say("person:Anna", "1");
    const rows = rig.db.durable.query("SELECT * FROM held_messages").all() as Record<string, string>[];
    await rig.clock.advance(10 * HOUR);
    before.stop();
    for (const row of rows)
      rig.db.durable.query("INSERT INTO held_messages VALUES (?, ?, ?, ?, ?, ?, ?)").run(...Object.values(row));
    await rig.restart({ crash: true });
    rig.react("phone", "ok");
    expect(openPeople(rig).held.count("Anna")).toBe(0);
    await rig.clock.advance(HOUR);
    expect(rig.texts("phone")).toHaveLength(1);
  });

  test("what is held for a person who is gone comes through the channels they had", async () => {
    await using rig = await openOutboxRig(channels());
    const before = openPeople(rig);
    await rig.clock.advance(UNTIL_TEN_PM);
    await before.say("person:Anna", "1");
    before.stop();
    await rig.restart();
    openPeople(rig, [BEN]);
    await rig.clock.advance(MINUTE);
    expect(rig.texts("phone")).toEqual(["22:00 1"]);
  });

  test("a night of 1,000 messages is one of a bounded length that counts the rest", async () => {
    await using rig = await openOutboxRig(channels());
    const { say } = openPeople(rig);
    await rig.clock.advance(UNTIL_TEN_PM);
    for (let index = 0; index < 1000; index++) void say("person:Anna", `alert ${index} ${"x".repeat(60)}`);
    expect(rig.db.durable.query("SELECT count(*) AS n FROM held_messages").get()).toEqual({ n: 201 });
    await rig.clock.advance(10 * HOUR);
    expect(rig.arrived).toHaveLength(1);
    const { title = "", text = "" } = rig.arrived[0] ?? {};
    expect(title).toBe("1000 messages while you were not disturbed");
    const lines = text.split("\n");
    expect(lines.at(-1)).toBe(`… and ${1000 - (lines.length - 1)} more`);
    expect(text.length).toBeLessThan(1000);
  });
});
