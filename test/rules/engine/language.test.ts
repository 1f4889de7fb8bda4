// The actions that steer a run and its neighbours: variables, choices, parameters, and the end of an event.
import { describe, expect, test } from "bun:test";
import type { JsonObject } from "../../../src/kit/schema/json.ts";
import { openRealRig, written } from "../support/real.ts";

const logged = (expression: string): JsonObject => ({ type: "log_message", expression });

describe("set_variable", () => {
  test("is seen by later actions of the run, and by no other run", async () => {
    await using rig = openRealRig();
    rig.begin(
      written("counts", {
        variables: { count: 1 },
        actions: [
          { type: "set_variable", name: "count", expression: "vars.count + 1" },
          { type: "set_variable", name: "seen", value: { door: true } },
          logged("string(vars.count) + ' ' + string(vars.seen.door)"),
        ],
      }),
    );
    for (let run = 0; run < 2; run++) {
      const { actions } = await rig.engine.run("counts");
      expect(actions.map(({ detail }) => detail)).toEqual([
        "vars.count = 2",
        'vars.seen = {"door":true}',
        "info: 2 true",
      ]);
    }
  });

  test("is bounded, and a refused value changes nothing", async () => {
    await using rig = openRealRig();
    rig.begin(
      written("fills", {
        variables: { text: "x".repeat(40_000) },
        actions: [
          { type: "set_variable", name: "more", expression: "vars.text" },
          logged("string(size(vars.text)) + ' ' + string(has(vars.more))"),
        ],
      }),
    );
    const { actions } = await rig.engine.run("fills");
    expect(actions[0]?.error).toBe("the variables of a run have at most 65536 bytes together");
    expect(actions[1]?.detail).toBe("info: 40000 false");
  });
});

describe("choose", () => {
  const chooses = written("chooses", {
    actions: [
      {
        type: "choose",
        choices: [
          {
            name: "cold",
            conditions: [{ type: "device_state", device_id: "sensor", attribute: "t", op: "Lt", value: 18 }],
            actions: [logged("'cold'")],
          },
          { condition: "device_state('sensor').t < 24", actions: [logged("'fine'")] },
        ],
        else_actions: [logged("'hot'")],
      },
    ],
  });

  test.each([
    [17, "cold: device_state passed", "info: cold"],
    [20, "choice 2: device_state('sensor').t < 24 passed", "info: fine"],
    [30, "else: none of 2 choices passed", "info: hot"],
  ])("at %d: %s", async (t, detail, inside) => {
    await using rig = openRealRig();
    rig.report("sensor", { t });
    rig.begin(chooses);
    const [action] = (await rig.engine.run("chooses")).actions;
    expect(action?.detail).toBe(detail);
    expect(action?.parts?.map(({ detail }) => detail)).toEqual([inside]);
  });

  test("says where a choice has no condition, or two", () => {
    const choose = (choice: JsonObject) => () =>
      written("x", { actions: [{ type: "choose", choices: [{ actions: [], ...choice }] }] });
    expect(choose({})).toThrow("actions[0].choices[0]: give either `condition` or `conditions`");
    expect(choose({ condition: "tru" })).toThrow('actions[0].choices[0].condition: there is no "tru" here');
  });
});

describe("run_rule", () => {
  const child = written("child", {
    variables: { room: "hall", level: 10 },
    actions: [logged("vars.room + ' ' + string(vars.level)")],
  });
  const caller = (id: string, more: JsonObject) =>
    written(id, { actions: [{ type: "run_rule", rule_id: "child", ...more }] });

  test("hands parameters to the run, before the rule's own variables", async () => {
    await using rig = openRealRig();
    rig.begin(
      child,
      caller("plain", {}),
      caller("given", { parameters: { level: 80 } }),
      caller("computed", { expression: "{'room': 'attic', 'level': 1 + 1}" }),
      caller("wrong", { expression: "'attic'" }),
    );
    const of = async (id: string) => {
      const [action] = (await rig.engine.run(id)).actions;
      return action?.error ?? rig.engine.traces("child")[0]?.actions[0]?.detail;
    };
    expect(await of("plain")).toBe("info: hall 10");
    expect(await of("given")).toBe("info: hall 80");
    expect(await of("computed")).toBe("info: attic 2");
    expect(await of("wrong")).toBe('expression: must give a map of at most 16384 bytes, and gave "attic"');
    expect(await of("plain")).toBe("info: hall 10");
  });
});

describe("stop_rule_chain", () => {
  const trigger = { type: "device_state_changed", device_id: "door", attribute: "open" };
  const stops = (actions: JsonObject[], priority = 5) =>
    written("stops", { priority, triggers: [trigger], actions: [...actions, { type: "stop_rule_chain" }] });
  const others = [
    written("above", { priority: 9, triggers: [trigger] }),
    written("beside", { priority: 5, triggers: [trigger] }),
    written("below", { priority: 4, triggers: [trigger] }),
    written("elsewhere", { priority: 0, triggers: [{ ...trigger, device_id: "window" }] }),
  ];

  test("keeps the event from rules of lower priority, which say so", async () => {
    await using rig = openRealRig();
    rig.begin(stops([]), ...others);
    rig.report("door", { open: true });
    rig.report("window", { open: true });
    const fired = ["above", "stops", "beside", "below", "elsewhere"].map((id) => rig.engine.state(id).fire_count);
    expect(fired).toEqual([1, 1, 1, 0, 1]);
    expect(rig.last("below")).toBe('stopped: the rule "stops" of higher priority keeps this event from rules below 5');
  });

  test("after a wait, by hand and if its conditions fail it stops nothing", async () => {
    await using rig = openRealRig();
    rig.begin(stops([{ type: "delay", duration_secs: 1 }]), ...others);
    rig.report("door", { open: true });
    expect(rig.engine.state("below").fire_count).toBe(1);
    await rig.clock.advance(1000);
    expect(rig.engine.traces("stops")[0]?.actions[1]?.detail).toBe(
      "nothing: no rules of lower priority are left to be triggered",
    );
  });
});
