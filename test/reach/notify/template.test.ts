import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import type { Json, JsonObject } from "../../../src/kit/schema/json.ts";
import { valueText } from "../../../src/kit/text/formats.ts";
import type { TemplateContext, TemplateDevice } from "../../../src/kit/text/template.ts";
import { html } from "../../../src/reach/notify/markup/html.ts";
import { createHouseTime, createRenderer } from "../../../src/reach/notify/render.ts";

import { createVirtualClock } from "../../support/virtual-clock.ts";
import { AT, createRig } from "./rig.ts";

const devices = new Map<string, TemplateDevice>(
  [
    {
      id: "hall",
      name: "Hall <1>",
      attributes: { temperature: 21.46, on: true, color: { x: 0.5 }, "a.b": "dotted", note: "{{now}}", none: null },
    },
    { id: "light.kitchen", name: "Kitchen", attributes: { on: false } },
    { id: "light", name: "Light", attributes: { kitchen: "attribute of another" } },
  ].map((device) => [device.id, device as unknown as TemplateDevice]),
);
const variables: JsonObject = { guests: 3, shared: "of the hub" };
const context: TemplateContext = {
  deviceId: "hall",
  trigger: { type: "device_state_changed", attribute: "on", value: true, deep: { list: [1, "b", null] } },
  vars: { shared: "of the rule", nested: { key: "v" } },
};

function createFill(given: TemplateContext = context) {
  const rig = createRig(createVirtualClock(AT));
  const render = createRenderer({
    ...rig.deps,
    houseTime: createHouseTime("Europe/Berlin"),
    timezone: "Europe/Berlin",
    house: {
      device: (id) => devices.get(id),
      variable: (name) => (Object.hasOwn(variables, name) ? variables[name] : undefined),
    },
  });
  const warnings = (): string[] =>
    rig.output.text.split("\n").filter((line) => line.includes("placeholders without a value"));
  return { render, fill: (message: string) => render({ channel: "x", message, context: given }).message, warnings };
}

describe("placeholders", () => {
  test.each([
    ["{{device.temperature}} °C", "21.46 °C"],
    ["{{ device.on }}", "true"],
    ["{{device.name}} {{device.id}}", "Hall <1> hall"],
    ["{{device.color.x}} {{device.color}}", '0.5 {"x":0.5}'],
    ["{{device.a.b}}", "dotted"],
    ["{{devices.hall.temperature}}", "21.46"],
    ["{{devices.hall.name}}", "Hall <1>"],
    ["{{devices.light.kitchen.on}}", "false"],
    ["{{vars.shared}} {{vars.nested.key}} {{vars.guests}}", "of the rule v 3"],
    ["{{trigger.value}} {{trigger.deep.list}}", "true 1, b, unknown"],
    ["{{now}}", "2026-11-21 14:02"],
    ["{{device.none}}", "unknown"],
    ["{{device.note}}", "{{now}}"],
    ["no {{ placeholder } {{}} {{", "no {{ placeholder } {{}} {{"],
    ["{{{device.on}}}", "{true}"],
  ])("%s", (template, expected) => {
    const { fill, warnings } = createFill();
    expect(fill(template)).toBe(expected);
    expect(warnings()).toEqual([]);
  });

  test.each([
    ["{{device.temperature | number:1}} °C", "21.5 °C"],
    ["{{device.temperature|number}}", "21"],
    ["{{vars.guests | number:2}}", "3.00"],
    ["{{trigger.scheduled_at | time}} {{ trigger.scheduled_at | date }}", "07:30 2026-11-21"],
    ["{{vars.left | duration}}", "1 h 30 min"],
    ["{{now | time}}", "2026-11-21 14:02"],
  ])("%s in a format", (template, expected) => {
    const { fill, warnings } = createFill({
      ...context,
      trigger: { scheduled_at: "2026-11-21T06:30:00Z" },
      vars: { left: 5400 },
    });
    expect(fill(template)).toBe(expected);
    expect(warnings()).toEqual([]);
  });

  test("a format that does not fit reads unknown, with the reason in the log", () => {
    const { fill, warnings } = createFill();
    expect(fill("at {{device.name | time}}!")).toBe("at unknown!");
    expect(warnings()[0]).toContain("the value cannot be shown as a time");
  });

  test("expressions are evaluated by the rule, and escaped as values; an error loses nothing", () => {
    const evaluate = (text: string): Json => {
      if (text === "boom") throw new Error("there is no device");
      return text === "long" ? "x".repeat(9000) : `<${text}>`;
    };
    const { render, fill, warnings } = createFill({ ...context, evaluate });
    expect(fill("a {{= x || y }} b {{= {'k': {'l': 1}} }}")).toBe("a <x || y> b <{'k': {'l': 1}}>");
    expect(render({ channel: "x", message: "{{= x }}", context: { ...context, evaluate } }, html).message).toBe(
      "&lt;x&gt;",
    );
    expect(fill("{{= long }}")).toHaveLength(4001);
    expect(fill("first {{= boom }} last {{= never closed")).toBe("first unknown last {{= never closed");
    expect(warnings()).toHaveLength(1);
    expect(warnings()[0]).toContain("= boom (there is no device)");
    expect(fill("{{= x }}".repeat(21))).toEndWith("<x>unknown");
  });

  test("without a rule there is nobody to evaluate an expression", () => {
    expect(createFill().fill("{{= 1 + 1 }}")).toBe("unknown");
  });

  test.each([
    "device.missing",
    "devices.nobody.on",
    "devices.hall",
    "vars.x",
    "trigger.x",
    "x",
    "now.x",
    "device",
    "states('x')",
  ])("{{%s}} reads unknown, with one warning", (path) => {
    const { fill, warnings } = createFill();
    for (let time = 0; time < 3; time++) expect(fill(`a {{${path}}} b {{${path}}}`)).toBe("a unknown b unknown");
    expect(warnings()).toHaveLength(1);
    expect(warnings()[0]).toContain(path);
    fill(`another template {{${path}}}`);
    expect(warnings()).toHaveLength(2);
  });

  test.each([
    "__proto__",
    "constructor",
    "prototype",
    "toString",
    "hasOwnProperty",
    "__proto__.polluted",
    "constructor.name",
  ])("%s is nothing anywhere", (key) => {
    const { fill } = createFill();
    for (const root of ["device", "devices.hall", "devices", "vars", "trigger", "device.color"]) {
      expect(fill(`{{${root}.${key}}}`)).toBe("unknown");
    }
    expect(fill(`{{${key}}}`)).toBe("unknown");
  });

  test("of a device are unknown when there is no device", () => {
    const { fill } = createFill({ deviceId: undefined, trigger: {}, vars: {} });
    expect(fill("{{device.name}} {{device.on}}")).toBe("unknown unknown");
  });

  test("work in titles, which are one plain line; a blank one is the default", () => {
    const { render } = createFill();
    const title = (text?: string) => render({ channel: "x", message: "m", title: text, context }, html).title;
    expect(title("{{device.name}}\r\nis {{device.on}}")).toBe("Hall <1> is true");
    expect(title()).toBe("Hub Alert");
    expect(title(" \n")).toBe("Hub Alert");
  });

  test("are escaped for the channel, the author's markup is not", () => {
    const { render } = createFill();
    expect(render({ channel: "x", message: "<b>{{device.name}}</b> & co", context }, html).message).toBe(
      "<b>Hall &lt;1&gt;</b> & co",
    );
  });

  test("anything goes in, and 100 kB of it in bounded time", () => {
    const { fill } = createFill();
    fc.assert(fc.property(fc.string({ unit: "binary" }), (text) => void fill(text)));
    for (const part of ["{{device.temperature}} ", "{{nothing}}", "{{", "{{ {{ }} ", "{".repeat(50)])
      fill(part.repeat(Math.ceil(100_000 / part.length)));
  });

  test("many unknown names are one line in the log", () => {
    const { fill, warnings } = createFill();
    fill(Array.from({ length: 5000 }, (_, index) => `{{x${index}}}`).join(" "));
    expect(warnings()).toHaveLength(1);
    expect(warnings()[0]).toContain("and_more=4990");
    expect(warnings()[0]?.length).toBeLessThan(400);
  });
});

test.each<[Json, string | undefined]>([
  [21.499999, "21.499999"],
  [21.456789, "21.456789"],
  [1234567.75, "1234567.75"],
  [1795758933021001, "1795758933021001"],
  [21.399999618530273, "21.4"],
  [0.1 + 0.2, "0.3"],
  [21, "21"],
  [-3.25, "-3.25"],
  [0, "0"],
  [-0, "0"],
  [-0.00001, "-0.00001"],
  [1e-7, "0.0000001"],
  [1e21, "1000000000000000000000"],
  [123456.78, "123456.78"],
  [1234567890, "1234567890"],
  [0.001234567, "0.001234567"],
  [52.520008, "52.520008"],
  // As numbers of 32 bits.
  [Math.fround(0.001234567), "0.001234567"],
  [Math.fround(52.520008), "52.520008"],
  ["text", "text"],
  ["", ""],
  [true, "true"],
  [null, undefined],
  [[], ""],
])("%j reads %p", (value, expected) => {
  expect(valueText(value)).toBe(expected as string);
});

test("no number is written with an exponent, and none is cut", () => {
  fc.assert(
    fc.property(fc.double({ noNaN: true, noDefaultInfinity: true, min: -1e15, max: 1e15 }), (value) => {
      const text = valueText(value) ?? "";
      expect(text).toMatch(/^-?\d+(\.\d*[1-9])?$/);
      expect(Math.abs(Number(text) - value)).toBeLessThanOrEqual(
        Math.abs(value) * (Math.fround(value) === value ? 1e-6 : 1e-14),
      );
    }),
  );
  fc.assert(
    fc.property(fc.integer({ min: -1e9, max: 1e9 }), fc.integer({ min: 0, max: 6 }), (digits, places) => {
      const reported = Number(`${digits}e-${places}`);
      expect(Number(valueText(reported))).toBe(reported);
    }),
  );
});
