// One vocabulary: the table, the plugin kit and the virtual house agree with what is discovered, and the docs show it.
import { describe, expect, test } from "bun:test";
import { type TSchema, Type } from "@sinclair/typebox";
import { Value } from "@sinclair/typebox/value";
import { deviceSchema, WORDS } from "../../../plugins/sdk/words.ts";
import { plainLight, tunableLight } from "../../../plugins/virtual/devices/light.ts";
import { thermostat } from "../../../plugins/virtual/devices/thermostat.ts";
import { DEVICE_KINDS, type Word } from "../../../src/house/state/words/vocabulary.ts";
import { createRig } from "./rig.ts";
import { LAMP, takeLamp } from "./zigbee-lamp.ts";

const wordsOf = (kind: string): readonly Word[] => DEVICE_KINDS.find((one) => one.kind === kind)?.words ?? [];

/** What a JSON Schema says of an attribute, in the terms of the table. */
function said({ type, unit, minimum, maximum, pattern, readOnly, anyOf, enum: listed }: TSchema) {
  const options = listed ?? anyOf?.map((one: { const: unknown }) => one.const);
  return {
    type: options ? "string" : type,
    ...{ unit, min: minimum, max: maximum, pattern, options, writable: readOnly !== true },
  };
}

function meant({ type, unit, min, max, pattern, options, writable }: Word) {
  return { type, unit, min, max, pattern, options: options && [...options], writable };
}

test("the plugin kit has the same kinds and words as the table", () => {
  const kit = Object.entries(WORDS).map(([kind, words]) => [
    kind,
    Object.fromEntries(Object.entries(words).map(([name, schema]) => [name, said(schema)])),
  ]);
  const table = DEVICE_KINDS.map(({ kind, words }) => [
    kind,
    Object.fromEntries(words.map((word) => [word.name, meant(word)])),
  ]);
  expect(Object.fromEntries(kit)).toEqual(Object.fromEntries(table));
});

test("a plugin's schema has the words it names, and its own", () => {
  const schema = deviceSchema("light", ["on", "brightness_pct"], { power_w: Type.Number({ readOnly: true }) });
  expect(Object.keys(schema.properties)).toEqual(["on", "brightness_pct", "power_w"]);
  expect(Value.Check(schema, { on: true, brightness_pct: 40, power_w: 1.5 })).toBe(true);
  expect(Value.Check(schema, { on: true, brightness_pct: 400, power_w: 1.5 })).toBe(false);
});

describe.each<[string, string, Record<string, TSchema>]>([
  ["a virtual light with colours", "light", tunableLight.capabilities.properties],
  ["a virtual thermostat", "climate", thermostat.capabilities.properties],
])("%s", (_, kind, properties) => {
  test.each(wordsOf(kind).map((word) => [word.name, word] as const))("%s", (name, word) => {
    const { min, max, options, ...same } = said(properties[name] as TSchema);
    expect(same).toMatchObject({ type: word.type, unit: word.unit, writable: word.writable });
    // One device may do less than the words allow, but not more.
    if (word.min !== undefined) expect(min).toBeGreaterThanOrEqual(word.min);
    if (word.max !== undefined) expect(max).toBeLessThanOrEqual(word.max);
  });
});

test("a virtual light without colours has the words that it can do", () => {
  const names = wordsOf("light").map(({ name }) => name);
  expect(names.filter((name) => name in plainLight.capabilities.properties)).toEqual(["on", "brightness_pct"]);
});

test("a discovered light has all words of a light, with their types and within their ranges", async () => {
  using rig = createRig();
  await takeLamp(rig);
  const { properties } = rig.registry.get(LAMP).details.schema as { properties: Record<string, TSchema> };
  for (const { name, type, unit, min = -Infinity, max = Infinity } of wordsOf("light")) {
    const one = properties[name];
    const { minimum = min, maximum = max } = one as { minimum?: number; maximum?: number };
    expect({ name, type: one?.type, unit: one?.unit, readOnly: one?.readOnly }).toEqual({
      ...{ name, type, unit, readOnly: undefined },
    });
    expect({ name, isWithin: minimum >= min && maximum <= max }).toEqual({ name, isWithin: true });
  }
});
