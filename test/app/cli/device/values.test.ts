// What `hub device set` makes of what is typed, by what the device says of itself.
import { describe, expect, test } from "bun:test";
import type { NamedDevice } from "../../../../src/app/cli/device/named-device.ts";
import { takenText, wantedState } from "../../../../src/app/cli/device/values.ts";
import type { Json } from "../../../../src/kit/schema/json.ts";

const lamp: NamedDevice = {
  id: "lamp",
  name: "Lamp",
  whole: {},
  attributes: { on: false, note: "7", level: 3, scenes: [1], hint: null },
  described: {
    on: { type: "boolean" },
    brightness: { type: "integer", minimum: 0, maximum: 254 },
    temperature: { type: ["number", "null"], minimum: 5, maximum: 30, unit: "°C" },
    effect: { enum: ["blink", "none"] },
    speed: { anyOf: [{ const: 1 }, { const: 2 }] },
    label: { type: "string" },
    color: { type: "object" },
    power: { type: "number", readOnly: true },
  },
};

describe("a value becomes what the device's schema says", () => {
  test.each<[string, Json]>([
    ["on=true", true],
    ["on=off", false],
    ["brightness=40", 40],
    ["temperature=21.5", 21.5],
    ["temperature=null", null],
    ["effect=blink", "blink"],
    ["speed=2", 2],
    ["label=true", "true"],
    ["label=null", "null"],
    ["label=a=b", "a=b"],
    ["label=", ""],
    ['color={"r":1}', { r: 1 }],
  ])("%s", (word, value) => {
    expect(wantedState(lamp, [word], false)).toEqual({ [word.slice(0, word.indexOf("="))]: value });
  });
});

describe("what it does not describe becomes what it has now, or what it looks like", () => {
  test.each<[string, Json]>([
    ["note=8", "8"],
    ["level=4", 4],
    ["scenes=[2]", [2]],
    ["hint=5", 5],
    ["command=start", "start"],
    ["unheard_of=true", true],
    ["unheard_of=some words", "some words"],
  ])("%s", (word, value) => {
    expect(wantedState(lamp, [word], false)).toEqual({ [word.slice(0, word.indexOf("="))]: value });
  });
});

test("what cannot be meant is refused, with what can", () => {
  const refusals: [string[], string][] = [
    [[], "say what to set"],
    [["on"], '"on" is not ATTRIBUTE=VALUE'],
    [["=true"], '"=true" is not ATTRIBUTE=VALUE'],
    [["on=maybe"], 'on takes true or false, not "maybe"'],
    [["brightness=lots"], 'brightness takes a whole number from 0 to 254, not "lots"'],
    [["brightness="], 'brightness takes a whole number from 0 to 254, not ""'],
    [["temperature=warm"], 'temperature takes a number from 5 to 30 °C, not "warm"'],
    [["color=red"], 'color takes JSON, not "red"'],
    [
      ["brightnes=40"],
      '"Lamp" has no attribute "brightnes" – did you mean "brightness"? With --force it is sent as it is',
    ],
  ];
  for (const [words, message] of refusals) expect(() => wantedState(lamp, words, false)).toThrow(message);
  expect(wantedState(lamp, ["brightnes=40"], true)).toEqual({ brightnes: 40 });
});

test("what an attribute takes is said in words", () => {
  expect(takenText({ type: "number", minimum: 0 })).toBe("a number from 0");
  expect(takenText({ type: "number", maximum: 9 })).toBe("a number up to 9");
  expect(takenText({ enum: ["heat", "off"] })).toBe("one of heat, off");
  expect(takenText({ type: "number", readOnly: true })).toBe("-");
  expect(takenText(undefined)).toBe("");
});
