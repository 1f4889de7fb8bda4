import { describe, expect, test } from "bun:test";
import type { JsonObject } from "../../../../src/kit/schema/json.ts";
import { lacksId, replaceId, setTopLevel } from "../../../../src/rules/parse/edit/set-key.ts";

const UUID = "5f0e6c0e-0000-4000-8000-000000000001";
const NIL = "00000000-0000-0000-0000-000000000000";

function edited(text: string, key: string, value: string | number | boolean | string[]): string {
  const result = setTopLevel(text, key, value);
  return result.ok ? result.text : (result.problems[0]?.message ?? "");
}

/** Text, key, value, text afterwards. */
type Row = [string, string, string | number | boolean | string[], string];

describe("a value in its place", () => {
  const rows: Row[] = [
    ["( enabled :/* 😀 */true // °\n)", "enabled", false, "( enabled :/* 😀 */false // °\n)"],
    ['Rule(id: Uuid(""), x: 1)', "id", UUID, `Rule(id: Uuid("${UUID}"), x: 1)`],
    ["(priority: Some(1_0u8),)", "priority", -3, "(priority: Some(-3),)"],
    ["(cooldown_secs: None)", "cooldown_secs", 60, "(cooldown_secs: Some(60))"],
    [
      '#![enable(implicit_some)]\n(name: r#"a"#)',
      "name",
      'b "°"\n',
      '#![enable(implicit_some)]\n(name: "b \\"°\\"\\n")',
    ],
    ['{"enabled": true}', "enabled", false, '{"enabled": false}'],
    ["enabled=true#°\n[trigger]", "enabled", false, "enabled=false#°\n[trigger]"],
    ["name = '''\na'''  # °", "name", "\u0000 °", 'name = "\\u0000 °"  # °'],
    ['"enabled" = true\n', "enabled", false, '"enabled" = false\n'],
    ["priority = 1_0 # ten", "priority", 1e21, "priority = 1e+21 # ten"],
    ["(enabled: true)", "enabled", true, "(enabled: true)"],
  ];
  test.each(rows)("%j %s = %j", (text, key, value, expected) => {
    expect(edited(text, key, value)).toBe(expected);
  });
});

describe("a key that was not there", () => {
  const rows: Row[] = [
    ["()", "id", "x", '(id: "x")'],
    ["Rule()", "enabled", true, "Rule(enabled: true)"],
    ['(name: "x")', "id", "u", '(id: "u", name: "x")'],
    ['(name: "x",)', "enabled", true, '(name: "x", enabled: true,)'],
    ['(\n  name: "x", // °\n)', "enabled", true, '(\n  name: "x", // °\n  enabled: true,\n)'],
    ['(\n  name: "x" // °\n)', "enabled", true, '(\n  name: "x", // °\n  enabled: true\n)'],
    ['// a\n(\r\n\t// b\r\n\tname: "x",\r\n)', "id", "u", '// a\n(\r\n\t// b\r\n\tid: "u",\r\n\tname: "x",\r\n)'],
    ['(\n  name: "x"\n  , a: 1)', "tags", ["°"], '(\n  name: "x",\n  tags: ["°"]\n  , a: 1)'],
    ['{\n  "name": "x"\n}\n', "enabled", true, '{\n  "name": "x",\n  "enabled": true\n}\n'],
    ['Rule((name: "x"))', "enabled", true, 'Rule((name: "x", enabled: true))'],
    ["(\n  trigger: A, // t\n)", "enabled", true, "(\n  enabled: true,\n  trigger: A, // t\n)"],
    ['# °\nname = "x" # n\n\n[trigger]\n', "enabled", true, '# °\nname = "x" # n\nenabled = true\n\n[trigger]\n'],
    ['name = "x"\r\n[t]\r\n', "id", "u", 'id = "u"\r\nname = "x"\r\n[t]\r\n'],
    ["# head\n\n# t\n[t]\n", "id", "u", '# head\n\nid = "u"\n\n# t\n[t]\n'],
    ["# t\n[t]\n", "id", "u", 'id = "u"\n\n# t\n[t]\n'],
    ["name = 'x'", "tags", ["a", "°"], 'name = \'x\'\ntags = ["a", "°"]'],
  ];
  test.each(rows)("%j %s = %j", (text, key, value, expected) => {
    expect(edited(text, key, value)).toBe(expected);
  });
});

describe("a list", () => {
  const list = '(\n  tags: [\n    "a", // first\n    "b",\n    "c" // last\n  ],\n)';
  const rows: Row[] = [
    [
      list,
      "tags",
      ["a", "b", "c", "d"],
      '(\n  tags: [\n    "a", // first\n    "b",\n    "c", // last\n    "d"\n  ],\n)',
    ],
    [list, "tags", ["a", "c"], '(\n  tags: [\n    "a", // first\n    "c" // last\n  ],\n)'],
    [list, "tags", ["a", "x", "c"], '(\n  tags: [\n    "a", // first\n    "x",\n    "c" // last\n  ],\n)'],
    [
      list,
      "tags",
      ["z", "a", "b", "c"],
      '(\n  tags: [\n    "z",\n    "a", // first\n    "b",\n    "c" // last\n  ],\n)',
    ],
    ['(tags: ["a", "b", "c"])', "tags", ["b"], '(tags: ["b"])'],
    ['(tags: ["a", "b", "c"])', "tags", ["a"], '(tags: ["a"])'],
    ['(tags: ["a", "b"])', "tags", [], "(tags: [])"],
    ["(tags: [ /* none */ ])", "tags", ["a"], '(tags: ["a" /* none */ ])'],
    ["tags = [\n  'a', # first\n]\n", "tags", ["a", "b"], "tags = [\n  'a', # first\n  \"b\",\n]\n"],
    ["(tags: Some([Tag(1)]))", "tags", ["a"], '(tags: Some(["a"]))'],
  ];
  test.each(rows)("%j %s = %j", (text, key, value, expected) => {
    expect(edited(text, key, value)).toBe(expected);
  });
});

describe("ids", () => {
  test.each([
    ['(id: "", name: "x")', `(id: "${UUID}", name: "x")`],
    [`(id: "${NIL}")`, `(id: "${UUID}")`],
    ['(id: Uuid(""))', `(id: Uuid("${UUID}"))`],
    ["(id: None)", `(id: Some("${UUID}"))`],
    ["(id: ())", `(id: "${UUID}")`],
    ["\ufeffid = '' # °\r\n", `\ufeffid = "${UUID}" # °\r\n`],
    ['\ufeffname = "x"', `\ufeffid = "${UUID}"\nname = "x"`],
    ['(id: "own")', '(id: "own")'],
    ["(id: 5)", "(id: 5)"],
  ])("%j", (text, expected) => {
    expect(replaceId(text, UUID)).toEqual({ ok: true, text: expected });
  });

  test("an id is lacking when it is absent, empty or zero", () => {
    const lacking: JsonObject[] = [{}, { id: "" }, { id: " " }, { id: null }, { id: NIL }];
    expect(lacking.every(lacksId)).toBe(true);
    expect([{ id: UUID }, { id: 0 }, { id: "x" }].some(lacksId)).toBe(false);
  });
});

test("what cannot be edited is a problem, and no text comes back", () => {
  expect(setTopLevel("(a = 1)", "enabled", true)).toMatchObject({ ok: false, problems: [{ line: 1, column: 4 }] });
  expect(setTopLevel("[tags]\na = 1\n", "tags", ["x"])).toMatchObject({
    ok: false,
    problems: [{ line: 1, column: 1, message: "`tags` cannot be changed here: edit the file" }],
  });
  expect(() => setTopLevel("()", "a b", 1)).toThrow("snake_case");
  expect(() => setTopLevel("()", "name", "\ud83d")).toThrow("half of a character");
  expect(() => setTopLevel("()", "priority", Number.NaN)).toThrow("finite");
});
