// Rules that would never end: each is stopped and reports why, and the hub stays responsive.
import { expect, test } from "bun:test";
import { on, openRig, rule } from "./rig.ts";

const receives = (event: string) => ({ type: "hears", event });
const fires = (event: string) => ({ type: "fires", event });

test("a rule that triggers itself is stopped after ten times, and the circle is named", async () => {
  await using rig = openRig();
  rig.begin(rule("r1", { name: "Echo", triggers: receives("echo"), actions: [fires("echo")] }));
  rig.emit("echo");
  await rig.clock.advance(0);
  expect(rig.engine.state("r1").fire_count).toBe(10);
  const why = `rules triggered each other more than 10 deep and were stopped: ${Array(11).fill("Echo").join(" → ")}`;
  expect(rig.last("r1")).toBe(`runaway: ${why}`);
  expect(rig.engine.state("r1").last_error?.message).toBe(why);
  expect(rig.events.at(-1)).toMatchObject({
    type: "action_failed",
    rule_name: "Echo",
    action_type: "runaway",
    error: why,
  });
  expect(rig.logged).toHaveLength(1);
});

test("two rules that trigger each other through a device, as its plugin echoes it", async () => {
  await using rig = openRig();
  const change = (to: boolean) => ({ type: "changes", device: "lamp", attribute: "on", to });
  rig.onCommand((id, state, ruleId) => rig.report(id, state as { on: boolean }, { kind: "rule", actor_id: ruleId }));
  rig.begin(
    rule("1", { name: "On", triggers: change(true), actions: [{ type: "set", device: "lamp", state: { on: false } }] }),
    rule("2", {
      name: "Off",
      triggers: change(false),
      actions: [{ type: "set", device: "lamp", state: { on: true } }],
    }),
  );
  rig.report("lamp", { on: true });
  await rig.clock.advance(0);
  expect(rig.commands).toHaveLength(10);
  expect(rig.last("1")).toContain("On → Off → On");
});

test("the circle is named in its order, also if rules react at once", async () => {
  await using rig = openRig();
  const next = (id: string, from: string, to: string) =>
    rule(id, { triggers: receives(from), actions: [fires(to), fires("end")] });
  rig.begin(next("a", "1", "2"), next("b", "2", "3"), next("c", "3", "1"));
  await rig.engine.run("a");
  expect(rig.last("b")).toBe(
    "runaway: rules triggered each other more than 10 deep and were stopped: a → b → c → a → b → c → a → b → c → a → b",
  );
  expect(rig.count("action_failed")).toBe(1);
});

test("a slow circle is allowed: a lamp that blinks", async () => {
  await using rig = openRig();
  rig.begin(
    rule("r1", { triggers: receives("tick"), actions: [{ type: "delay", secs: 1 }, on("lamp"), fires("tick")] }),
  );
  rig.emit("tick");
  await rig.clock.advance(120_000);
  expect(rig.commands).toHaveLength(120);
});

test("a rule that others trigger too often is blocked for a minute", async () => {
  await using rig = openRig();
  const shouts = Array(60).fill(fires("shout"));
  rig.begin(
    rule("loud", { triggers: receives("begin"), actions: shouts }),
    rule("r1", { triggers: receives("shout") }),
  );
  rig.emit("begin");
  expect(rig.engine.state("r1").fire_count).toBe(50);
  expect(rig.last("r1")).toContain("runaway: it fired too often and is blocked for another 60 s");
  expect(rig.logged).toHaveLength(1);
  await rig.clock.advance(59_999);
  rig.emit("shout");
  expect(rig.engine.state("r1").fire_count).toBe(50);
  await rig.clock.advance(1);
  rig.emit("shout");
  expect(rig.engine.state("r1").fire_count).toBe(51);
});

test("a rule that fires hundreds of times a second is blocked; ten a second are fine", async () => {
  await using rig = openRig();
  rig.begin(rule("r1", { triggers: receives("meter") }));
  for (let n = 0; n < 300; n++) {
    rig.emit("meter");
    await rig.clock.advance(100);
  }
  expect(rig.engine.state("r1").fire_count).toBe(300);
  await rig.clock.advance(10_000);
  for (let n = 0; n < 2000; n++) rig.emit("meter");
  expect(rig.engine.state("r1").fire_count).toBe(800);
  expect(rig.count("action_failed")).toBe(1);
});

test("an endless loop is ended, and the hub stays responsive meanwhile", async () => {
  await using rig = openRig();
  const loop = { type: "loops", while: "true", actions: [{ type: "counts", name: "n" }] };
  rig.begin(
    rule("r1", { triggers: receives("go"), actions: [loop, on("after")] }),
    rule("r2", { triggers: receives("hi") }),
  );
  rig.emit("go");
  for (let turn = 0; turn < 10; turn++) await new Promise((resolve) => setImmediate(resolve));
  expect(rig.engine.state("r1").running).toBe(1);
  rig.emit("hi");
  expect(rig.engine.state("r2").fire_count).toBe(1);
  while (rig.engine.state("r1").running > 0) await new Promise((resolve) => setImmediate(resolve));
  const [trace] = rig.engine.traces("r1");
  expect(trace?.actions[0]).toMatchObject({
    result: "failed",
    error:
      "the loop made more than 10000 turns within a minute and was ended: add a delay, or correct its end condition",
  });
  expect(trace?.actions[0]?.parts).toHaveLength(499);
  expect(trace?.omittedActions).toBe(9502);
  expect(rig.commands).toEqual(['after {"on":true}']);
});

test("a loop that waits may run for weeks", async () => {
  await using rig = openRig();
  const loop = {
    type: "loops",
    while: "true",
    actions: [
      { type: "delay", secs: 60 },
      { type: "counts", name: "n" },
    ],
  };
  rig.begin(rule("r1", { triggers: receives("go"), actions: [loop] }));
  rig.emit("go");
  await rig.clock.advance(200 * 60_000);
  expect(rig.engine.state("r1").running).toBe(1);
  rig.engine.remove("r1");
});

test("rules that run each other are stopped ten deep, also if they wait for each other", async () => {
  for (const wait of [false, true]) {
    await using rig = openRig();
    rig.begin(
      rule("a", { triggers: receives("go"), actions: [{ type: "runs", rule: "b", wait }] }),
      rule("b", { actions: [{ type: "runs", rule: "a", wait }] }),
    );
    rig.emit("go");
    await rig.clock.advance(0);
    expect(rig.engine.state("a").fire_count + rig.engine.state("b").fire_count).toBe(10);
    expect(rig.last("a")).toContain("runaway: rules triggered each other more than 10 deep");
    expect(rig.engine.state("a").running + rig.engine.state("b").running).toBe(0);
  }
});

test("running a rule that cannot run is a failed action with a reason; failed conditions of the other rule are not", async () => {
  await using rig = openRig();
  const run = (target: string) => ({ type: "runs", rule: target, wait: true, conditions: true });
  rig.begin(
    rule("r1", { triggers: receives("go"), actions: ["off", "none", "no", "yes"].map(run) }),
    rule("off", { enabled: false, actions: [on("a")] }),
    rule("no", { conditions: [{ type: "breaks" }], actions: [on("b")] }),
    rule("yes", { actions: [{ type: "delay", secs: 5 }, on("c")] }),
  );
  rig.emit("go");
  await rig.clock.advance(5000);
  expect(rig.engine.traces("r1")[0]?.actions).toMatchObject([
    { result: "failed", error: 'the rule "off" is disabled' },
    { result: "failed", error: 'there is no rule "none"' },
    { result: "ok" },
    { result: "ok", durationMs: 5000 },
  ]);
  expect(rig.commands).toEqual(['c {"on":true}']);
  expect(rig.engine.traces("yes")[0]).toMatchObject({ trigger: { label: 'run by the rule "r1"' } });
});
