import { describe, expect, test } from "bun:test";
import type { JsonObject } from "../../../../src/kit/schema/json.ts";
import { type House, openHouse } from "./rig.ts";

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const TEN_YEARS = 10 * 365.25 * 24 * HOUR;

function houseWithTimer(): House {
  const house = openHouse();
  house.virtual.timers.create({ id: "tea", name: "Tea" });
  return house;
}

const attributes = (house: House, id = "tea"): JsonObject => house.registry.get(id).attributes;
const start = (secs: number): JsonObject => ({ command: "start", duration_secs: secs });

/** Brings the timer into a state by its own commands. */
async function bringInto(house: House, state: string): Promise<void> {
  if (state === "idle") return;
  await house.send("tea", start(60));
  if (state === "paused") await house.send("tea", { command: "pause" });
  if (state === "cancelled") await house.send("tea", { command: "cancel" });
  if (state === "expired") await house.clock.advance(60 * SECOND);
}

describe("which command is allowed when", () => {
  const REFUSED = "refused";
  const rows: [from: string, command: string, to: string][] = [
    ["idle", "start", "started"],
    ["idle", "pause", REFUSED],
    ["idle", "resume", REFUSED],
    ["idle", "cancel", "cancelled"],
    ["idle", "restart", REFUSED],
    ["started", "start", "started"],
    ["started", "pause", "paused"],
    ["started", "resume", REFUSED],
    ["started", "cancel", "cancelled"],
    ["started", "restart", "started"],
    ["paused", "start", "started"],
    ["paused", "pause", REFUSED],
    ["paused", "resume", "started"],
    ["paused", "cancel", "cancelled"],
    ["paused", "restart", "started"],
    ["expired", "start", "started"],
    ["expired", "pause", REFUSED],
    ["expired", "resume", REFUSED],
    ["expired", "cancel", "cancelled"],
    ["expired", "restart", "started"],
    ["cancelled", "start", "started"],
    ["cancelled", "pause", REFUSED],
    ["cancelled", "resume", REFUSED],
    ["cancelled", "restart", "started"],
  ];
  for (const [from, command, to] of rows) {
    test(`${from}, ${command}: ${to}`, async () => {
      using house = houseWithTimer();
      await bringInto(house, from);
      const events = house.emitted.length;
      const sent = house.send("tea", command === "start" ? start(30) : { command });
      if (to === REFUSED) {
        await expect(sent).rejects.toMatchObject({ code: "conflict", message: expect.stringContaining(`is ${from}`) });
        expect(attributes(house).state).toBe(from);
        expect(house.emitted).toHaveLength(events);
        return;
      }
      await sent;
      expect(attributes(house).state).toBe(to);
      // A new start in the same millisecond and for the same time changes no attribute.
      const types = house.emitted.slice(events).map(({ event }) => event.type);
      expect(types.filter((type) => type !== "device_state_changed")).toEqual([
        "device_command_sent",
        "timer_state_changed",
      ]);
      expect(house.emitted.at(-1)?.event).toEqual({
        type: "timer_state_changed",
        device_id: "tea",
        previous_state: from,
        state: to,
      });
    });
  }
});

test("cancelling a cancelled timer is no failure, and changes nothing", async () => {
  using house = houseWithTimer();
  await bringInto(house, "cancelled");
  const events = house.emitted.length;
  await house.send("tea", { command: "cancel" });
  expect(house.emitted.slice(events).map(({ event }) => event.type)).toEqual(["device_command_sent"]);
});

describe("a label", () => {
  test("stays until the next start, and over a restart", async () => {
    using house = houseWithTimer();
    await house.send("tea", { ...start(60), label: "Green tea" });
    expect(attributes(house).label).toBe("Green tea");
    house.stop();
    house.start();
    await house.clock.advance(60 * SECOND);
    expect(attributes(house)).toEqual({ state: "expired", duration_secs: 60, label: "Green tea" });
    await house.send("tea", start(60));
    expect(attributes(house).label).toBeUndefined();
  });
});

describe("a timer that repeats", () => {
  const repeat = (secs: number): JsonObject => ({ ...start(secs), repeat: true });
  const ends = (house: House): string[] =>
    house.lines("timer_state_changed").filter((line) => line.endsWith("expired"));

  test("starts again at its end, without drift, until it is cancelled", async () => {
    using house = houseWithTimer();
    await house.send("tea", repeat(90));
    await house.clock.advance(5 * 90 * SECOND);
    expect(ends(house)).toEqual([
      "2026-01-15T12:01:30.000Z tea started → expired",
      "2026-01-15T12:03:00.000Z tea started → expired",
      "2026-01-15T12:04:30.000Z tea started → expired",
      "2026-01-15T12:06:00.000Z tea started → expired",
      "2026-01-15T12:07:30.000Z tea started → expired",
    ]);
    expect(attributes(house)).toMatchObject({ state: "started", repeat: true, ends_at: "2026-01-15T12:09:00.000Z" });
    await house.send("tea", { command: "cancel" });
    await house.clock.advance(HOUR);
    expect(ends(house)).toHaveLength(5);
  });

  test("keeps step over a restart: one end for all that passed meanwhile", async () => {
    using house = houseWithTimer();
    await house.send("tea", repeat(600));
    house.stop();
    await house.clock.advance(35 * MINUTE);
    house.start();
    expect(ends(house)).toEqual(["2026-01-15T12:35:00.000Z tea started → expired"]);
    expect(attributes(house)).toMatchObject({ state: "started", ends_at: "2026-01-15T12:40:00.000Z" });
    await house.clock.advance(5 * MINUTE);
    expect(ends(house).at(-1)).toBe("2026-01-15T12:40:00.000Z tea started → expired");
  });

  test("stops where its end makes somebody stop it", async () => {
    using house = houseWithTimer();
    await house.send("tea", repeat(60));
    await house.send("tea", start(30));
    await house.clock.advance(HOUR);
    expect(ends(house)).toHaveLength(1);
  });

  test("needs a second at least", async () => {
    using house = houseWithTimer();
    await expect(house.send("tea", repeat(0.5))).rejects.toMatchObject({
      code: "invalid",
      message: "repeat: needs a duration of at least 1 second",
    });
  });
});

describe("what cannot be a command", () => {
  const rows: [command: JsonObject, says: string][] = [
    [{ command: "strat" }, 'did you mean "start"?'],
    [{ command: 3 }, "command: must be one of"],
    [{ on: true }, "command: missing: must be one of"],
    [{ command: "pause", duration_secs: 3 }, 'unknown key "duration_secs"'],
    [{ command: "start", duration_sec: 3 }, 'did you mean "duration_secs"?'],
    [{ command: "start" }, "duration_secs: missing"],
    [start(0), "from 0.001"],
    [start(-1), "from 0.001"],
    [start(TEN_YEARS), "ten years"],
    [{ command: "start", duration_secs: "300" }, "must be a number of seconds"],
    [{ command: "start", duration_secs: null }, "must be a number of seconds"],
  ];
  for (const [command, says] of rows) {
    test(`${JSON.stringify(command)} is refused with the reason`, async () => {
      using house = houseWithTimer();
      await expect(house.send("tea", command)).rejects.toMatchObject({
        code: "invalid",
        message: expect.stringContaining(says),
      });
      expect(attributes(house)).toEqual({ state: "idle" });
    });
  }
});

describe("while the hub runs", () => {
  test("a timer ends at the millisecond, once, after its attributes have changed", async () => {
    using house = houseWithTimer();
    await house.send("tea", start(12.345));
    expect(attributes(house)).toEqual({ state: "started", duration_secs: 12.345, ends_at: "2026-01-15T12:00:12.345Z" });
    await house.clock.advance(12_344);
    expect(attributes(house).state).toBe("started");
    await house.clock.advance(1);
    expect(attributes(house)).toEqual({ state: "expired", duration_secs: 12.345 });
    await house.clock.advance(HOUR);
    expect(house.lines("timer_state_changed")).toEqual([
      "2026-01-15T12:00:00.000Z tea idle → started",
      "2026-01-15T12:00:12.345Z tea started → expired",
    ]);
    expect(house.emitted.slice(-2).map(({ event }) => event.type)).toEqual([
      "device_state_changed",
      "timer_state_changed",
    ]);
    expect(house.clock.pending().filter((name) => /timer|clocks/.test(name))).toEqual([]);
  });

  test("the state change contains who commanded it; an end has no such field", async () => {
    using house = houseWithTimer();
    const correlation_id = await house.send("tea", start(1));
    await house.clock.advance(SECOND);
    const [, begun, ended] = house.emitted.flatMap(({ event }) =>
      event.type === "device_state_changed" ? [event] : [],
    );
    expect(begun?.change).toMatchObject({ kind: "user", actor_name: "ann", correlation_id });
    expect(ended?.change).toBeUndefined();
  });

  test("a pause keeps the time that was left", async () => {
    using house = houseWithTimer();
    await house.send("tea", start(60));
    await house.clock.advance(20_500);
    await house.send("tea", { command: "pause" });
    expect(attributes(house)).toEqual({ state: "paused", duration_secs: 60, remaining_secs: 39.5 });
    await house.clock.advance(HOUR);
    expect(house.virtual.timers.remainingSecs(house.virtual.timers.get("tea"))).toBe(39.5);
    await house.send("tea", { command: "resume" });
    expect(attributes(house)).toEqual({ state: "started", duration_secs: 60, ends_at: "2026-01-15T13:01:00.000Z" });
    await house.clock.advance(39_499);
    expect(attributes(house).state).toBe("started");
    await house.clock.advance(1);
    expect(attributes(house).state).toBe("expired");
  });

  test("a new start uses the last duration, and the old run never ends", async () => {
    using house = houseWithTimer();
    await house.send("tea", start(60));
    await house.clock.advance(50 * SECOND);
    await house.send("tea", { command: "start" });
    await house.clock.advance(59 * SECOND);
    expect(attributes(house).state).toBe("started");
    await house.clock.advance(SECOND);
    expect(house.lines("timer_state_changed").at(-1)).toBe("2026-01-15T12:01:50.000Z tea started → expired");
  });

  test("the time left is computed, not written", async () => {
    using house = houseWithTimer();
    await house.send("tea", start(3600));
    const events = house.emitted.length;
    await house.clock.advance(1500);
    expect(house.virtual.timers.remainingSecs(house.virtual.timers.get("tea"))).toBe(3598.5);
    await house.clock.advance(30 * MINUTE);
    expect(house.emitted).toHaveLength(events);
  });

  test("a timer of ten years is a timer", async () => {
    using house = houseWithTimer();
    await house.send("tea", start(TEN_YEARS / 1000));
    expect(attributes(house).ends_at).toBe("2036-01-16T00:00:00.000Z");
  });

  test("a removed timer stops, however it was removed", async () => {
    using house = houseWithTimer();
    house.virtual.timers.create({ id: "egg" });
    await house.send("tea", start(60));
    await house.send("egg", start(60));
    house.virtual.timers.remove("tea");
    house.registry.remove("egg");
    const events = house.emitted.length;
    await house.clock.advance(HOUR);
    expect(house.emitted).toHaveLength(events);
    expect(house.registry.count()).toBe(0);
  });
});

describe("over a restart", () => {
  test("the end stays the same", async () => {
    using house = houseWithTimer();
    await house.send("tea", start(600));
    await house.clock.advance(100 * SECOND);
    house.stop();
    await house.clock.advance(200 * SECOND);
    house.start();
    expect(house.virtual.timers.remainingSecs(house.virtual.timers.get("tea"))).toBe(300);
    await house.clock.advance(299_999);
    expect(attributes(house).state).toBe("started");
    await house.clock.advance(1);
    expect(house.lines("timer_state_changed")).toEqual([
      "2026-01-15T12:00:00.000Z tea idle → started",
      "2026-01-15T12:10:00.000Z tea started → expired",
    ]);
  });

  test("timers that ended meanwhile expire at the start, once, in the order of their ends", async () => {
    using house = houseWithTimer();
    house.virtual.timers.create({ id: "egg" });
    await house.send("egg", start(90));
    await house.send("tea", start(60));
    house.stop();
    await house.clock.advance(HOUR);
    house.start({ begin: false });
    await house.clock.advance(SECOND);
    expect(house.lines("timer_state_changed")).toHaveLength(2);
    house.virtual.start();
    house.stop();
    house.start();
    expect(house.lines("timer_state_changed").slice(2)).toEqual([
      "2026-01-15T13:00:01.000Z tea started → expired",
      "2026-01-15T13:00:01.000Z egg started → expired",
    ]);
  });

  test("a paused timer stays paused", async () => {
    using house = houseWithTimer();
    await house.send("tea", start(60));
    await house.clock.advance(10 * SECOND);
    await house.send("tea", { command: "pause" });
    house.stop();
    await house.clock.advance(HOUR);
    house.start();
    await house.send("tea", { command: "resume" });
    await house.clock.advance(49_999);
    expect(attributes(house).state).toBe("started");
    await house.clock.advance(1);
    expect(attributes(house).state).toBe("expired");
  });

  test("before the start no command is accepted", async () => {
    using house = houseWithTimer();
    house.stop();
    house.start({ begin: false });
    await expect(house.send("tea", start(1))).rejects.toMatchObject({ code: "unavailable" });
  });
});

describe("when the wall clock steps", () => {
  for (const [name, step] of [
    ["ten years ahead", TEN_YEARS],
    ["ten years back", -TEN_YEARS],
    ["an hour ahead", HOUR],
  ] as const) {
    test(`${name}: a running timer keeps its time, and its stored end follows`, async () => {
      using house = houseWithTimer();
      await house.send("tea", start(600));
      await house.clock.advance(100 * SECOND);
      house.clock.step(step);
      await house.clock.advance(100 * SECOND);
      expect(attributes(house).ends_at).toBe(new Date(house.clock.now() + 400 * SECOND).toISOString());
      house.stop();
      await house.clock.advance(100 * SECOND);
      house.start();
      await house.clock.advance(299_999);
      expect(attributes(house).state).toBe("started");
      await house.clock.advance(1);
      expect(attributes(house).state).toBe("expired");
    });
  }

  test("ten years ahead and back: it keeps its time through both", async () => {
    using house = houseWithTimer();
    await house.send("tea", start(600));
    house.clock.step(TEN_YEARS);
    await house.clock.advance(200 * SECOND);
    house.clock.step(-TEN_YEARS);
    await house.clock.advance(399_999);
    expect(attributes(house).state).toBe("started");
    await house.clock.advance(1);
    expect(house.lines("timer_state_changed").at(-1)).toBe("2026-01-15T12:10:00.000Z tea started → expired");
    const rewritten = house.emitted.filter(
      ({ event }) => event.type === "device_state_changed" && event.changed.includes("ends_at") && !event.change,
    );
    expect(rewritten).toHaveLength(3);
  });

  test("a small difference of the clocks changes nothing", async () => {
    using house = houseWithTimer();
    await house.send("tea", start(600));
    const events = house.emitted.length;
    house.clock.step(900);
    await house.clock.advance(300 * SECOND);
    expect(house.emitted).toHaveLength(events);
  });

  test("a Raspberry Pi that boots in the past waits at most the duration, and is corrected with its clock", async () => {
    using house = houseWithTimer();
    await house.send("tea", start(1800));
    await house.clock.advance(600 * SECOND);
    house.stop();
    // Ten minutes without power; the clock boots an hour before it stopped.
    await house.clock.advance(600 * SECOND);
    house.clock.step(-70 * MINUTE);
    house.start();
    expect(house.virtual.timers.remainingSecs(house.virtual.timers.get("tea"))).toBe(1800);
    await house.clock.advance(40 * SECOND);
    house.clock.step(70 * MINUTE);
    await house.clock.advance(10 * SECOND);
    expect(attributes(house).ends_at).toBe("2026-01-15T12:30:00.000Z");
    await house.clock.advance(550 * SECOND - 1);
    expect(attributes(house).state).toBe("started");
    await house.clock.advance(1);
    expect(house.lines("timer_state_changed").at(-1)).toBe("2026-01-15T12:30:00.000Z tea started → expired");
  });

  test("a timer that turns out to be over then expires; one that was started meanwhile does not", async () => {
    using house = houseWithTimer();
    house.virtual.timers.create({ id: "egg" });
    await house.send("tea", start(1800));
    house.stop();
    await house.clock.advance(2 * HOUR);
    house.clock.step(-2 * HOUR);
    house.start();
    await house.send("egg", start(1800));
    house.clock.step(2 * HOUR);
    await house.clock.advance(10 * SECOND);
    expect(attributes(house).state).toBe("expired");
    expect(attributes(house, "egg")).toMatchObject({ state: "started", ends_at: "2026-01-15T14:30:00.000Z" });
    await house.clock.advance(1790 * SECOND);
    expect(attributes(house, "egg").state).toBe("expired");
  });

  test("after a quarter of an hour a step no longer changes a timer", async () => {
    using house = houseWithTimer();
    await house.send("tea", start(7200));
    house.stop();
    house.start();
    await house.clock.advance(16 * MINUTE);
    house.clock.step(TEN_YEARS);
    await house.clock.advance(104 * MINUTE - 1);
    expect(attributes(house).state).toBe("started");
    await house.clock.advance(1);
    expect(attributes(house).state).toBe("expired");
  });
});

describe("when nothing can be written", () => {
  const writable = (house: House, can: boolean) => house.db.durable.run(`PRAGMA query_only = ${can ? 0 : 1}`);

  test("a command is refused and the timer keeps running", async () => {
    using house = houseWithTimer();
    await house.send("tea", start(60));
    writable(house, false);
    for (const command of [start(5), { command: "pause" }, { command: "cancel" }]) {
      await expect(house.send("tea", command)).rejects.toThrow("readonly");
    }
    expect(attributes(house)).toMatchObject({ state: "started", duration_secs: 60 });
    writable(house, true);
    await house.clock.advance(59_999);
    expect(attributes(house).state).toBe("started");
    await house.clock.advance(1);
    expect(house.lines("timer_state_changed")).toEqual([
      "2026-01-15T12:00:00.000Z tea idle → started",
      "2026-01-15T12:01:00.000Z tea started → expired",
    ]);
  });

  test("a timer ends all the same, and the log says why", async () => {
    using house = houseWithTimer();
    await house.send("tea", start(60));
    writable(house, false);
    await house.clock.advance(60 * SECOND);
    expect(house.lines("timer_state_changed").at(-1)).toBe("2026-01-15T12:01:00.000Z tea started → expired");
    expect(house.logged.at(-1)).toContain("cannot be written");
  });
});

describe("making and removing", () => {
  test("an id is taken once, whatever the type", async () => {
    using house = houseWithTimer();
    house.registry.state("lamp", { on: true }, { pluginId: "zigbee", partial: false });
    for (const id of ["tea", "lamp"]) {
      expect(() => house.virtual.timers.create({ id })).toThrow(`the id "${id}" is already taken`);
      expect(() => house.virtual.switches.create({ id })).toThrow(`the id "${id}" is already taken`);
    }
    expect(() => house.virtual.timers.create({ id: "a/b" })).toThrow("id: must have");
    expect(() => house.virtual.timers.create({ id: "ok", name: "  " })).toThrow("name");
    expect(house.registry.ownerOf("ok")).toBeUndefined();
  });

  test("a device of another type is not found as a timer", () => {
    using house = houseWithTimer();
    house.virtual.switches.create({ id: "guest" });
    expect(() => house.virtual.timers.get("guest")).toThrow('there is no timer "guest"');
    expect(() => house.virtual.timers.remove("guest")).toThrow('there is no timer "guest"');
    expect(() => house.virtual.switches.edit("tea", { name: "x" })).toThrow('there is no switch "tea"');
    expect(house.virtual.timers.list().map(({ id }) => id)).toEqual(["tea"]);
  });

  test("name and state survive a restart", async () => {
    using house = houseWithTimer();
    house.stop();
    house.start();
    expect(house.virtual.timers.get("tea")).toMatchObject({ name: "Tea", pluginId: "core", deviceType: "timer" });
  });
});
