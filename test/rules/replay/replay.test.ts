// What a rule would have done, from a history that the real database keeps.
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { firingsOf, openReplayRig, type ReplayRig } from "./rig.ts";

let rig: ReplayRig;
beforeEach(() => {
  rig = openReplayRig();
});
afterEach(() => rig[Symbol.asyncDispose]());

const LIGHT = '[[actions]]\ntype = "set_device_state"\ndevice_id = "lamp"\nstate = { on = true }\n';
const MOTION = '[trigger]\ntype = "device_state_changed"\ndevice_id = "motion"\nattribute = "motion"\nto = true\n';
const WEEK = { from: "2026-01-19T00:00:00Z", to: "2026-01-26T00:00:00Z" };
const minutes = (at: string, count: number): string => new Date(Date.parse(at) + count * 60_000).toISOString();

describe("a light that goes on by motion when it is dark", () => {
  const dark =
    '[[conditions]]\ntype = "device_state"\ndevice_id = "sensor"\nattribute = "lux"\nop = "Lt"\nvalue = 20\n';

  function aDay(): void {
    rig.report("2026-01-18T10:00:00Z", "sensor", { lux: 5 });
    rig.report("2026-01-18T10:00:00Z", "motion", { motion: false });
    // Before the period.
    rig.report("2026-01-18T11:00:00Z", "motion", { motion: true });
    rig.report("2026-01-18T11:05:00Z", "motion", { motion: false });
    // The brightness is still that of the day before.
    rig.report("2026-01-19T06:00:00Z", "motion", { motion: true });
    rig.report("2026-01-19T06:05:00Z", "motion", { motion: false });
    rig.report("2026-01-19T08:00:00Z", "sensor", { lux: 300 });
    rig.report("2026-01-19T09:00:00Z", "motion", { motion: true });
    rig.report("2026-01-19T09:05:00Z", "motion", { motion: false });
    rig.report("2026-01-19T12:00:00Z", "motion", { motion: true });
    rig.report("2026-01-19T12:05:00Z", "motion", { motion: false });
    rig.report("2026-01-19T17:00:00Z", "sensor", { lux: 3 });
    rig.report("2026-01-19T18:00:00.500Z", "motion", { motion: true });
  }

  test("goes on in the dark; why it stayed dark is counted", async () => {
    aDay();
    const replay = await rig.replay(MOTION + dark + LIGHT, WEEK);
    expect(firingsOf(replay)).toEqual([
      '2026-01-19T06:00:00.000Z lamp {"on":true}',
      '2026-01-19T18:00:00.500Z lamp {"on":true}',
    ]);
    expect(replay.firings[0]?.why).toBe("motion.motion to true; the condition passed");
    const last = Date.parse("2026-01-19T12:00:00Z");
    expect(replay.misses).toEqual([{ why: "a condition did not pass: sensor.lux is below 20", count: 2, last }]);
    expect(replay).toMatchObject({ unknown: [], evaluations: 4, until: Date.parse(WEEK.to) });
    expect(rig.house.done.commands).toEqual([]);
  });

  test("the same while it is disabled, and whatever the house is like now", async () => {
    aDay();
    rig.house.put("sensor", { attributes: { lux: 9999 } });
    const replay = await rig.replay(`enabled = false\n${MOTION}${dark}${LIGHT}`, WEEK);
    expect(replay.firings).toHaveLength(2);
  });

  test("a cooldown counts in the time of then", async () => {
    rig.report("2026-01-18T10:00:00Z", "motion", { motion: false });
    for (const minute of [0, 3, 9, 10, 12]) {
      rig.report(minutes("2026-01-20T10:00:00Z", minute), "motion", { motion: true });
      rig.report(minutes("2026-01-20T10:00:30Z", minute), "motion", { motion: false });
    }
    const replay = await rig.replay(`cooldown_secs = 600\n${MOTION}${LIGHT}`, WEEK);
    expect(firingsOf(replay)).toEqual([
      '2026-01-20T10:00:00.000Z lamp {"on":true}',
      '2026-01-20T10:10:00.000Z lamp {"on":true}',
    ]);
    const last = Date.parse("2026-01-20T10:12:00Z");
    expect(replay.misses).toEqual([{ why: "its cooldown was not over", count: 3, last }]);
    expect(replay.unknown).toEqual([
      "whether its cooldown was already running at 2026-01-19 01:00: none was taken to be",
    ]);
  });

  test("with conditions of the sun, the time, a mode and an expression", async () => {
    rig.house.modes.set("night", true);
    rig.report("2026-01-18T10:00:00Z", "motion", { motion: false });
    rig.house.put("night", { deviceType: "mode" });
    rig.report("2026-01-18T10:00:00Z", "night", { on: false });
    rig.report("2026-01-18T11:00:00Z", "door", { open: false });
    rig.report("2026-01-19T12:00:00Z", "motion", { motion: true });
    rig.report("2026-01-19T12:05:00Z", "motion", { motion: false });
    rig.report("2026-01-19T18:00:00Z", "motion", { motion: true });
    rig.report("2026-01-19T18:05:00Z", "motion", { motion: false });
    rig.report("2026-01-19T19:00:00Z", "night", { on: true });
    rig.report("2026-01-19T19:10:00Z", "motion", { motion: true });
    rig.report("2026-01-19T19:15:00Z", "motion", { motion: false });
    rig.report("2026-01-19T19:20:00Z", "door", { open: true });
    rig.report("2026-01-19T19:25:00Z", "door", { open: false });
    rig.report("2026-01-19T19:30:00Z", "motion", { motion: true });
    rig.report("2026-01-19T19:35:00Z", "motion", { motion: false });
    rig.report("2026-01-19T23:30:00Z", "motion", { motion: true });
    const rule = `${MOTION}
      required_expression = "current_hour() < 24 && !bool(device_state('door').open)"
      [[conditions]]
      type = "sun"
      position = "below_horizon"
      [[conditions]]
      type = "and"
      conditions = [{ type = "mode_is", mode_id = "night" }, { type = "time_window", start = "19:00", end = "00:30" }]
      [[conditions]]
      type = "time_elapsed"
      device_id = "door"
      attribute = "open"
      duration_secs = 600\n${LIGHT}`.replace(/(\[trigger\][\s\S]*?)\n\s*(required_expression.*)\n/, "$2\n$1\n");
    const replay = await rig.replay(rule, WEEK);
    expect(firingsOf(replay)).toEqual(['2026-01-19T19:10:00.000Z lamp {"on":true}']);
    expect(replay.misses.map(({ why, count }) => `${count} ${why}`)).toEqual([
      "1 a condition did not pass: 19:00–00:30",
      "1 a condition did not pass: door.open unchanged for at least 600 s",
      "1 a condition did not pass: mode night is on",
      "1 a condition did not pass: the sun is below the horizon",
    ]);
    expect(replay.unknown).toEqual([]);
  });
});

describe("runs that take time", () => {
  const off = '[[actions]]\ntype = "set_device_state"\ndevice_id = "lamp"\nstate = { on = false }\n';
  const rule = (mode: string, wait: string): string => `run_mode = "${mode}"\n${MOTION}${LIGHT}${wait}${off}`;
  const pause = '[[actions]]\ntype = "delay"\nduration_secs = 600\n';

  beforeEach(() => {
    rig.report("2026-01-19T06:00:00Z", "motion", { motion: false });
    for (const minute of [0, 5, 30]) {
      rig.report(minutes("2026-01-19T10:00:00Z", minute), "motion", { motion: true });
      rig.report(minutes("2026-01-19T10:01:00Z", minute), "motion", { motion: false });
    }
  });
  const lastsOf = ({ firings }: Awaited<ReturnType<ReplayRig["replay"]>>): string[] =>
    firings.map(({ at, endedAt = 0, actions }) => {
      const time = (ms: number): string => new Date(ms).toISOString().slice(11, 16);
      return `${time(at)}–${time(endedAt)} ${actions.map(({ result }) => result).join(" ")}`;
    });

  test("a run that lasts has its place in the run mode", async () => {
    expect(lastsOf(await rig.replay(rule("single", pause), WEEK))).toEqual([
      "10:00–10:10 ok ok ok",
      "10:30–10:40 ok ok ok",
    ]);
    expect(lastsOf(await rig.replay(rule("restart", pause), WEEK))).toEqual([
      "10:00–10:05 ok cancelled",
      "10:05–10:15 ok ok ok",
      "10:30–10:40 ok ok ok",
    ]);
    const single = await rig.replay(rule("single", pause), WEEK);
    expect(single.misses.map(({ why }) => why)).toEqual(["its last run is not over, and its run mode is single"]);
  });

  test("it waits for what is recorded", async () => {
    const quiet = `
      [[actions]]
      type = "wait_for_expression"
      expression = "!device_state('motion').motion"
      timeout_secs = 3600\n`;
    expect(lastsOf(await rig.replay(rule("parallel", quiet), WEEK))).toEqual([
      "10:00–10:01 ok ok ok",
      "10:05–10:06 ok ok ok",
      "10:30–10:31 ok ok ok",
    ]);
  });

  test("one that is not over at the end says so", async () => {
    const { firings } = await rig.replay(rule("parallel", pause), { ...WEEK, to: "2026-01-19T10:35:00Z" });
    expect(firings.at(-1)?.why).toBe(
      "motion.motion to true; there are no conditions; it was still running at 2026-01-19 11:35",
    );
  });
});

describe("a number that passes a limit", () => {
  const threshold = (limits: string): string =>
    `[trigger]\ntype = "numeric_threshold"\ndevice_id = "fridge"\nattribute = "t"\n${limits}\n${LIGHT}`;
  const series = (start: string, values: readonly number[]): void => {
    for (const [index, t] of values.entries()) rig.report(minutes(start, index), "fridge", { t });
  };

  test("once, and again only after it was back, with two limits apart", async () => {
    series("2026-01-20T10:00:00Z", [20, 24, 26, 24, 26, 19, 17, 19, 26]);
    const replay = await rig.replay(threshold("crosses_above = 25\ncrosses_below = 18"), WEEK);
    expect(firingsOf(replay).map((text) => text.slice(11, 16))).toEqual(["10:02", "10:04", "10:06", "10:08"]);
    const held = await rig.replay(threshold("above = 25"), WEEK);
    expect(firingsOf(held).map((text) => text.slice(11, 16))).toEqual(["10:02", "10:04", "10:08"]);
  });

  test("fires when it has lasted, at that moment, and not if it was back before", async () => {
    series("2026-01-20T10:00:00Z", [20, 26, 24, 26, 27, 28, 29, 30, 31, 32, 20]);
    const replay = await rig.replay(threshold("above = 25\nfor_duration_secs = 330"), WEEK);
    expect(firingsOf(replay)).toEqual(['2026-01-20T10:08:30.000Z lamp {"on":true}']);
    expect(replay.unknown).toEqual([
      "whether a wait of its triggers was already running at 2026-01-19 01:00: none was taken to be",
      'no value of "t" of "fridge" is recorded before 2026-01-20 11:00: until then the rule saw none',
    ]);
  });

  test("one that is not over at the end of the period does not fire", async () => {
    series("2026-01-20T10:00:00Z", [20, 26]);
    const to = "2026-01-20T10:06:00Z";
    expect((await rig.replay(threshold("above = 25\nfor_duration_secs = 300"), { ...WEEK, to })).firings).toEqual([]);
    const later = { ...WEEK, to: "2026-01-20T10:06:00.001Z" };
    expect((await rig.replay(threshold("above = 25\nfor_duration_secs = 300"), later)).firings).toHaveLength(1);
  });
});

describe("schedules", () => {
  const cron = (expression: string): string => `[trigger]\ntype = "cron"\nexpression = "${expression}"\n${LIGHT}`;

  test("cron follows the clock of the house when it is put forward and back", async () => {
    const spring = await rig.replay(cron("0 30 2 * * *"), { from: "2026-03-28T00:00:00Z", to: "2026-03-31T00:00:00Z" });
    // 02:30 does not exist on the 29th; it comes with the first moment after the gap.
    expect(firingsOf(spring).map((text) => text.slice(0, 16))).toEqual([
      "2026-03-28T01:30",
      "2026-03-29T01:00",
      "2026-03-30T00:30",
    ]);
    const autumn = await rig.replay(cron("0 30 2 * * *"), { from: "2026-10-24T00:00:00Z", to: "2026-10-27T00:00:00Z" });
    expect(firingsOf(autumn).map((text) => text.slice(0, 16))).toEqual([
      "2026-10-24T00:30",
      "2026-10-25T00:30",
      "2026-10-26T01:30",
    ]);
    expect(autumn.unknown).toEqual([]);
  });

  test("a beat, a time of day and the sun, in the order of time; the beginning counts, the end does not", async () => {
    const rule = `
      [[triggers]]
      type = "periodic"
      every_secs = 43200
      [[triggers]]
      type = "time_of_day"
      time = "07:30"
      days = ["tue"]
      [[triggers]]
      type = "sun_event"
      event = "sunset"\n${LIGHT}`;
    const period = { from: "2026-01-19T23:00:00Z", to: "2026-01-20T23:00:00Z" };
    const { firings } = await rig.replay(rule, period);
    expect(firings.map(({ at, trigger }) => `${new Date(at).toISOString().slice(11, 16)} ${trigger.type}`)).toEqual([
      "23:00 periodic",
      "06:30 time_of_day",
      "11:00 periodic",
      expect.stringMatching(/^15:\d\d sun_event$/),
    ]);
  });
});

describe("what happened to modes, timers and buttons", () => {
  test("modes and timers are devices too", async () => {
    rig.house.modes.set("away", false);
    rig.house.put("away", { deviceType: "mode" });
    rig.house.put("kettle", { deviceType: "timer" });
    rig.report("2026-01-18T10:00:00Z", "away", { on: false });
    rig.report("2026-01-18T10:00:00Z", "kettle", { state: "idle" });
    rig.report("2026-01-19T10:00:00Z", "away", { on: true });
    rig.report("2026-01-19T11:00:00Z", "kettle", { state: "started" });
    rig.report("2026-01-19T12:00:00Z", "kettle", { state: "expired" });
    rig.report("2026-01-19T13:00:00Z", "away", { on: false });
    const rule = `
      [[triggers]]
      type = "mode_changed"
      mode_id = "away"
      on = true
      [[triggers]]
      type = "timer_state_changed"
      device_id = "kettle"
      state = "expired"\n${LIGHT}`;
    const replay = await rig.replay(rule, WEEK);
    expect(replay.firings.map(({ trigger }) => trigger.context)).toEqual([
      { mode_id: "away", mode_name: "away", on: true },
      { ...{ device_id: "kettle", device_name: "kettle" }, attribute: "state", value: "expired", previous: "started" },
    ]);
    expect(replay.unknown).toEqual(["a timer that was started again while it ran is not recorded"]);
  });

  test.each(["button_event", "device_action"])("%s, as far as it is recorded", async (type) => {
    rig.report("2026-01-19T10:00:00Z", "remote", { action: "single" });
    rig.report("2026-01-19T10:00:01Z", "remote", { action: "" });
    rig.report("2026-01-19T10:00:05Z", "remote", { action: "double" });
    const replay = await rig.replay(`[trigger]\ntype = "${type}"\ndevice_id = "remote"\n${LIGHT}`, WEEK);
    expect(firingsOf(replay).map((text) => text.slice(11, 19))).toEqual(["10:00:00", "10:00:05"]);
    expect(replay.unknown).toEqual([
      `of ${type}, the same press twice in a row is recorded once, and presses sent as events are not recorded`,
    ]);
  });
});

test("devices that the rule finds by their area are read as well", async () => {
  await using rig = openReplayRig();
  for (const id of ["hall_a", "hall_b"]) rig.house.put(id, { area: "hall", attributes: { motion: false } });
  rig.report("2026-01-10T10:00:00Z", "hall_a", { motion: false });
  rig.report("2026-01-10T11:00:00Z", "hall_b", { motion: false });
  rig.report("2026-01-12T08:00:00Z", "hall_a", { motion: true });
  rig.report("2026-01-12T09:00:00Z", "hall_b", { motion: true });
  const rule = `
    [[triggers]]
    type = "device_state_changed"
    area = "hall"
    attribute = "motion"
    to = true
    [[actions]]
    type = "log_message"
    expression = "trigger.device_id"`;
  const replay = await rig.replay(rule, { from: "2026-01-12T00:00:00Z", to: "2026-01-13T00:00:00Z" });
  expect(firingsOf(replay)).toEqual(["2026-01-12T08:00:00.000Z info: hall_a", "2026-01-12T09:00:00.000Z info: hall_b"]);
  expect(replay.unknown).toEqual(["which devices an area, a tag or a type had then: those of now were taken"]);
});
