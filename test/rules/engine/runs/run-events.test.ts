// Each run ends with one event: `rule_fired` once its actions were executed, or `rule_run_ended` where something else ended it.
import { describe, expect, test } from "bun:test";
import type { Typed } from "../../../../src/rules/model/define.ts";
import { OWN, on, openRig, type Rig, rule } from "../rig.ts";

const clap = { type: "hears", event: "clap" };
const wait = (secs: number): Typed => ({ type: "delay", secs });
const broken: Typed = { type: "fails" };

/** What is reported of runs, and their commands, in the order in which they happened. */
function watched(rig: Rig): string[] {
  const story: string[] = [];
  rig.onCommand((id) => rig.feed.emit({ type: "custom_command", id }));
  rig.feed.on("*", "test", ({ event }) => {
    const { type, rule_id, reason, id } = event as { type: string; rule_id?: string; reason?: string; id?: string };
    if (type === "custom_command") story.push(`${id}`);
    if (type === "rule_fired" || type === "action_failed") story.push(`${type} ${rule_id}`);
    if (type === "rule_run_ended") story.push(`${type} ${rule_id}: ${reason}`);
  });
  return story;
}

async function clapped(rig: Rig, advanceMs = 0): Promise<void> {
  rig.emit("clap");
  await rig.clock.advance(advanceMs);
}

test("rule_fired follows the last action, also where one of them waits", async () => {
  await using rig = openRig();
  const story = watched(rig);
  rig.begin(
    rule("r1", { triggers: clap, actions: [on("a"), on("b")] }),
    rule("r2", { triggers: clap, actions: [on("c"), wait(3600), on("d")] }),
  );
  await clapped(rig);
  expect(story).toEqual(["a", "c", "b", "rule_fired r1"]);
  // The cooldown and the count are of the moment in which it began.
  expect(rig.engine.state("r2")).toMatchObject({ fire_count: 1, last_fired_at: rig.clock.now() });
  await rig.clock.advance(3_600_000);
  expect(story.slice(4)).toEqual(["d", "rule_fired r2"]);
});

test("rule_fired waits for the other machine of the house, its commands do not, and a stop leaves none out", async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  await using rig = openRig({ ...OWN, waitKept: () => promise });
  const story = watched(rig);
  rig.begin(rule("r1", { triggers: clap, actions: [on("a")] }));
  await clapped(rig);
  expect(story).toEqual(["a"]);
  await rig.engine[Symbol.asyncDispose]();
  expect(story).toEqual(["a", "rule_fired r1"]);
  resolve();
  await promise;
  await rig.clock.advance(0);
  expect(story).toEqual(["a", "rule_fired r1"]);
});

test("an action that fails is reported first, and the rule has fired all the same", async () => {
  await using rig = openRig();
  const story = watched(rig);
  rig.begin(rule("r1", { triggers: clap, actions: [broken, on("b")] }));
  await clapped(rig);
  expect(story).toEqual(["action_failed r1", "b", "rule_fired r1"]);
});

describe("what an action sent and did not get through", () => {
  for (const [waits, result] of [
    [true, "queued"],
    [false, "failed"],
  ] as const)
    test(`is an action_failed, and ${result} in the trace`, async () => {
      await using rig = openRig();
      rig.begin(rule("r1", { triggers: clap, actions: [{ type: "sends", waits }, wait(60)] }));
      await clapped(rig);
      const error = waits ? "no network; it is stored, and tried again" : "no network";
      expect(rig.events.at(-1)).toMatchObject({ type: "action_failed", rule_id: "r1", action_type: "sends", error });
      expect(rig.engine.traces("r1")[0]?.actions[0]).toMatchObject({ type: "sends", result });
      await rig.clock.advance(60_000);
      expect([rig.count("action_failed"), rig.count("rule_fired")]).toEqual([1, 1]);
    });

  test("is reported when it is known, also when the run is over", async () => {
    await using rig = openRig();
    const late = Promise.withResolvers<void>();
    rig.onCommand(() => late.promise);
    rig.begin(rule("r1", { triggers: clap, actions: [{ type: "sends", waits: true }] }));
    await clapped(rig);
    expect([rig.count("rule_fired"), rig.count("action_failed")]).toEqual([1, 0]);
    late.resolve();
    await rig.clock.advance(0);
    expect(rig.count("action_failed")).toBe(1);
    expect(rig.engine.traces("r1")[0]?.actions).toMatchObject([{ type: "sends", result: "ok" }]);
  });
});

test("of runs beside each other, each reports its own end", async () => {
  await using rig = openRig();
  const story = watched(rig);
  rig.begin(rule("r1", { triggers: clap, actions: [on("a"), wait(60)] }));
  await clapped(rig, 30_000);
  await clapped(rig, 30_000);
  expect(story).toEqual(["a", "a", "rule_fired r1"]);
  await rig.clock.advance(30_000);
  expect(rig.count("rule_fired")).toBe(2);
});

test("queued runs report their ends in their order", async () => {
  await using rig = openRig();
  const story = watched(rig);
  rig.begin(rule("r1", { triggers: clap, run_mode: "queued", actions: [wait(60), on("a")] }));
  for (let n = 0; n < 3; n++) await clapped(rig);
  await rig.clock.advance(180_000);
  expect(story).toEqual(["a", "rule_fired r1", "a", "rule_fired r1", "a", "rule_fired r1"]);
});

test("a run that something else ends has not fired, and says what ended it", async () => {
  await using rig = openRig();
  const story = watched(rig);
  const lamp = rule("r1", { triggers: clap, run_mode: "restart", actions: [on("a"), wait(60), on("b")] });
  rig.begin(lamp);
  await clapped(rig);
  await clapped(rig);
  const again = "cancelled, because the rule was triggered again";
  expect(story).toEqual(["a", `rule_run_ended r1: ${again}`, "a"]);
  const [run] = rig.engine.runs("r1");
  rig.engine.cancelRun("r1", String(run?.id), { name: "ann" });
  await clapped(rig);
  rig.engine.put({ ...lamp, enabled: false });
  expect(story.slice(3)).toEqual([
    "rule_run_ended r1: cancelled by ann",
    "a",
    "rule_run_ended r1: the rule was disabled",
  ]);
  await rig.clock.advance(600_000);
  expect(rig.count("rule_fired")).toBe(0);
});

for (const crash of [false, true])
  test(`a run that goes on after the hub was ${crash ? "killed" : "stopped"} tells of its end once, with what triggered it`, async () => {
    await using rig = openRig();
    rig.begin(rule("r1", { triggers: clap, actions: [on("a"), wait(60), on("b")] }));
    rig.emit("clap", { by: "ann" });
    await rig.clock.advance(1000);
    await rig.restart({ crash });
    expect(rig.events.map(({ type }) => type)).not.toContain("rule_run_ended");
    expect(rig.count("rule_fired")).toBe(0);
    await rig.clock.advance(60_000);
    const notified = rig.events.filter(({ type }) => type === "rule_fired");
    expect(notified).toMatchObject([{ rule_id: "r1", trigger_type: "Hears", trigger_label: "clap was heard" }]);
  });
