// Values that an attribute never takes, and attributes that a device says it does not have.
import { describe, expect, test } from "bun:test";
import type { JsonObject } from "../../../src/kit/schema/json.ts";
import { type KnownHouse, lint } from "../../../src/rules/read/lint.ts";
import { readRule } from "../../../src/rules/read/rule.ts";

const DESCRIBED: Record<string, Record<string, JsonObject>> = {
  trv: {
    mode: { type: "string", enum: ["off", "heat", "auto"] },
    target: { type: "number", minimum: 5, maximum: 30, unit: "°C" },
    temperature: { type: "number", readOnly: true },
    locked: { type: "boolean" },
  },
  fan: { speed: { type: "integer", enum: [1, 2, 3] } },
};
const house: KnownHouse = {
  attributes: (id) => (id === "trv" ? ["mode", "linkquality"] : id === "plain" ? ["on"] : undefined),
  described: (id) => DESCRIBED[id],
};

function warnings(rule: JsonObject): string[] {
  const note = { type: "comment", text: "x" };
  const { rule: read, problems } = readRule({ name: "x", actions: [note], ...rule }, () => undefined);
  if (!read) throw new Error(JSON.stringify(problems));
  return lint(read, house).map(({ path, message }) => `${path}: ${message}`);
}

const changed = (fields: JsonObject): JsonObject => ({
  triggers: [{ type: "device_state_changed", device_id: "trv", ...fields }],
});
const state = (fields: JsonObject): JsonObject => ({
  conditions: [{ type: "device_state", device_id: "trv", ...fields }],
});
const passes = (fields: JsonObject): JsonObject => ({
  triggers: [{ type: "numeric_threshold", device_id: "trv", attribute: "target", ...fields }],
});
const set = (wanted: JsonObject, device = "trv"): JsonObject => ({
  actions: [{ type: "set_device_state", device_id: device, state: wanted }],
});
const of = (attribute: string, device = "trv"): string => `"${attribute}" of the device "${device}": `;

describe("a value that never comes", () => {
  test.each<[JsonObject, string]>([
    [
      changed({ attribute: "mode", to: "heatt" }),
      `triggers[0].to: ${of("mode")}it is never "heatt", only "off", "heat", "auto" – did you mean "heat"?`,
    ],
    [
      changed({ attribute: "mode", not_from: ["off", "cool"] }),
      `triggers[0].not_from: ${of("mode")}it is never "cool", only "off", "heat", "auto"`,
    ],
    [changed({ attribute: "locked", to: "LOCK" }), `triggers[0].to: ${of("locked")}it is true or false, never "LOCK"`],
    [
      state({ attribute: "temperature", op: "Eq", value: "21" }),
      `conditions[0].value: ${of("temperature")}it is a number, never "21"`,
    ],
    [
      state({ attribute: "target", op: "Gt", value: 30 }),
      `conditions[0].value: ${of("target")}it is from 5 to 30 °C, never above 30`,
    ],
    [
      {
        conditions: [
          { type: "not", condition: { type: "device_state", device_id: "trv", attribute: "mode", op: "Ne", value: 1 } },
        ],
      },
      `conditions[0].condition.value: ${of("mode")}it is never 1, only "off", "heat", "auto"`,
    ],
    [passes({ below: 5 }), `triggers[0].below: ${of("target")}it is from 5 to 30 °C, never below 5`],
    [set({ target: 31 }), `actions[0].state.target: ${of("target")}it is from 5 to 30 °C, never 31`],
    [set({ temperature: 20 }), `actions[0].state.temperature: ${of("temperature")}the device only reports it`],
    [
      { actions: [{ type: "fade_device", device_id: "trv", attribute: "target", to: 50, duration_secs: 9 }] },
      `actions[0].to: ${of("target")}it is from 5 to 30 °C, never 50`,
    ],
  ])("%j", (rule, expected) => {
    expect(warnings(rule)).toEqual([expected]);
  });

  test.each<[string, JsonObject]>([
    ["one that comes", changed({ attribute: "mode", from: null, to: ["heat", "auto"] })],
    ["a limit within the range", passes({ above: 29.5, for_duration_secs: 60 })],
    ["the lowest and the highest", state({ attribute: "target", op: "Gte", value: 30 })],
    ["of a device that says nothing of itself", set({ on: "on" }, "plain")],
    ["a number that is written as text, in a command", set({ speed: "2" }, "fan")],
    ["an argument of a command", set({ command: "boost", target: 99 })],
    ["an attribute that is reported and not announced", changed({ attribute: "linkquality", to: "x" })],
  ])("not reported: %s", (_, rule) => {
    expect(warnings(rule)).toEqual([]);
  });
});

test("an attribute that a device that describes itself does not have", () => {
  expect(warnings(changed({ attribute: "battery" }))).toEqual([
    'triggers[0].attribute: the device "trv" has no attribute "battery" at present; it has mode, linkquality, target, temperature, locked',
  ]);
  expect(warnings(changed({ attribute: "targett" }))[0]).toContain('did you mean "target"?');
});
