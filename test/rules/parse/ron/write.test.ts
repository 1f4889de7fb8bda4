import { expect, test } from "bun:test";
import type { JsonObject } from "../../../../src/kit/schema/json.ts";
import { readRuleText } from "../../../../src/rules/parse/read.ts";
import { writeRon } from "../../../../src/rules/parse/ron/write.ts";

const rule: JsonObject = {
  id: "5f0e6c0e-0000-4000-8000-000000000001",
  name: "Küche zu warm 🌡",
  enabled: true,
  priority: 10,
  tags: ["küche", "wärme"],
  trigger: { type: "device_state_changed", device_id: "küche_sensor", attribute: "temperature" },
  conditions: [
    { type: "not", condition: { type: "device_state", device_id: "küche_sensor", op: "Gt", value: 25.5 } },
    { type: "always" },
  ],
  actions: [
    { type: "notify", channel: "log", message: '"21 °C"\n\\o/ \u200e' },
    { type: "set_scene", states: { "lamp-1": { on: true, color: null }, empty: {} } },
    { type: "parallel", actions: [{ type: "none" }, { action: { type: 1 } }, null, "x"] },
  ],
};

const text = `(
    id: "5f0e6c0e-0000-4000-8000-000000000001",
    name: "Küche zu warm 🌡",
    enabled: true,
    priority: 10,
    tags: ["küche", "wärme"],
    trigger: DeviceStateChanged(device_id: "küche_sensor", attribute: "temperature"),
    conditions: [
        Not(condition: DeviceState(device_id: "küche_sensor", op: "Gt", value: 25.5)),
        Always,
    ],
    actions: [
        Notify(channel: "log", message: "\\"21 °C\\"\\n\\\\o/ \\u{200e}"),
        SetScene(states: {"lamp-1": (on: true, color: ()), "empty": {}}),
        Parallel(
            actions: [
                (type: "none"),
                {"action": (type: 1)},
                (),
                "x",
            ],
        ),
    ],
)
`;

test("a rule is written the way people write", () => {
  expect(writeRon(rule)).toBe(text);
  expect(readRuleText(text).value).toEqual(rule);
});

test.each([
  [{ a: 2 ** 53 + 2 }, "a: 9007199254740994.0"],
  [{ a: -(2 ** 60) }, "a: -1152921504606847000.0"],
  [{ a: -0 }, "a: -0.0"],
  [{ a: 1e21, b: 5e-324 }, "a: 1e+21"],
  [{ "a b": 1 }, '{\n    "a b": 1,\n}'],
  [{}, "()\n"],
  [{ trigger: { type: "x", "a b": 1 } }, 'trigger: {"type": "x", "a b": 1}'],
  [{ trigger: { type: "some" } }, 'trigger: (type: "some")'],
])("%j", (value, expected) => {
  expect(writeRon(value)).toContain(expected);
  expect(readRuleText(writeRon(value)).value).toEqual(value);
});

test("what no file can hold is refused", () => {
  expect(() => writeRon({ a: { constructor: 1 } as never })).toThrow('"constructor" is not allowed');
  expect(() => writeRon(JSON.parse('{"a":{"__proto__":1}}'))).toThrow('"__proto__" is not allowed');
  expect(() => writeRon({ a: "\ud83d" })).toThrow("half of a character");
  expect(() => writeRon({ a: Number.NaN })).toThrow("finite");
});
