// Cooldowns, pauses, holds and schedules: to the second, over restarts and over steps of the clock.
import { expect, test } from "bun:test";
import { on, opened, openRig, type Rig, rule } from "./rig.ts";

const DAY_MS = 86_400_000;
const alert = rule("alert", {
  triggers: { type: "hears", event: "smoke" },
  cooldown_secs: 600,
  actions: [on("siren")],
});

/** Triggers the rule. Returns how often it has fired. */
function fired(rig: Rig, ruleId = "alert"): number {
  rig.emit("smoke");
  return rig.engine.state(ruleId).fire_count;
}

test("a cooldown of 600 s is over after 600 s", async () => {
  await using rig = openRig();
  rig.begin(alert);
  expect(fired(rig)).toBe(1);
  await rig.clock.advance(120_500);
  expect(fired(rig)).toBe(1);
  expect(rig.last("alert")).toBe("cooldown: it fired 120.5 s ago and has a cooldown of 600 s: another 479.5 s");
  await rig.clock.advance(479_499);
  expect(fired(rig)).toBe(1);
  await rig.clock.advance(1);
  expect(fired(rig)).toBe(2);
});

test("a cooldown continues over a restart, also if the power fails a moment after it began", async () => {
  for (const crash of [false, true]) {
    await using rig = openRig();
    rig.begin(alert);
    expect(fired(rig)).toBe(1);
    await rig.clock.advance(crash ? 1 : 100_000);
    await rig.restart({ crash, offMs: crash ? 399_999 : 300_000 });
    await rig.clock.advance(199_999);
    expect(fired(rig)).toBe(1);
    await rig.clock.advance(1);
    expect(fired(rig)).toBe(2);
  }
});

test("setting the clock does not change a cooldown", async () => {
  for (const stepMs of [-3650 * DAY_MS, 3650 * DAY_MS]) {
    await using rig = openRig();
    rig.begin(alert);
    fired(rig);
    rig.clock.step(stepMs);
    await rig.clock.advance(599_999);
    expect(fired(rig)).toBe(1);
    await rig.clock.advance(1);
    expect(fired(rig)).toBe(2);
  }
});

test("a hub that starts years in the past does not stay in a cooldown for years", async () => {
  await using rig = openRig();
  rig.begin(alert);
  fired(rig);
  await rig.restart({ stepMs: -3650 * DAY_MS });
  await rig.clock.advance(599_999);
  expect(fired(rig)).toBe(1);
  await rig.clock.advance(1);
  expect(fired(rig)).toBe(2);
});

test("when a hub that started in the past learns the time, a restored cooldown is over", async () => {
  await using rig = openRig();
  rig.begin(alert);
  fired(rig);
  await rig.restart({ offMs: 3_600_000, stepMs: -3_600_000 });
  expect(fired(rig)).toBe(1);
  rig.clock.step(3_600_000);
  expect(fired(rig)).toBe(2);
});

test("paused by another rule for a while, or until resumed, over restarts", async () => {
  await using rig = openRig();
  const quiet = { ...alert, cooldown_secs: 0 };
  const pause = (id: string, more: object) =>
    rule(id, { triggers: { type: "hears", event: id }, actions: [{ type: "pauses", rule: "alert", ...more }] });
  rig.begin(quiet, pause("hush", { secs: 60 }), pause("silence", {}));
  rig.emit("hush");
  expect(rig.engine.state("alert")).toMatchObject({ paused: true, paused_until: rig.clock.now() + 60_000 });
  await rig.clock.advance(20_000);
  await rig.restart({ crash: true, offMs: 20_000 });
  expect(fired(rig)).toBe(0);
  expect(rig.last("alert")).toBe("paused: it is paused for another 20 s");
  await rig.clock.advance(20_000);
  expect(fired(rig)).toBe(1);
  rig.emit("silence");
  await rig.restart({ crash: true, offMs: DAY_MS });
  expect(fired(rig)).toBe(1);
  expect(rig.last("alert")).toBe("paused: it is paused until it is resumed");
  rig.engine.resume("alert");
  expect(fired(rig)).toBe(2);
});

const tenMinutes = rule("door", { triggers: { ...opened, for_secs: 600 }, actions: [on("bell")] });

test("open for ten minutes: once, to the second, and again only after it was closed", async () => {
  await using rig = openRig();
  rig.begin(tenMinutes);
  rig.report("door", { open: true });
  await rig.clock.advance(300_000);
  rig.report("door", { open: true, battery: 90 });
  await rig.clock.advance(299_999);
  expect(rig.commands).toEqual([]);
  await rig.clock.advance(1);
  expect(rig.commands).toHaveLength(1);
  rig.report("door", { open: true });
  await rig.clock.advance(DAY_MS);
  expect(rig.commands).toHaveLength(1);
  rig.report("door", { open: false });
  rig.report("door", { open: true });
  await rig.clock.advance(599_999);
  rig.report("door", { open: false });
  await rig.clock.advance(DAY_MS);
  expect(rig.commands).toHaveLength(1);
  expect(rig.clock.pending()).not.toContain("rules: hold");
});

test("a hold continues over a restart", async () => {
  await using rig = openRig();
  rig.begin(tenMinutes);
  rig.report("door", { open: true });
  await rig.clock.advance(200_000);
  await rig.restart({ offMs: 200_000 });
  await rig.clock.advance(199_999);
  expect(rig.commands).toEqual([]);
  await rig.clock.advance(1);
  expect(rig.commands).toHaveLength(1);
  await rig.restart({ offMs: 3_600_000 });
  await rig.clock.advance(DAY_MS);
  expect(rig.commands).toHaveLength(1);
});

test("a hold that became due while the hub was off fires at the start, if it still matches", async () => {
  await using rig = openRig();
  rig.begin(tenMinutes);
  rig.report("door", { open: true });
  await rig.clock.advance(2000);
  await rig.restart({ offMs: 900_000 });
  await rig.clock.advance(0);
  expect(rig.commands).toHaveLength(1);
  rig.report("door", { open: false });
  rig.report("door", { open: true });
  await rig.clock.advance(2000);
  await rig.restart({ offMs: 900_000, meanwhile: () => rig.report("door", { open: false }) });
  await rig.clock.advance(DAY_MS);
  expect(rig.commands).toHaveLength(1);
});

test("setting the clock does not change a hold; learning the time after a restart does", async () => {
  await using rig = openRig();
  rig.begin(tenMinutes);
  rig.report("door", { open: true });
  rig.clock.step(DAY_MS);
  await rig.clock.advance(599_999);
  expect(rig.commands).toEqual([]);
  rig.report("door", { open: false });
  rig.report("door", { open: true });
  await rig.clock.advance(2000);
  await rig.restart({ offMs: 900_000, stepMs: -900_000 });
  await rig.clock.advance(60_000);
  expect(rig.commands).toEqual([]);
  rig.clock.step(900_000);
  await rig.clock.advance(10_000);
  expect(rig.commands).toHaveLength(1);
});

test("a change of the conditions does not restart a hold, a change of the trigger ends it", async () => {
  await using rig = openRig();
  rig.begin(tenMinutes);
  rig.report("door", { open: true });
  await rig.clock.advance(300_000);
  rig.engine.put({
    ...tenMinutes,
    priority: 3,
    conditions: [{ type: "is", device: "door", attribute: "open", value: true }],
  });
  await rig.clock.advance(300_000);
  expect(rig.commands).toHaveLength(1);
  rig.report("door", { open: false });
  rig.report("door", { open: true });
  await rig.clock.advance(300_000);
  rig.engine.put(rule("door", { triggers: { ...opened, for_secs: 900 }, actions: [on("bell")] }));
  await rig.restart();
  await rig.clock.advance(DAY_MS);
  expect(rig.commands).toHaveLength(1);
});

const hourly = rule("hourly", { triggers: { type: "ticks", every_secs: 3600 }, actions: [on("bell")] });

test("a schedule fires at its time, once, also when the hub is restarted within its minute", async () => {
  await using rig = openRig();
  rig.begin(hourly);
  await rig.clock.advance(3_599_999);
  expect(rig.commands).toEqual([]);
  await rig.clock.advance(1);
  expect(rig.commands).toHaveLength(1);
  expect(rig.engine.traces("hourly")[0]?.trigger.context).toEqual({ scheduled_at: "2026-01-15T13:00:00.000Z" });
  await rig.restart({ crash: true });
  await rig.clock.advance(3_590_000);
  expect(rig.commands).toHaveLength(1);
  await rig.restart({ offMs: 20_000 });
  await rig.clock.advance(1);
  expect(rig.commands).toHaveLength(2);
});

test("missed times run late only if the rule says so, and not those while it was disabled", async () => {
  await using rig = openRig();
  const late = { ...hourly, id: "late", name: "late", catch_up_secs: 7200, actions: [on("clock")] };
  rig.begin(hourly, late);
  await rig.restart({ offMs: 3_600_000 + 300_000 });
  await rig.clock.advance(1);
  expect(rig.commands).toEqual(['clock {"on":true}']);
  rig.engine.put({ ...late, enabled: false });
  await rig.clock.advance(3_600_000);
  rig.engine.put(late);
  await rig.clock.advance(1000);
  expect(rig.commands).toEqual(['clock {"on":true}', 'bell {"on":true}']);
});
