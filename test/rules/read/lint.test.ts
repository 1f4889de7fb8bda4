// Likely mistakes in valid rules: which ones are reported, and which are not.
import { describe, expect, test } from "bun:test";
import type { JsonObject } from "../../../src/kit/schema/json.ts";
import { type KnownHouse, lint } from "../../../src/rules/read/lint.ts";
import { readRule } from "../../../src/rules/read/rule.ts";
import { triggers } from "../../../src/rules/triggers/index.ts";

const house: KnownHouse = {
  attributes: (id) =>
    ({
      sensor: ["temperature", "humidity", "battery"],
      lamp: ["on", "brightness_pct"],
      "living.room": ["temperature", "color.x"],
    })[id],
  variable: (name) => name === "guests",
};
const note = { type: "comment", text: "x" };
const changed = { type: "device_state_changed", device_id: "sensor", attribute: "temperature" };

function warnings(rule: JsonObject, known = house): string[] {
  const { rule: read, problems } = readRule({ name: "x", actions: [note], ...rule }, () => undefined);
  if (!read) throw new Error(JSON.stringify(problems));
  return lint(read, known).map(({ path, message }) => `${path}: ${message}`);
}

describe("an attribute of a known device", () => {
  const missing = (device: string, name: string, hint: string): string =>
    `the device "${device}" has no attribute "${name}" at present – did you mean "${hint}"?`;

  test.each<[JsonObject, string]>([
    [
      { triggers: [{ ...changed, attribute: "temprature" }] },
      `triggers[0].attribute: ${missing("sensor", "temprature", "temperature")}`,
    ],
    [
      { conditions: [{ type: "device_state", device_id: "sensor", attribute: "humidty", op: "Gt", value: 1 }] },
      `conditions[0].attribute: ${missing("sensor", "humidty", "humidity")}`,
    ],
    [
      {
        actions: [
          {
            type: "conditional",
            condition: "true",
            then_actions: [
              { type: "fade_device", device_id: "lamp", attribute: "brightness", to: 1, duration_secs: 1 },
            ],
          },
        ],
      },
      `actions[0].then_actions[0].attribute: ${missing("lamp", "brightness", "brightness_pct")}`,
    ],
    [
      { actions: [{ type: "set_device_state", device_ids: ["lamp"], state: { onn: true } }] },
      `actions[0].state.onn: ${missing("lamp", "onn", "on")}`,
    ],
    [
      { actions: [{ type: "set_device_state_per_mode", device_id: "lamp", states: { night: { brightnes_pct: 5 } } }] },
      `actions[0].states.night.brightnes_pct: ${missing("lamp", "brightnes_pct", "brightness_pct")}`,
    ],
  ])("in %j is reported with a suggestion", (rule, expected) => {
    expect(warnings(rule)).toEqual([expected]);
  });

  test.each<[string, JsonObject]>([
    ["is right", { triggers: [changed] }],
    ["is like none: it may still come", { triggers: [{ ...changed, attribute: "pressure" }] }],
    ["is of an unknown device", { triggers: [{ ...changed, device_id: "attic", attribute: "temprature" }] }],
    [
      "is an argument of a command",
      {
        actions: [{ type: "set_device_state", device_id: "lamp", state: { command: "blink", onn: 1 } }],
      },
    ],
  ])("that %s is not", (_, rule) => {
    expect(warnings(rule)).toEqual([]);
  });
});

test("what a channel says of the text of a message is said at the text", () => {
  const asked: unknown[] = [];
  const textProblems = (text: unknown): string[] => {
    asked.push(text);
    return ["chat shows HTML: <b> is not closed"];
  };
  const say = { type: "notify", channels: ["chat", "log"], markup: "html", message: "<b>x" };
  expect(warnings({ actions: [{ type: "parallel", actions: [say] }] }, { ...house, textProblems })).toEqual([
    "actions[0].actions[0].message: chat shows HTML: <b> is not closed",
  ]);
  expect(asked).toEqual([{ message: "<b>x", markup: "html", channels: ["chat", "log"] }]);
});

test.each([
  ["{{vars.guests | nmber:1}}", '{{vars.guests | nmber:1}}: there is no format "nmber"'],
  ["{{vars.guests | time:1}}", "{{vars.guests | time:1}}: the format time is written time"],
  ["hot: {{vars.guests °C", "{{vars.guests °C is not closed: write }} behind it"],
  ["{{vars.guests} °C", "{{vars.guests is not closed: write }} behind it"],
])("the form of %s", (message, problem) => {
  const found = warnings({ actions: [{ type: "notify", channel: "log", message }] });
  expect(found).toEqual([expect.stringContaining(`actions[0].message: ${problem}`)]);
});

describe("a placeholder", () => {
  const notify = (message: string, rule: JsonObject = {}): JsonObject => ({
    triggers: [changed],
    variables: { limit: 25 },
    ...rule,
    actions: [{ type: "notify", channel: "log", message }],
  });

  test.each([
    ["{{devcie.temperature}}", 'not with "devcie" – did you mean "device"?'],
    [
      "{{temperature}}",
      'begins with now, trigger, vars, device or devices, or with = for an expression, not with "temperature"',
    ],
    [
      "{{device.temprature}}",
      'the device "sensor" has no attribute "temprature" at present – did you mean "temperature"?',
    ],
    ["{{ device }}", 'what of "device" is meant? Write {{device.NAME}}'],
    ["{{trigger.valeu}}", 'the triggers of this rule have no "valeu" – did you mean "value"?'],
    ["{{vars.limt}}", 'has a variable "limt" at present – did you mean "limit"?'],
    ["{{devices.lamp.onn}}", 'the device "lamp" has no attribute "onn" at present – did you mean "on"?'],
    ["{{devices.attic.on}}", 'there is no device "attic" at present'],
    ["{{devices.lamp}}", "write {{devices.ID.ATTRIBUTE}}"],
    ["{{now.iso}}", "the time is {{now}}"],
  ])("%s is reported", (message, expected) => {
    const found = warnings(notify(`It is ${message}!`));
    expect(found).toHaveLength(1);
    expect(found[0]).toStartWith("actions[0].message: {{");
    expect(found[0]).toContain(expected);
  });

  test.each([
    "{{now}} {{device.name}} {{device.id}} {{device.temperature}} {{device.pressure}}",
    "{{trigger.value}} {{trigger.previous}} {{trigger.device_name}} {{trigger.actor_name}}",
    "{{vars.limit}} {{vars.guests}} {{devices.lamp.on}} {{devices.living.room.temperature}} {{devices.living.room.color.x}}",
    "{ {device.temprature} } {{}}",
  ])("%s is not", (message) => {
    expect(warnings(notify(message))).toEqual([]);
  });

  test("about the triggering device is checked against its attributes", () => {
    const cron = { type: "cron", expression: "0 0 8 * * *" };
    const dry = { type: "device_state", device_id: "sensor", attribute: "humidity", op: "Lt", value: 40 };
    const wrong = (rule: JsonObject) => warnings(notify("{{device.humidty}}", rule));
    expect(wrong({ triggers: [{ type: "device_battery_low" }] })).toEqual([]);
    expect(wrong({ triggers: [{ type: "custom_event", event_type: "x" }] })).toEqual([]);
    expect(wrong({ triggers: [cron] })).toEqual([expect.stringContaining("neither a trigger nor a condition")]);
    expect(wrong({ triggers: [cron], conditions: [{ type: "and", conditions: [dry] }] })).toEqual([
      expect.stringContaining('did you mean "humidity"'),
    ]);
    expect(wrong({ triggers: [{ type: "device_state_changed", device_ids: ["sensor", "lamp"] }] })).toEqual([
      expect.stringContaining('none of sensor, lamp has an attribute "humidty" at present'),
    ]);
    expect(warnings(notify("{{trigger.scheduled_at}}", { triggers: [cron] }))).toEqual([]);
  });

  test("in the title is checked as well", () => {
    const title = { type: "notify", channel: "log", message: "x", title: "{{trigger.valeu}}" };
    expect(warnings({ triggers: [changed], actions: [title] })[0]).toStartWith("actions[0].title: ");
  });

  test("is only checked for its form if nothing is known of the house", () => {
    const message = "{{device.temprature}} {{devices.attic.on}} {{vars.limt}} {{vras.x}}";
    const found = warnings(notify(message), {});
    expect(found.map((text) => text.split(": ")[1])).toEqual(["{{vras.x}}"]);
  });
});

test("a rule without actions is reported", () => {
  expect(warnings({ actions: [] })).toEqual(["actions: the rule has no actions: nothing happens when it fires"]);
  expect(warnings({})).toEqual([]);
});

test("every trigger declares the keys of its context", () => {
  const silent = triggers.filter(
    ({ schedule, contextAt, contextKeys }) => (schedule && !contextAt) === (contextKeys !== undefined),
  );
  expect(silent.map(({ type }) => type)).toEqual([]);
});
