import { heapStats } from "bun:jsc";
import { describe, expect, test } from "bun:test";
import { bot, openOutboxRig, push } from "./rig.ts";

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const TEN_YEARS = 3653 * DAY;

describe("over restarts", () => {
  for (const crash of [false, true]) {
    test(`waiting messages continue in order after ${crash ? "a crash" : "a clean end"}`, async () => {
      await using rig = await openOutboxRig([push("phone"), bot("chat")]);
      rig.react("phone", "down");
      rig.react("chat", "down");
      for (const text of ["1", "2", "3"]) await rig.say("all", text);
      await rig.restart({ crash });
      await rig.say("all", "4");
      rig.react("phone", "ok");
      rig.react("chat", "ok");
      await rig.clock.advance(MINUTE);
      expect(rig.texts("phone")).toEqual(["1", "2", "3", "4"]);
      expect(rig.texts("chat").map((text) => text.split("\n")[0])).toEqual(["1", "2", "3", "4"]);
    });
  }

  test("the HTML of a mail is on disk beside its text", async () => {
    const mail = {
      ...{ name: "mail", type: "email", from: "hub@home.example", to: ["a@home.example"] },
      smtp: { host: "127.0.0.1", port: 1, username: "", password: "" },
    };
    await using rig = await openOutboxRig([mail]);
    await rig.outbox.enqueue(rig.notifier.render({ channel: "mail", markup: "markdown", message: "**door**" }));
    const rows = () => rig.db.own.query("SELECT message, html FROM outbox").all();
    expect(rows()).toEqual([{ message: "door", html: "<div><b>door</b></div>" }]);
    await rig.restart({ crash: true });
    expect(rows()).toEqual([{ message: "door", html: "<div><b>door</b></div>" }]);
    expect(rig.outbox.list()).toMatchObject([{ message: "door" }]);
  });

  test("a message keeps its priority, and is counted only with those of the same", async () => {
    await using rig = await openOutboxRig([push("phone")]);
    rig.react("phone", "down");
    const enqueue = (options: { priority?: number; silent?: boolean }) =>
      rig.outbox.enqueue(rig.notifier.render({ channel: "phone", message: "door", ...options }));
    for (const options of [{ priority: 1 }, {}, { silent: true }, { priority: 1 }, {}]) await enqueue(options);
    await rig.restart();
    rig.react("phone", "ok");
    await rig.clock.advance(MINUTE);
    expect(rig.arrived.map(({ priority, text }) => [priority, text.includes("2 times")])).toEqual([
      ["1", true],
      [undefined, true],
      ["-1", false],
    ]);
  });

  test("nothing is sent in the first seconds, and nothing at all when nothing waits", async () => {
    await using rig = await openOutboxRig();
    rig.react("phone", "down");
    await rig.say("phone", "1");
    await rig.restart();
    rig.react("phone", "ok");
    await rig.clock.advance(3 * SECOND);
    expect(rig.arrived).toEqual([]);
    await rig.clock.advance(5 * SECOND);
    expect(rig.texts("phone")).toEqual(["1"]);
    expect(rig.ends()).toMatchObject([{ type: "notification_delivered_late" }]);
    await rig.restart();
    expect(rig.clock.pending()).toEqual([]);
  });

  test("a message being sent at the end may finish, and is not sent twice", async () => {
    await using rig = await openOutboxRig();
    rig.react("phone", { afterMs: 2 * SECOND });
    void rig.say("phone", "1");
    await rig.clock.advance(SECOND / 10);
    expect(rig.tried).toHaveLength(1);
    await rig.restart();
    expect(rig.texts("phone")).toEqual(["1"]);
    await rig.clock.advance(MINUTE);
    expect(rig.tried).toHaveLength(1);
  });

  test("a message that hangs at the end is aborted, and sent again by the next run", async () => {
    await using rig = await openOutboxRig();
    rig.react("phone", "hang");
    void rig.say("phone", "1");
    await rig.clock.advance(SECOND / 10);
    expect(rig.tried).toHaveLength(1);
    await rig.restart();
    rig.react("phone", "ok");
    await rig.clock.advance(10 * SECOND);
    expect(rig.texts("phone")).toEqual(["1"]);
  });

  test("a channel that is gone or disabled keeps its messages until it is back", async () => {
    await using rig = await openOutboxRig([push("phone"), push("tablet")]);
    rig.react("phone", "down");
    await rig.say("phone", "1");
    await rig.restart({ channels: [push("tablet")] });
    expect(rig.outbox.list()).toMatchObject([{ state: "blocked", message: "1" }]);
    expect(await rig.say("tablet", "x")).toMatchObject([{ state: "delivered" }]);
    await rig.restart({ channels: [{ ...push("phone"), priority: 9 }] });
    expect(rig.outbox.list()[0]?.lastError).toStartWith("the channel is disabled: notify.channels[0].priority");
    await rig.restart({ channels: [push("phone")] });
    rig.react("phone", "ok");
    await rig.clock.advance(10 * SECOND);
    expect(rig.texts("phone")).toEqual(["1"]);
  });

  test("and gives them up when they expire", async () => {
    await using rig = await openOutboxRig();
    rig.react("phone", "down");
    await rig.say("phone", "1");
    await rig.restart({ channels: [] });
    await rig.clock.advance(DAY);
    expect(rig.outbox.list()).toEqual([]);
    expect(rig.ends()).toMatchObject([{ type: "notification_given_up", reason: "expired" }]);
  });
});

describe("expiry", () => {
  test("comes after [notify] expire_hours, for each message separately", async () => {
    await using rig = await openOutboxRig([push("phone")], 2);
    rig.react("phone", "down");
    await rig.say("phone", "1");
    await rig.say("phone", "2");
    await rig.clock.advance(HOUR);
    await rig.say("phone", "3");
    await rig.clock.advance(HOUR - SECOND);
    expect(rig.outbox.waiting("phone")).toBe(3);
    await rig.clock.advance(SECOND);
    expect(rig.outbox.list().map(({ message }) => message)).toEqual(["3"]);
    expect(rig.ends()).toMatchObject([
      {
        type: "notification_given_up",
        reason: "expired",
        more: 1,
        at: "2026-01-15T12:00:00Z",
        error: expect.stringContaining("ConnectionRefused"),
      },
    ]);
    await rig.clock.advance(HOUR);
    expect(rig.outbox.list()).toEqual([]);
    expect(rig.db.durable.query("SELECT count(*) AS n FROM outbox").get()).toEqual({ n: 0 });
  });

  test("a listener of notification_given_up may post another: still one at a time", async () => {
    await using rig = await openOutboxRig([push("phone")], 2);
    rig.react("phone", "down");
    await rig.say("phone", "1");
    const note = rig.events.push;
    rig.events.push = (...events) => {
      // As a rule does that reports it.
      rig.react("phone", { afterMs: 5 * SECOND });
      if (events[0]?.type === "notification_given_up") void rig.say("phone", "2");
      return note.apply(rig.events, events);
    };
    await rig.clock.advance(2 * HOUR + 10 * SECOND);
    expect(rig.ends()).toMatchObject([{ type: "notification_given_up", reason: "expired" }]);
    expect(rig.texts("phone")).toEqual(["2"]);
    expect(rig.maxAtOnce).toBe(1);
  });

  test("counts the time of several runs", async () => {
    await using rig = await openOutboxRig();
    rig.react("phone", "down");
    await rig.say("phone", "1");
    for (let hour = 0; hour < 23; hour++) {
      await rig.clock.advance(HOUR);
      await rig.restart({ crash: true });
    }
    expect(rig.outbox.waiting("phone")).toBe(1);
    // A crash loses the time since the last try.
    await rig.clock.advance(6 * HOUR);
    expect(rig.outbox.waiting("phone")).toBe(0);
  });

  for (const stepMs of [TEN_YEARS, -TEN_YEARS]) {
    test(`does not depend on the wall clock, which is set by ${stepMs / DAY} days`, async () => {
      await using rig = await openOutboxRig();
      rig.react("phone", "down");
      await rig.say("phone", "1");
      rig.clock.step(stepMs);
      await rig.say("phone", "2");
      await rig.clock.advance(HOUR);
      await rig.restart({ stepMs });
      await rig.say("phone", "3");
      await rig.clock.advance(HOUR);
      expect(rig.ends()).toEqual([]);
      rig.react("phone", "ok");
      await rig.clock.advance(15 * MINUTE);
      expect(rig.texts("phone")).toEqual(["1", "2", "3"]);
    });
  }

  test("a message from before the clock was corrected has the correct time", async () => {
    await using rig = await openOutboxRig();
    rig.react("phone", "down");
    await rig.say("phone", "1");
    await rig.clock.advance(MINUTE);
    rig.clock.step(TEN_YEARS);
    const moment = rig.clock.now() - MINUTE;
    expect(rig.outbox.list()[0]?.at).toBe(moment);
    rig.react("phone", "ok");
    await rig.clock.advance(2 * MINUTE);
    expect(rig.arrived[0]?.timestamp).toBe(moment);
  });
});

describe("limits", () => {
  test("10,000 messages: the oldest of the fullest channel is given up, and this is reported", async () => {
    await using rig = await openOutboxRig([push("phone"), push("tablet")]);
    rig.react("phone", "down");
    rig.react("tablet", "down");
    await rig.say("tablet", "only");
    rig.db.durable.run("PRAGMA synchronous = OFF");
    await rig.say("phone", "0");
    for (let index = 1; index < 10_005; index++) void rig.say("phone", `${index}`);
    const list = rig.outbox.list();
    expect(list).toHaveLength(10_000);
    expect(list.slice(0, 2).map(({ message }) => message)).toEqual(["only", "6"]);
    expect(rig.ends()).toHaveLength(6);
    expect(rig.ends()[0]).toMatchObject({
      type: "notification_given_up",
      channel: "phone",
      reason: "no_room",
      more: 0,
    });
  });

  test("waiting messages take space on disk, not in memory", async () => {
    await using rig = await openOutboxRig();
    rig.react("phone", "down");
    await rig.say("phone", "first");
    rig.db.durable.run("PRAGMA synchronous = OFF");
    const held = (): number => {
      Bun.gc(true);
      return heapStats().heapSize + heapStats().extraMemorySize;
    };
    const before = held();
    for (let index = 0; index < 9_999; index++) void rig.say("phone", `${index} ${"x".repeat(1400)}`);
    await rig.clock.advance(HOUR);
    expect(rig.outbox.waiting("phone")).toBe(10_000);
    // The texts alone are fourteen megabytes.
    expect(held() - before).toBeLessThan(10_000_000);
  });

  test("16 MiB", async () => {
    await using rig = await openOutboxRig();
    rig.react("phone", "down");
    for (let index = 0; index < 200; index++) await rig.say("phone", `${index} ${"x".repeat(100_000)}`);
    expect(rig.outbox.waiting("phone")).toBe(167);
    expect(rig.outbox.list()[0]?.message).toStartWith("33 x");
  });

  test("counting duplicates writes at most once in ten seconds", async () => {
    await using rig = await openOutboxRig();
    rig.react("phone", "down");
    await rig.say("phone", "cold");
    const changes = () => rig.db.durable.query<{ n: number }, []>("SELECT total_changes() AS n").get()?.n ?? 0;
    const before = changes();
    for (let index = 0; index < 600; index++) {
      await rig.say("phone", "cold");
      await rig.clock.advance(SECOND / 10);
    }
    // Six writes of the count, and some tries.
    expect(changes() - before).toBeLessThan(12);
    await rig.restart();
    expect(rig.outbox.list()[0]?.count).toBe(601);
  });
});

describe("a full disk", () => {
  test("messages that cannot be written stay in memory, in order, and are written when there is space", async () => {
    await using rig = await openOutboxRig();
    rig.react("phone", "down");
    await rig.say("phone", "1");
    const { durable } = rig.db;
    const pages = durable.query<{ page_count: number }, []>("PRAGMA page_count").get()?.page_count ?? 0;
    durable.run(`PRAGMA max_page_count = ${pages}`);
    const long = "x".repeat(20_000);
    expect(await rig.say("phone", `2 ${long}`)).toMatchObject([{ state: "queued" }]);
    await rig.say("phone", "3");
    expect(rig.logged.filter((line) => line.startsWith("the outbox cannot be written"))).toHaveLength(1);
    durable.run("PRAGMA max_page_count = 1000000");
    await rig.clock.advance(10 * SECOND);
    await rig.restart({ crash: true });
    expect(rig.outbox.list().map(({ message }) => message.slice(0, 2))).toEqual(["1", "2 ", "3"]);
    rig.react("phone", "ok");
    await rig.clock.advance(10 * SECOND);
    expect(rig.texts("phone").map((text) => text.slice(0, 2))).toEqual(["1", "2 ", "3"]);
  });

  test("messages that are delivered meanwhile are not sent again", async () => {
    await using rig = await openOutboxRig();
    const { durable } = rig.db;
    durable.run("PRAGMA query_only = ON");
    for (const text of ["1", "2"]) expect(await rig.say("phone", text)).toMatchObject([{ state: "delivered" }]);
    durable.run("PRAGMA query_only = OFF");
    await rig.restart();
    await rig.clock.advance(MINUTE);
    expect(rig.texts("phone")).toEqual(["1", "2"]);
  });
});
