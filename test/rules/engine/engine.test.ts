// From an event to the commands, and the answer to "why did it not turn on?".
import { expect, test } from "bun:test";
import { on, opened, openRig, rule } from "./rig.ts";

test("a trigger, its conditions, its actions, and the record of all of it", async () => {
  await using rig = openRig();
  rig.report("door", { open: false });
  rig.report("hall", { dark: true });
  const conditions = [{ type: "is", device: "hall", attribute: "dark", value: true }];
  rig.begin(rule("r1", { name: "Hall light", triggers: opened, conditions, actions: [on("lamp"), on("fan")] }));
  rig.report("door", { open: true });
  await rig.clock.advance(0);
  expect(rig.commands).toEqual(['lamp {"on":true}', 'fan {"on":true}']);
  expect(rig.events.at(-1)).toMatchObject({
    type: "rule_fired",
    rule_id: "r1",
    rule_name: "Hall light",
    trigger_type: "Changes",
    trigger_context: { device_id: "door", attribute: "open", value: true },
    trigger_label: "door.open is true",
  });
  expect(rig.engine.traces("r1")).toMatchObject([
    {
      ruleId: "r1",
      dryRun: false,
      outcome: "fired",
      why: "door.open is true; the condition passed",
      trigger: { type: "changes", label: "door.open is true", context: { device_id: "door" } },
      conditions: [{ type: "is", passed: true, expected: "hall.dark is true", actual: true }],
      actions: [
        { type: "set", result: "ok", detail: 'lamp {"on":true}', durationMs: 0 },
        { type: "set", result: "ok", detail: 'fan {"on":true}' },
      ],
      endedAt: rig.clock.now(),
    },
  ]);
  expect(rig.engine.state("r1")).toMatchObject({ fire_count: 1, running: 0, last_fired_at: rig.clock.now() });
});

test("every condition is evaluated, and the trace shows which did not pass", async () => {
  await using rig = openRig();
  rig.report("hall", { dark: false, heat: 20 });
  const conditions = [
    { type: "is", device: "hall", attribute: "dark", value: true },
    { type: "is", device: "hall", attribute: "heat", value: 20 },
    { type: "breaks" },
  ];
  rig.begin(rule("r1", { triggers: opened, conditions, actions: [on("lamp")] }));
  rig.report("door", { open: true });
  expect(rig.last("r1")).toBe("conditions_failed: hall.dark was false, must be true; 1 more did not pass");
  expect(rig.engine.traces("r1")[0]?.conditions).toMatchObject([
    { passed: false, actual: false },
    { passed: true, actual: 20 },
    { type: "breaks", passed: false, error: "this condition is broken" },
  ]);
  expect(rig.commands).toEqual([]);
  expect(rig.count("rule_fired")).toBe(0);
});

test("trigger_condition and required_expression are conditions like others in the trace", async () => {
  await using rig = openRig();
  const received = { type: "hears", event: "clap" };
  rig.begin(
    rule("twice", { triggers: received, trigger_condition: "trigger.times == 2", actions: [on("lamp")] }),
    rule("ready", { triggers: received, required_expression: "state.nobody.here", actions: [on("fan")] }),
  );
  rig.emit("clap", { times: 1 });
  expect(rig.last("twice")).toBe("conditions_failed: trigger_condition trigger.times == 2 was false, must be true");
  expect(rig.last("ready")).toBe(
    'conditions_failed: required_expression state.nobody.here could not be evaluated: state.nobody.here: there is no device "nobody"',
  );
  rig.emit("clap", { times: 2 });
  await rig.clock.advance(0);
  expect(rig.commands).toEqual(['lamp {"on":true}']);
});

test("an event goes to the rule of higher priority first, then by name, and once to each", async () => {
  await using rig = openRig();
  const writes = (value: number) => [{ type: "writes", name: "last", value: `${value}` }];
  rig.begin(
    rule("1", { name: "b", triggers: opened, actions: writes(1) }),
    rule("2", { name: "a", triggers: [opened, { ...opened, to: undefined }, opened], actions: writes(2) }),
    rule("3", {
      name: "z",
      priority: 5,
      triggers: { type: "changes", device: "door", attribute: "open" },
      actions: writes(3),
    }),
    rule("4", { name: "c", enabled: false, triggers: opened, actions: writes(4) }),
  );
  rig.report("door", { open: true });
  const written = rig.events.flatMap((event) => (event.type === "hub_variable_changed" ? [event.value] : []));
  expect(written).toEqual([3, 2, 1]);
  expect(rig.last("4")).toBe("never evaluated");
  rig.engine.put(rule("1", { name: "b", priority: 9, triggers: opened, actions: writes(1) }));
  rig.report("door", { open: false });
  rig.report("door", { open: true });
  const order = rig.events.flatMap((event) => (event.type === "rule_fired" ? [event.rule_id] : []));
  expect(order).toEqual(["3", "2", "1", "3", "2", "1", "3", "2"]);
});

test("errors in one rule do not affect other rules or later actions", async () => {
  await using rig = openRig();
  const received = { type: "hears", event: "trip" };
  rig.begin(
    rule("broken trigger", { priority: 9, triggers: { type: "trips" }, actions: [on("a")] }),
    rule("broken condition", { priority: 8, triggers: received, conditions: [{ type: "breaks" }], actions: [on("b")] }),
    rule("unknown words", {
      priority: 7,
      triggers: [{ type: "unheard" }, received],
      actions: [
        { type: "unheard" },
        { type: "fails" },
        { type: "fails", late: true },
        { ...on("c"), enabled: false },
        on("d"),
      ],
    }),
    rule("sound", { triggers: received, actions: [on("e")] }),
  );
  rig.emit("trip");
  await rig.clock.advance(0);
  expect(rig.commands).toEqual(['e {"on":true}', 'd {"on":true}']);
  expect(rig.engine.state("broken trigger").last_error?.message).toBe("this trigger is broken");
  expect(rig.engine.traces("unknown words")[0]?.actions).toMatchObject([
    { type: "unheard", result: "failed", error: 'there is no action "unheard"' },
    { type: "fails", result: "failed", error: "it failed" },
    { type: "fails", result: "failed", error: "it failed late" },
    { type: "set", result: "skipped" },
    { type: "set", result: "ok" },
  ]);
  expect(rig.last("unknown words")).toEndWith(
    '; 3 actions failed, the first: unheard failed: there is no action "unheard"',
  );
  expect(rig.events.filter(({ type }) => type === "action_failed")).toMatchObject([
    { rule_id: "unknown words", rule_name: "unknown words", action_type: "unheard" },
    { action_type: "fails", error: "it failed" },
    { action_type: "fails", error: "it failed late" },
  ]);
  const before = rig.logged.length;
  for (let times = 0; times < 5; times++) rig.emit("trip");
  expect(rig.logged.slice(before).filter((line) => line.startsWith("a trigger failed"))).toEqual([]);
});

test("only the last fifty evaluations are kept, newest first, and large values are cut", async () => {
  await using rig = openRig();
  rig.begin(rule("r1", { triggers: { type: "hears", event: "clap" } }));
  for (let n = 0; n < 60; n++) rig.emit("clap", { n, text: "°😀".repeat(5000) });
  const traces = rig.engine.traces("r1");
  expect(traces.map(({ trigger }) => trigger.context.n)).toEqual(Array.from({ length: 50 }, (_, index) => 59 - index));
  expect(JSON.stringify(traces).length).toBeLessThan(60_000);
  expect(new Set(traces.map(({ id }) => id)).size).toBe(50);
});

test("a hundred parallel actions inside each other", async () => {
  await using rig = openRig();
  let nested = on("lamp");
  for (let depth = 0; depth < 100; depth++)
    nested = { type: "parallel", actions: [nested, { type: "delay", secs: 1 }] };
  rig.begin(rule("r1", { triggers: opened, actions: [nested, on("fan")] }));
  rig.report("door", { open: true });
  await rig.clock.advance(999);
  expect(rig.commands).toEqual(['lamp {"on":true}']);
  expect(rig.engine.state("r1").running).toBe(1);
  await rig.clock.advance(1);
  expect(rig.commands).toEqual(['lamp {"on":true}', 'fan {"on":true}']);
  expect(JSON.stringify(rig.engine.traces("r1")[0])).not.toContain("running");
});

test("each run starts with the rule's own variables", async () => {
  await using rig = openRig();
  const actions = [
    { type: "counts", name: "n" },
    { type: "counts", name: "n" },
  ];
  rig.begin(rule("r1", { triggers: opened, variables: { n: 10 }, actions }));
  for (const open of [true, false, true]) rig.report("door", { open });
  const details = rig.engine.traces("r1").map(({ actions: done }) => done.map(({ detail }) => detail));
  expect(details).toEqual([
    ["n = 11", "n = 12"],
    ["n = 11", "n = 12"],
  ]);
});

test("no rule fires before all are loaded", async () => {
  await using rig = openRig();
  rig.engine.put(rule("r1", { triggers: opened, actions: [on("lamp")] }));
  rig.report("door", { open: true });
  await expect(rig.engine.run("r1")).rejects.toThrow("the hub is starting");
  rig.engine.ready();
  await rig.clock.advance(0);
  expect(rig.commands).toEqual([]);
  rig.report("door", { open: false });
  rig.report("door", { open: true });
  expect(rig.commands).toEqual(['lamp {"on":true}']);
});

test("rules that do not exist", async () => {
  await using rig = openRig();
  rig.begin();
  rig.engine.remove("nobody");
  expect(() => rig.engine.traces("nobody")).toThrow('there is no rule "nobody"');
  expect(() => rig.engine.state("nobody")).toThrow('there is no rule "nobody"');
  expect(() => rig.engine.standing("nobody")).toThrow('there is no rule "nobody"');
});
