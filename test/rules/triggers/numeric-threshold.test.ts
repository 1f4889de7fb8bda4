import { describe, expect, test } from "bun:test";
import type { Json, JsonObject } from "../../../src/kit/schema/json.ts";
import { numericThreshold } from "../../../src/rules/triggers/numeric-threshold.ts";
import { createHouse } from "../support/host.ts";
import { contextOf, problemsIn, readIn } from "../support/read.ts";

const on = { device_id: "t", attribute: "temperature" };
const read = (fields: JsonObject) => readIn("triggers", { type: "numeric_threshold", ...on, ...fields }) as never;

function fires(fields: JsonObject, previous: Json | undefined, value: Json | undefined): boolean {
  const house = createHouse();
  const states = {
    previous: previous === undefined ? {} : { temperature: previous },
    current: value === undefined ? {} : { temperature: value },
    changed: ["temperature"],
  };
  const envelope = house.envelope({ type: "device_state_changed", device_id: "t", ...states });
  return contextOf(numericThreshold, { spec: read(fields), envelope, host: house }) !== undefined;
}

describe("numeric_threshold", () => {
  test.each<[string, JsonObject, Json | undefined, Json | undefined, boolean]>([
    ["goes above", { above: 25 }, 25, 25.1, true],
    ["just reaches it", { above: 25 }, 24, 25, false],
    ["was above already", { above: 25 }, 26, 27, false],
    ["first report, above", { above: 25 }, undefined, 26, true],
    ["was no number, above", { above: 25 }, "unknown", 26, true],
    ["comes down", { above: 25 }, 26, 25, false],
    ["goes below", { below: 5 }, 5, 4.9, true],
    ["was below already", { below: 5 }, 4, 3, false],
    ["enters the band from below", { above: 18, below: 22 }, 18, 18.5, true],
    ["enters the band from above", { above: 18, below: 22 }, 30, 21, true],
    ["moves within the band", { above: 18, below: 22 }, 19, 21, false],
    ["jumps over the band", { above: 18, below: 22 }, 10, 30, false],
    ["crosses upwards", { crosses_above: 25 }, 25, 25.1, true],
    ["crosses nothing from above", { crosses_above: 25 }, 26, 30, false],
    ["crosses nothing with the first report", { crosses_above: 25 }, undefined, 30, false],
    ["crosses nothing coming from no number", { crosses_above: 25 }, "unknown", 30, false],
    ["crosses downwards", { crosses_below: 5 }, 5, 4.9, true],
    ["crosses downwards only", { crosses_below: 5 }, 4, 6, false],
    ["one of two crossings", { crosses_above: 25, crosses_below: 5 }, 6, 4, true],
    ["neither of two crossings", { crosses_above: 25, crosses_below: 5 }, 10, 20, false],
    ["a text is no number", { above: 25 }, 20, "26", false],
    ["true is no number", { above: 0 }, 0, true, false],
    ["null is no number", { below: 5 }, 10, null, false],
    ["gone is no number", { below: 5 }, 10, undefined, false],
    ["below zero", { crosses_below: -10.5 }, -10.5, -10.6, true],
  ])("%s", (_, fields, previous, value, expected) => {
    expect(fires(fields, previous, value)).toBe(expected);
  });

  test("ignores changes of other attributes", () => {
    const house = createHouse();
    const states = { previous: { humidity: 1 }, current: { temperature: 30, humidity: 2 }, changed: ["humidity"] };
    const envelope = house.envelope({ type: "device_state_changed", device_id: "t", ...states });
    expect(numericThreshold.match?.(read({ above: 25 }), envelope, house)).toBeUndefined();
  });

  test("the context holds the value and the previous one", () => {
    const house = createHouse();
    const states = { previous: {}, current: { temperature: 30 }, changed: ["temperature"] };
    const envelope = house.envelope({ type: "device_state_changed", device_id: "t", ...states });
    expect(numericThreshold.match?.(read({ above: 25 }), envelope, house)).toEqual({
      device_id: "t",
      device_name: "t",
      attribute: "temperature",
      value: 30,
      previous: null,
    });
  });

  test.each<[string, JsonObject, number, (Json | undefined)[], boolean[]]>([
    ["above", { above: 25 }, 26, [25.1, 25, "26", undefined], [true, false, false, false]],
    ["a band", { above: 18, below: 22 }, 20, [18.1, 22, 18], [true, false, false]],
    ["crossed upwards", { crosses_above: 25, crosses_below: 5 }, 26, [25.1, 25, 4], [true, false, false]],
    ["crossed downwards", { crosses_above: 25, crosses_below: 5 }, 4, [4.9, 5, 26], [true, false, false]],
  ])("still matches on the same side: %s", (_, fields, fired, values, expected) => {
    const house = createHouse();
    const spec = read({ ...fields, for_duration_secs: 60 });
    const still = values.map((value) => {
      house.put("t", { attributes: value === undefined ? {} : { temperature: value } });
      return numericThreshold.hold?.stillMatches(spec, { device_id: "t", value: fired }, house);
    });
    expect(still).toEqual(expected);
    expect(numericThreshold.hold?.durationMs(spec)).toBe(60_000);
  });

  test("refuses limits that cannot be combined", () => {
    const problems = (fields: JsonObject) => problemsIn("triggers", { type: "numeric_threshold", ...on, ...fields });
    expect(problems({})).toEqual([": give `above`, `below` or both; or `crosses_above`, `crosses_below` or both"]);
    expect(problems({ above: 1, crosses_above: 1 })).toHaveLength(1);
    expect(problems({ above: 25, below: 18 })).toEqual([
      "above: no number is above 25 and below 18: for values outside a range write two triggers",
    ]);
    expect(problems({ above: "25" })).toEqual(["above: must be a number"]);
    expect(problemsIn("triggers", { type: "numeric_threshold", attribute: "x", above: 1 })).toEqual([
      ": give `device_id` or `device_ids`, or find devices by `area`, `tag` or `device_type`",
    ]);
  });

  test("has a label", () => {
    expect(numericThreshold.label(read({ above: 18, below: 22 }))).toBe("t.temperature above 18 and below 22");
    expect(numericThreshold.label(read({ crosses_below: 5, crosses_above: 25, for_duration_secs: 9 }))).toBe(
      "t.temperature crosses above 25 or crosses below 5 for 9 s",
    );
  });
});
