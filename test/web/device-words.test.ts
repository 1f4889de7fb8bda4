// Devices whose schemas and names are not what they should be still get controls that do no harm, and are found.
import { beforeAll, describe, expect, test } from "bun:test";

type Kind = (name: string, property: object, value: unknown) => string | undefined;

let controlKind: Kind;
let propertiesIn: (schema: unknown) => ReadonlyMap<string, object>;
let filtered: (list: readonly object[], filter: object) => { id: string }[];
let filterIn: (query: URLSearchParams) => object;
let rangeIn: (query: URLSearchParams) => { length: string; fixed?: { from: number; to: number } };
// By a computed name: the page is checked with the types of browsers, and this test is not.
beforeAll(async () => {
  const from = (path: string) => import(`../../src/page/${path}`);
  ({ controlKind } = await from("model/device/control-kind.ts"));
  ({ propertiesIn } = await from("model/device/schema.ts"));
  ({ filtered, filterIn } = await from("views/devices/device-filter.ts"));
  ({ rangeIn } = await from("model/plot/range.ts"));
});

describe("schemas", () => {
  test.each([[undefined], [null], [5], ["x"], [[]], [{ properties: 7 }], [{ properties: [] }]])(
    "%j has no properties",
    (schema) => expect([...propertiesIn(schema)]).toEqual([]),
  );

  test("names of what every object has are names like others", () => {
    const schema = JSON.parse('{"properties":{"__proto__":{"type":"boolean"},"toString":"nonsense"}}');
    const properties = propertiesIn(schema);
    expect(properties.get("__proto__")).toEqual({ type: "boolean" });
    expect(properties.get("toString")).toEqual({});
    expect(properties.get("constructor")).toBeUndefined();
  });

  test("what has the wrong type is left out", () => {
    const lies = { type: ["null", "number"], minimum: "a", maximum: null, unit: 5, enum: "no", readOnly: "yes" };
    expect(propertiesIn({ properties: { x: lies } }).get("x")).toEqual({ type: "number" });
  });

  test("choices may be consts", () => {
    const choice = { anyOf: [{ const: "a" }, { const: "b" }] };
    expect(propertiesIn({ properties: { x: choice, y: { const: "z" } } })).toEqual(
      new Map([
        ["x", { enum: ["a", "b"] }],
        ["y", { enum: ["z"] }],
      ]),
    );
  });
});

describe("controls", () => {
  const number = { type: "number", minimum: 0, maximum: 10 };
  test.each<[string, string, object, unknown, string | undefined]>([
    ["a boolean", "on", { type: "boolean" }, true, "switch"],
    ["a number in a range", "x", number, 5, "slider"],
    ["a number that is a text", "x", number, "a text", "number"],
    ["an endless range", "x", { ...number, minimum: -1e308, maximum: 1e308 }, 5, "number"],
    ["a range upside down", "x", { ...number, minimum: 11 }, 5, "number"],
    ["steps without end", "x", { ...number, multipleOf: 1e-12 }, 5, "number"],
    ["a choice", "x", { type: "string", enum: ["a", "b"] }, "a", "select"],
    ["a colour", "color_rgb", { type: "string" }, undefined, "color"],
    ["what is only read", "x", { ...number, readOnly: true, writeOnly: true }, 5, undefined],
    ["what is only written", "x", { enum: ["a"], writeOnly: true }, undefined, "buttons"],
    ["an object", "x", { type: "object" }, { a: 1 }, undefined],
  ])("of %s", (_, name, property, value, kind) => expect(controlKind(name, property, value)).toBe(kind));
});

describe("the table", () => {
  const base = { device_type: null, plugin_id: "zigbee", manufacturer: null, model: null, sw_version: null };
  const list = [
    { ...base, id: "a", name: "Küche Löwe", area: "kitchen", available: true, attributes: { battery: 5 } },
    { ...base, id: "b", name: "Flur", area: null, available: false, attributes: { mode: "Eco" }, model: "TS0601" },
  ];
  test.each([
    ["q=kuche+lowe", ["a"]],
    ["q=ts06", ["b"]],
    ["q=eco+zigbee", ["b"]],
    ["area=-", ["b"]],
    ["state=offline", ["b"]],
    ["state=low_battery", ["a"]],
    ["q=nothing", []],
  ])("%s", (query, ids) =>
    expect(filtered(list, filterIn(new URLSearchParams(query))).map(({ id }) => id)).toEqual(ids),
  );
});

describe("the shown time", () => {
  test.each(["", "range=constructor", "from=x&to=y", "from=2020-01-02&to=2020-01-01", "from=2999-01-01&to=2999-01-02"])(
    "%p is a day",
    (query) => expect(rangeIn(new URLSearchParams(query))).toEqual({ length: "day" }),
  );
  test("of two moments", () => {
    const { fixed } = rangeIn(new URLSearchParams("from=2020-01-01T00:00:00Z&to=2020-01-02T00:00:00Z"));
    expect(fixed).toEqual({ from: Date.UTC(2020, 0, 1), to: Date.UTC(2020, 0, 2) });
  });
});
