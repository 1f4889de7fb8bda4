// JSON of a file or the API becomes a rule, or all its problems are reported.
import { describe, expect, test } from "bun:test";
import type { JsonObject } from "../../../src/kit/schema/json.ts";
import { referencesOf, withoutSecrets } from "../../../src/rules/read/references.ts";
import { readRule } from "../../../src/rules/read/rule.ts";

const anyExpression = (): undefined => undefined;
const read = (value: JsonObject) => readRule(value, anyExpression);
const problems = (value: JsonObject) => read(value).problems.map(({ path, message }) => `${path}: ${message}`);
const note = { type: "comment", text: "x" };
const isNight = { type: "mode_is", mode_id: "night" };

/** The contract's situation: a door is open for ten minutes. */
const doorOpen: JsonObject = {
  id: "",
  name: "Front door open for 10 minutes 🚪",
  enabled: true,
  priority: 5,
  cooldown_secs: 600,
  trigger: { type: "cron", expression: "0 * * * * *" },
  conditions: [
    { type: "device_state", device_id: "front_door", attribute: "open", op: "Eq", value: true },
    { type: "time_elapsed", device_id: "front_door", attribute: "open", duration_secs: 600 },
  ],
  actions: [
    {
      type: "parallel",
      actions: [
        { type: "notify", channel: "telegram", message: "Door open" },
        { type: "notify", channel: "log", message: "{{device.open}}", title: "Door" },
      ],
    },
  ],
};

describe("a rule", () => {
  test("of the contract is read with all defaults", () => {
    const { trigger, ...rest } = doorOpen;
    expect(read(doorOpen)).toEqual({
      problems: [],
      rule: {
        ...rest,
        triggers: [trigger],
        tags: [],
        run_mode: "parallel",
        max_queued: 10,
        variables: {},
        durable: true,
      } as never,
    });
  });

  test("needs no more than a name", () => {
    expect(read({ name: "By hand" }).rule).toEqual({
      id: "",
      name: "By hand",
      enabled: true,
      priority: 0,
      cooldown_secs: 0,
      tags: [],
      triggers: [],
      conditions: [],
      actions: [],
      run_mode: "parallel",
      max_queued: 10,
      variables: {},
      durable: true,
    });
  });

  test("does not change its input, and can be read again", () => {
    const given = structuredClone(doorOpen);
    const { rule } = read(given);
    expect(given).toEqual(doorOpen);
    expect(readRule(rule as never, anyExpression).rule).toEqual(rule);
  });

  test("keeps the common fields of actions, and reads words in any case", () => {
    const actions = [{ ...note, enabled: false, comment: "später 🕰" }];
    const { rule } = read({ name: "x", run_mode: "Queued", actions, conditions: [{ ...isNight, comment: "°" }] });
    expect(rule).toMatchObject({ run_mode: "queued", actions, conditions: [{ comment: "°", on: true }] });
  });

  test("may call an expression script_expression", () => {
    const conditions = [{ type: "script_expression", expression: "true" }];
    expect(read({ name: "x", conditions }).rule?.conditions).toEqual([{ type: "expression", expression: "true" }]);
  });
});

describe("a problem", () => {
  test("is reported together with all others, each with its path", () => {
    expect(
      problems({
        nam: "x",
        cooldown_secs: -1,
        run_mode: "Singel",
        tags: ["a", 5],
        trigger: { type: "device_state_changd" },
        conditions: [{ type: "or", conditions: [isNight, { type: "mode_is", mode_id: 5 }] }, "night"],
        actions: [
          { type: "parallel", actions: [note, { type: "notify", chanel: "all", message: "x" }] },
          { type: "conditional", condition: "x", then_actions: [{ type: "set_mode", mode_id: "x" }], else_if: [{}] },
        ],
      }),
    ).toEqual([
      "name: missing: must be text",
      'nam: unknown key "nam" – did you mean "name"?',
      'cooldown_secs: must be a whole number of seconds from 0 to 316224000, or a duration such as "5m" or "1h30m"',
      "tags[1]: must be text",
      'run_mode: must be one of "parallel", "single", "restart", "queued" – did you mean "single"?',
      expect.stringMatching(/^trigger\.type: there is no trigger ".*" – did you mean "device_state_changed"\?$/),
      "conditions[0].conditions[1].mode_id: must be text",
      "conditions[1]: must be a table of keys and values, with the `type` of the condition",
      'actions[0].actions[1].chanel: unknown key "chanel" – did you mean "channel"?',
      "actions[1].else_if[0].then_actions: missing: must be a list",
      "actions[1].then_actions[0]: give `on` or `toggle`",
    ] as never);
  });

  test.each<[string, JsonObject, RegExp]>([
    ["both", { trigger: { type: "manual_trigger" }, triggers: [] }, /^trigger: give either one `trigger` or a list/],
    ["a list as trigger", { trigger: [] }, /^trigger: must be one trigger, not a list$/],
    ["one as triggers", { triggers: { type: "manual_trigger" } }, /^triggers: must be a list$/],
    ["no type", { actions: [{}] }, /^actions\[0\]\.type: missing: must be one of "notify", /],
    ["a type that is no text", { actions: [{ type: 5 }] }, /^actions\[0\]\.type: must be one of "notify", /],
    ["a type of every object", { actions: [{ type: "toString" }] }, /^actions\[0\]\.type: must be one of/],
    ["a condition as an action", { actions: [isNight] }, /^actions\[0\]\.type: must be one of/],
    ["null", { actions: [null] }, /^actions\[0\]: must be a table/],
    ["an empty name", { name: "" }, /^name: must not be empty$/],
    ["an id with a slash", { id: "a/b" }, /^id: must be a text without/],
    ["too many that wait", { max_queued: 101 }, /^max_queued: must be a whole number from 1 to 100$/],
    ["none that wait", { max_queued: 0 }, /^max_queued: must be a whole number from 1 to 100$/],
    ["variables as a list", { variables: [] }, /^variables: must be/],
    ["enabled on a condition", { conditions: [{ ...isNight, enabled: true }] }, /unknown key "enabled"/],
  ])("%s", (_, fields, problem) => {
    const found = problems({ name: "x", ...fields });
    expect(found).toHaveLength(1);
    expect(found[0]).toMatch(problem);
  });

  test("in an expression is found at any depth", () => {
    const check = (text: string) => (text.includes("((") ? `"${text}" has an open bracket` : undefined);
    const found = readRule(
      {
        name: "x",
        trigger_condition: "((°",
        required_expression: "true",
        conditions: [{ type: "not", condition: { type: "expression", expression: "((a" } }],
        actions: [
          {
            type: "conditional",
            condition: "((b",
            then_actions: [],
            else_if: [{ condition: "((c", then_actions: [] }],
          },
          { type: "repeat_until", expression: "true", actions: [{ type: "delay", expression: "((d" }] },
        ],
      },
      check,
    );
    expect(found.rule).toBeUndefined();
    expect(found.problems.map(({ path }) => path)).toEqual([
      "trigger_condition",
      "conditions[0].condition.expression",
      "actions[0].condition",
      "actions[0].else_if[0].condition",
      "actions[1].actions[0].expression",
    ]);
    expect(found.problems[0]?.message).toBe('"((°" has an open bracket');
  });
});

describe("limits", () => {
  const many = (count: number, one: JsonObject): JsonObject[] => Array.from({ length: count }, () => one);
  const trigger = { type: "manual_trigger" };

  test.each<[string, JsonObject, JsonObject]>([
    ["50 triggers", { triggers: many(50, trigger) }, { triggers: many(60, trigger) }],
    ["200 conditions", { conditions: many(200, isNight) }, { conditions: many(201, isNight) }],
    [
      "200 conditions in all",
      { conditions: [{ type: "and", conditions: many(199, isNight) }] },
      { conditions: [{ type: "and", conditions: many(200, isNight) }] },
    ],
    ["500 actions", { actions: many(500, note) }, { actions: many(501, note) }],
    [
      "500 actions in all",
      { actions: [...many(9, { type: "parallel", actions: many(54, note) }), ...many(5, note)] },
      { actions: [...many(9, { type: "parallel", actions: many(54, note) }), ...many(6, note)] },
    ],
  ])("%s are taken and one more is a problem", (_, most, more) => {
    expect(problems({ name: "x", ...most })).toEqual([]);
    const found = problems({ name: "x", ...more });
    expect(found).toHaveLength(1);
    expect(found[0]).toMatch(/: a rule has at most \d+ \w+, inner ones included/);
  });

  const nested = (depth: number, wrap: (inner: JsonObject) => JsonObject, innermost: JsonObject): JsonObject => {
    let one = innermost;
    for (let level = 0; level < depth; level++) one = wrap(one);
    return one;
  };
  const inParallel = (inner: JsonObject): JsonObject => ({ type: "parallel", actions: [inner] });
  const inElseIf = (inner: JsonObject): JsonObject => ({
    type: "conditional",
    condition: "x",
    then_actions: [],
    else_if: [{ condition: "y", then_actions: [inner] }],
  });
  const inNot = (condition: JsonObject): JsonObject => ({ type: "not", condition });

  test("a hundred conditions or actions around another, and no more", () => {
    expect(problems({ name: "x", actions: [nested(100, inParallel, note)] })).toEqual([]);
    expect(problems({ name: "x", actions: [nested(100, inElseIf, note)] })).toEqual([]);
    expect(problems({ name: "x", conditions: [nested(100, inNot, isNight)] })).toEqual([]);
    const deeper: JsonObject[] = [
      { actions: [nested(101, inParallel, note)] },
      { actions: [nested(101, inElseIf, note)] },
      { conditions: [nested(101, inNot, isNight)] },
    ];
    for (const rule of deeper) {
      expect(problems({ name: "x", ...rule })).toEqual([
        expect.stringContaining("is inside more than 100 others: split it into several rules") as never,
      ]);
    }
  });

  test.each([1000, 200_000])("%d levels are a problem, and the stack does not overflow", (depth) => {
    const problem = ": is nested too deeply: at most 100 conditions or actions may be around another";
    expect(problems({ name: "x", actions: [nested(depth, inParallel, note)] })).toEqual([problem]);
    expect(problems({ name: "x", variables: { v: nested(depth, (v) => ({ v }), {}) } })).toEqual([problem]);
  });
});

test("the names in a rule are found with their places", () => {
  const { rule } = read({
    name: "x",
    triggers: [{ type: "device_state_changed", device_ids: ["door", "tür 🚪"] }],
    conditions: [{ type: "not", condition: isNight }],
    actions: [
      inBranch({ type: "notify", channel: "telegram", message: "x" }),
      { type: "activate_scene_per_mode", scenes: { night: "dim" }, default: "bright" },
      { type: "set_device_state_per_mode", device_id: "lamp", states: { away: { on: false } } },
      { type: "run_rule", rule_id: "other" },
    ],
  });
  expect(
    rule &&
      referencesOf(rule)
        .map(({ kind, name, path }) => `${kind} ${name} ${path}`)
        .sort(),
  ).toEqual(
    [
      "device door triggers[0].device_ids[0]",
      "device tür 🚪 triggers[0].device_ids[1]",
      "mode night conditions[0].condition.mode_id",
      "channel telegram actions[0].else_if[0].then_actions[0].channel",
      "mode night actions[1].scenes.night",
      "scene dim actions[1].scenes.night",
      "scene bright actions[1].default",
      "device lamp actions[2].device_id",
      "mode away actions[2].states.away",
      "rule other actions[3].rule_id",
    ].sort(),
  );
});

function inBranch(action: JsonObject): JsonObject {
  return {
    type: "conditional",
    condition: "x",
    then_actions: [],
    else_if: [{ condition: "y", then_actions: [action] }],
  };
}

test("a rule can be shown without its secrets", () => {
  const trigger = { type: "webhook_received", path: "bell", secret: "0123456789abcdef" };
  const { rule } = read({ name: "x", triggers: [trigger, { type: "manual_trigger" }], actions: [note] });
  if (!rule) throw new Error("it is a rule");
  expect(withoutSecrets(rule)).toEqual({
    ...rule,
    triggers: [{ ...trigger, secret: "•••" }, { type: "manual_trigger" }],
  });
  expect(rule.triggers[0]?.secret).toBe(trigger.secret);
});
