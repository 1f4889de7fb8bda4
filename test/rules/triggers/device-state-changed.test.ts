import { describe, expect, test } from "bun:test";
import type { Json, JsonObject } from "../../../src/kit/schema/json.ts";
import { deviceStateChanged } from "../../../src/rules/triggers/device-state-changed.ts";
import { createHouse } from "../support/host.ts";
import { contextOf, problemsIn, readIn } from "../support/read.ts";

type Attributes = Record<string, Json>;

const read = (fields: JsonObject) => readIn("triggers", { type: "device_state_changed", ...fields }) as never;

function matches(fields: JsonObject, before: Attributes, after: Attributes, device_id = "door") {
  const house = createHouse();
  house.put("door", { name: "Haustür 🚪", attributes: after });
  const names = new Set([...Object.keys(before), ...Object.keys(after)]);
  const changed = [...names].filter((name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]));
  const event = { type: "device_state_changed", device_id, previous: before, current: after, changed } as const;
  return contextOf(deviceStateChanged, { spec: read(fields), envelope: house.envelope(event), host: house });
}

describe("device_state_changed", () => {
  const door = { device_id: "door", attribute: "open" };
  const opens: [Attributes, Attributes] = [{ open: false }, { open: true }];

  test("the context holds the device, the attribute, and its value now and before", () => {
    expect(matches(door, ...opens)).toEqual({
      device_id: "door",
      device_name: "Haustür 🚪",
      attribute: "open",
      value: true,
      previous: false,
    });
  });

  test.each<[string, JsonObject, Attributes, Attributes, boolean]>([
    ["any change", door, ...opens, true],
    ["another attribute changed", door, { open: true, tamper: false }, { open: true, tamper: true }, false],
    ["to the value", { ...door, to: true }, ...opens, true],
    ["to another value", { ...door, to: false }, ...opens, false],
    ["the text is not the boolean", { ...door, to: "true" }, ...opens, false],
    ["one of a list", { ...door, to: ["ajar", true] }, ...opens, true],
    ["none of a list", { ...door, to: ["ajar", 1] }, ...opens, false],
    ["none of an empty list", { ...door, to: [] }, ...opens, false],
    ["from the value", { ...door, from: false }, ...opens, true],
    ["from another value", { ...door, from: "ajar" }, ...opens, false],
    ["from null, which it was not", { ...door, from: null }, ...opens, false],
    ["from null: it was not there", { ...door, from: null }, {}, { open: true }, true],
    ["the first report counts", door, {}, { open: true }, true],
    ["but not with not_from null", { ...door, not_from: null }, {}, { open: true }, false],
    ["an attribute that goes becomes null for who asks for that", { ...door, to: null }, { open: true }, {}, true],
    ["also in a list", { ...door, to: [false, null] }, { open: true }, {}, true],
    ["and is no change for anybody else", door, { open: true }, {}, false],
    ["nor another value than this", { ...door, not_to: true }, { open: false }, {}, false],
    ["while null that is reported is one", door, { open: true }, { open: null }, true],
    ["not to this", { ...door, not_to: true }, ...opens, false],
    ["not to others", { ...door, not_to: [false, "ajar"] }, ...opens, true],
    ["not from this", { ...door, not_from: [false] }, ...opens, false],
    ["21.0 is 21", { device_id: "door", attribute: "t", to: 21.0 }, { t: 20 }, { t: 21 }, true],
    ["objects by their content", { ...door, to: { b: 1, a: [2] } }, {}, { open: { a: [2], b: 1 } }, true],
    ["a list within a list", { ...door, to: [[1, 2]] }, {}, { open: [1, 2] }, true],
    ["emoji and °", { ...door, to: "21 °C 🔥" }, { open: "20 °C" }, { open: "21 °C 🔥" }, true],
  ])("%s", (_, fields, before, after, fires) => {
    expect(matches(fields, before, after) !== undefined).toBe(fires);
  });

  test("without an attribute the context holds the first that matches", () => {
    const after = { a: 1, b: 5, c: 5 };
    expect(matches({ device_id: "door", to: 5 }, { a: 0, b: 0, c: 0 }, after)).toMatchObject({ attribute: "b" });
    expect(matches({ device_id: "door" }, { a: 0 }, { a: 1 })).toMatchObject({ attribute: "a", value: 1 });
    expect(matches({ device_id: "door", to: 7 }, { a: 0 }, after)).toBeUndefined();
  });

  test("of several devices, or of any", () => {
    expect(matches({ device_ids: ["window", "door"], attribute: "open" }, ...opens)).toBeDefined();
    expect(matches({ device_ids: ["window"], attribute: "open" }, ...opens)).toBeUndefined();
    expect(matches({ attribute: "open" }, ...opens)).toBeDefined();
    expect(deviceStateChanged.interests?.(read({ device_ids: ["a", "b", "a"] }))).toEqual([
      { event: "device_state_changed", deviceId: "a" },
      { event: "device_state_changed", deviceId: "b" },
    ]);
    expect(deviceStateChanged.interests?.(read({ attribute: "open" }))).toEqual([{ event: "device_state_changed" }]);
  });

  test("the name of an unknown device is its id", () => {
    expect(matches({ attribute: "open" }, ...opens, "shed")).toMatchObject({ device_id: "shed", device_name: "shed" });
  });

  test("names that every object has are not attributes", () => {
    expect(matches({ device_id: "door", attribute: "toString", from: null }, {}, { toString: 1 })).toMatchObject({
      value: 1,
      previous: null,
    });
  });

  describe("for_duration_secs", () => {
    const holdOf = (fields: JsonObject) => {
      const house = createHouse();
      const spec = read({ ...door, for_duration_secs: 600, ...fields });
      const context = { device_id: "door", attribute: "open", value: true, previous: false };
      const still = (attributes: Attributes | undefined) => {
        if (attributes === undefined) house.remove("door");
        else house.put("door", { attributes });
        return deviceStateChanged.hold?.stillMatches(spec, context, house);
      };
      return { spec, still };
    };

    test("is in milliseconds; without it the trigger fires at once", () => {
      expect(deviceStateChanged.hold?.durationMs(holdOf({}).spec)).toBe(600_000);
      expect(deviceStateChanged.hold?.durationMs(holdOf({ for_duration_secs: 0.25 }).spec)).toBe(250);
      expect(deviceStateChanged.hold?.durationMs(read(door))).toBeUndefined();
    });

    test("without a wanted value it matches as long as the value stays the same", () => {
      const { still } = holdOf({});
      expect([still({ open: true, battery: 3 }), still({ open: "ajar" }), still({}), still(undefined)]).toEqual([
        ...[true, false, false, false],
      ]);
    });

    test("with a list it matches as long as the value is in it", () => {
      const { still } = holdOf({ to: [true, "ajar"] });
      expect([still({ open: true }), still({ open: "ajar" }), still({ open: false })]).toEqual([true, true, false]);
    });

    test("with not_to it matches as long as the value is another one", () => {
      const { still } = holdOf({ not_to: false });
      expect([still({ open: "ajar" }), still({ open: false }), still({})]).toEqual([true, false, true]);
    });
  });

  test("has a label", () => {
    const label = (fields: JsonObject) => deviceStateChanged.label(read(fields));
    expect(label(door)).toBe("door.open changes");
    expect(label({ ...door, to: true, for_duration_secs: 600 })).toBe("door.open to true for 600 s");
    expect(label({ device_ids: ["a", "b"], from: ["x", 1], not_to: null })).toBe('a or b.* from "x" or 1 not to null');
    expect(label({ attribute: "open" })).toBe("any device.open changes");
  });

  test("refuses invalid combinations", () => {
    const problems = (fields: JsonObject) => problemsIn("triggers", { type: "device_state_changed", ...fields });
    expect(problems({})).toEqual([": give devices or an `attribute`: all changes of all devices are too many"]);
    expect(problems({ device_id: "a", device_ids: ["b"] })).toEqual([": give either `device_id` or `device_ids`"]);
    expect(problems({ device_ids: [] })).toEqual(["device_ids: must have at least 1 entry"]);
    expect(problems({ device_id: "a", for_duration_secs: -1, atribute: "open" })).toEqual([
      'atribute: unknown key "atribute" – did you mean "attribute"?',
      'for_duration_secs: must be a number of seconds from 0 to 31622400, or a duration such as "5m" or "1h30m"',
    ]);
  });
});
