// The vocabulary for editors and for the RON parser.
import { expect, test } from "bun:test";
import { isObject, type Json, type JsonObject } from "../../../src/kit/schema/json.ts";
import { readRuleText } from "../../../src/rules/parse/read.ts";
import { readRule } from "../../../src/rules/read/rule.ts";
import { members } from "../../../src/rules/read/schemas.ts";
import { ruleShape, vocabulary } from "../../../src/rules/read/vocabulary.ts";

const anyExpression = (): undefined => undefined;

test("has every trigger, condition and action, each with its doc, its schema and its example", () => {
  const { triggers, conditions, actions } = vocabulary();
  expect(triggers.map(({ type }) => type)).toEqual([...members.trigger.keys()]);
  expect(conditions.map(({ type }) => type)).toEqual([...members.condition.keys()]);
  expect(actions.map(({ type }) => type)).toEqual([...members.action.keys()]);
  for (const { type, doc, schema } of [...triggers, ...conditions, ...actions]) {
    expect(schema).toMatchObject({ type: "object", description: doc, additionalProperties: false });
    expect((schema.properties as JsonObject).type).toMatchObject({ const: type });
    expect(schema.examples).toEqual([expect.objectContaining({ type })]);
  }
});

test("is plain JSON, and every reference can be resolved", () => {
  const words = vocabulary();
  expect(JSON.parse(JSON.stringify(words))).toEqual(words as never);
  const refs = new Set<string>();
  const find = (value: Json): void => {
    if (isObject(value) && typeof value.$ref === "string") refs.add(value.$ref);
    if (typeof value === "object" && value !== null) for (const inner of Object.values(value)) find(inner);
  };
  find(words as never);
  expect([...refs].sort()).toEqual(["#/$defs/action", "#/$defs/condition", "#/$defs/trigger"]);
  expect(Object.keys(words.rule.$defs as JsonObject).sort()).toEqual(["action", "condition", "trigger"]);
});

test("fields with a default are optional", () => {
  const { rule, conditions } = vocabulary();
  expect(rule.required).toEqual(["name"]);
  expect(conditions.find(({ type }) => type === "device_state")?.schema.required).toEqual([
    "type",
    "attribute",
    "value",
  ]);
});

test("marks expressions and names", () => {
  const { conditions } = vocabulary();
  const property = (type: string, key: string) =>
    conditions.flatMap(({ type: of, schema }) => (of === type ? [(schema.properties as JsonObject)[key]] : []))[0];
  expect(property("expression", "expression")).toMatchObject({ contentMediaType: "application/cel" });
  expect(property("mode_is", "mode_id")).toMatchObject({ "x-names": "mode" });
});

test("its shape makes RON readable", () => {
  const text = `
    Rule(
      name: "Nacht 🌙 21 °C",
      run_mode: Single,
      triggers: [DeviceStateChanged(device_id: "door", attribute: "open", to: Some(true), from: None), Periodic(300)],
      conditions: [
        Not(ModeIs("away")),
        Or([Sun(BelowHorizon), DeviceState(device_id: "t", attribute: "temperature", op: Gt, value: 25)]),
        ScriptExpression("true"),
        Not(conditions: [ModeIs(mode_id: "x"), ModeIs(mode_id: "y", on: false)]),
      ],
      actions: [
        Parallel([Delay(5), LogMessage("hallo")]),
        RuleAction(enabled: false, action: SetMode(mode_id: "night", on: true)),
        Conditional(
          condition: "true",
          then_actions: [Comment("dann")],
          else_if: [(condition: "false", then_actions: [ExitRule("genug")])],
          else_actions: [ActivateScene("bright")],
        ),
        SetDeviceStatePerMode(device_id: "lamp", states: {"night": {"on": true}}),
      ],
    )`;
  const read = readRuleText(text, { shape: ruleShape() });
  expect(read.problems).toEqual([]);
  const { rule, problems } = readRule(read.value ?? {}, anyExpression);
  expect(problems).toEqual([]);
  expect(rule).toMatchObject({
    run_mode: "single",
    triggers: [
      { type: "device_state_changed", device_id: "door", attribute: "open", to: true },
      { type: "periodic", every_secs: 300 },
    ],
    conditions: [
      { type: "not", condition: { type: "mode_is", mode_id: "away" } },
      {
        type: "or",
        conditions: [
          { type: "sun", position: "below_horizon" },
          { type: "device_state", op: "Gt", value: 25 },
        ],
      },
      { type: "expression", expression: "true" },
      { type: "not", conditions: [{ mode_id: "x" }, { mode_id: "y" }] },
    ],
    actions: [
      {
        type: "parallel",
        actions: [
          { type: "delay", duration_secs: 5 },
          { type: "log_message", message: "hallo" },
        ],
      },
      { type: "set_mode", enabled: false, mode_id: "night" },
      {
        type: "conditional",
        then_actions: [{ type: "comment", text: "dann" }],
        else_if: [{ then_actions: [{ type: "exit_rule", reason: "genug" }] }],
        else_actions: [{ type: "activate_scene", scene_id: "bright" }],
      },
      { type: "set_device_state_per_mode", states: { night: { on: true } } },
    ],
  });
});
