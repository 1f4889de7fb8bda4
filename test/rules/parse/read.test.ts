import { describe, expect, test } from "bun:test";
import type { TSchema } from "@sinclair/typebox";
import { detectFormat } from "../../../src/rules/parse/detect.ts";
import { readRuleText } from "../../../src/rules/parse/read.ts";
import { readRon } from "../../../src/rules/parse/ron/parse.ts";
import { defaultShape, nameOfType, typeOfName } from "../../../src/rules/parse/shape.ts";
import { members, TYPE_ALIASES } from "../../../src/rules/read/schemas.ts";

const ron = `// Küche 😀
Rule(
    name: "😀", trigger: Cron(expression: "0 0 7 * * *"),
    conditions: [
        And([Always, DeviceState(op: Eq)]),
    ],
    actions: [
        RuleAction(enabled: true, action: Notify(
            channel: "log",
        )),
        /* 😀 */ (type: "stop"),
    ],
)
`;

describe("places in RON", () => {
  const { locate, problemAt } = readRuleText(ron);

  test.each([
    ["", 2, 1],
    ["name", 3, 5],
    ["trigger", 3, 16],
    ["trigger.expression", 3, 30],
    ["trigger.type", 3, 25],
    ["trigger.nothing.of[3].this", 3, 16],
    ["conditions[0]", 5, 9],
    ["conditions[0].type", 5, 9],
    ["conditions[0].conditions", 5, 13],
    ["conditions[0].conditions[1].op", 5, 34],
    ["actions[0].enabled", 8, 20],
    ["actions[0].channel", 9, 13],
    ["actions[0].title", 8, 9],
    ["actions[1].type", 11, 18],
    ["actions[7]", 7, 5],
    ["nothing", 2, 1],
  ])("%s", (path, line, column) => {
    expect(locate(path)).toEqual({ line, column });
  });

  test("a problem in the value is shown in the text", () => {
    expect(problemAt("actions[0].channel", "no such channel")).toEqual({
      line: 9,
      column: 13,
      message: "no such channel",
      frame: [
        "  8 |         RuleAction(enabled: true, action: Notify(",
        '> 9 |             channel: "log",',
        "    |             ^",
      ].join("\n"),
    });
  });
});

test("places in TOML", () => {
  const { locate } = readRuleText(
    '\ufeffname = "😀"\n"a b" = 1\n[trigger]\n  type = "cron"\n  a.b = { "x y" = 1, z = [1, { q = 2 }] }\n[[actions]]\nx = 1\n[[actions]]\n[actions.inner]\ny = "\\"" # z\nz = 1\n',
  );
  const places = ["name", "a b", "trigger", "trigger.a", "trigger.a.b.x y", "trigger.a.b.z[1].q", "actions[0].x"];
  expect(places.map((path) => locate(path)).map(({ line, column }) => `${line}:${column}`)).toEqual([
    ...["1:1", "2:1", "3:1", "5:3", "5:11", "5:32", "7:1"],
  ]);
  expect(
    ["actions[1]", "actions[1].inner.z", "actions[1].none", "actions[2]"].map((path) => locate(path).line),
  ).toEqual([...[8, 11, 8, 6]]);
});

describe("the language of a text", () => {
  const RON = [
    ...["(", "// x", "/* x */ (", "Rule(", "Rule (", "#![enable(x)]\n(", "# ! [enable", "{", '["a"', "[\n("],
    ...["x: 1", "Rule", '"x": 1', "“", "# x\n(", "[Rule(", "[(a: 1)]", "a b"],
  ];
  const TOML = [
    ...["a = 1", "# (\na=1", "[a]", "[[a]]", "[ a . b ]", '["a b"]', "['a']", "a.b = 1", '"a" = 1', "'a' = 1"],
    ...["\ufeff[a]", "#!x\na=1"],
  ];

  test("in a file called .ron is RON, unless it is plainly TOML", () => {
    for (const text of RON) expect(`${text} → ${detectFormat(text, "ron")}`).toBe(`${text} → ron`);
    for (const text of TOML) expect(`${text} → ${detectFormat(text, "ron")}`).toBe(`${text} → toml`);
  });

  test("in a file called .toml is TOML, unless it is plainly RON", () => {
    const plain = ["(", "// x\n(", "/* x */ (", "Rule(", "Rule (", "#![enable(x)]\n(", "# ! [enable", "{", "# x\n("];
    for (const text of plain) expect(`${text} → ${detectFormat(text, "toml")}`).toBe(`${text} → ron`);
    for (const text of [...TOML, ...RON.filter((one) => !plain.includes(one))])
      expect(`${text} → ${detectFormat(text, "toml")}`).toBe(`${text} → toml`);
  });

  test("is none in a file without anything", () => {
    for (const text of ["", " \r\n\t", "\ufeff", "# x", "# x\n\n# y\n"])
      for (const named of ["ron", "toml"] as const) expect(detectFormat(text, named)).toBeUndefined();
  });

  test.each([
    ["lamp.ron", 'name = "x"', "toml", "the file holds TOML, and its name says RON: rename it to lamp.toml"],
    ["lamp.v2.TOML", '(name: "x")', "ron", "the file holds RON, and its name says TOML: rename it to lamp.v2.ron"],
    ["lamp.ron", '(name: "x")', "ron", undefined],
    ["lamp.toml", 'name = "x"', "toml", undefined],
    [undefined, 'name = "x"', "toml", undefined],
  ])("%s that holds %s is read, and its name is a warning where it says otherwise", (file, text, format, warning) => {
    const read = readRuleText(text, { file });
    expect(read).toMatchObject({ format, value: { name: "x" }, problems: [] });
    expect(read.warnings.map(({ message }) => message)).toEqual(warning === undefined ? [] : [warning]);
  });

  test("decides in which words a mistake is explained", () => {
    const first = (file: string) => readRuleText('name: "x"\nenabled: true', { file }).problems[0]?.message;
    expect(first("a.ron")).toContain("a rule is written in parentheses");
    expect(first("a.toml")).toContain("TOML writes `name = value`");
  });
});

test("names and types", () => {
  const pairs = [
    ["DeviceStateChanged", "device_state_changed"],
    ["HTTPRequest", "http_request"],
    ["MqttV5Message", "mqtt_v5_message"],
    ["Delay", "delay"],
    ["already_snake", "already_snake"],
    ["Ärger", "ärger"],
  ] as const;
  for (const [name, type] of pairs) expect(typeOfName(name)).toBe(type);
  expect(nameOfType("device_state_changed")).toBe("DeviceStateChanged");
  for (const type of ["none", "some", "true", "null", "na_n", "rule_action", "a_1", "", "_a", "A", "a__b", "a-b"])
    expect(nameOfType(type)).toBeUndefined();
});

test("a shape of one's own says what content is called", () => {
  const shape = { ...defaultShape, contents: new Map([["delay", "secs"]]) };
  expect(readRuleText('(actions: [Delay(5), Not(5), Log("x", 2), Wait()])', { shape }).value).toEqual({
    actions: [
      { type: "delay", secs: 5 },
      { type: "not", value: 5 },
      { type: "log", value: ["x", 2] },
      { type: "wait" },
    ],
  });
});

test("the shape is that of the hub's triggers, conditions and actions", () => {
  const found = { variants: new Set<string>(), branches: new Set<string>() };
  const walk = (schema: TSchema, key: string): boolean => {
    const inside = [...(schema.anyOf ?? []), ...(schema.items ? [schema.items] : [])].map((part) => walk(part, key));
    const members = Object.entries<TSchema>(schema.properties ?? {}).map(([name, member]) => walk(member, name));
    if (schema.$ref !== undefined || inside.includes(true)) found.variants.add(key);
    else if (members.includes(true) && key !== "") found.branches.add(key);
    return schema.$ref !== undefined || inside.includes(true) || members.includes(true);
  };
  const kinds = Object.values(members).flatMap((kind) => [...kind.values()]);
  for (const { schema } of kinds) walk(schema, "");
  expect([...found.variants].filter((key) => !defaultShape.variants.has(key) && !found.branches.has(key))).toEqual([]);
  expect([...found.branches]).toEqual([...defaultShape.branches]);
  for (const [type, key] of defaultShape.contents) {
    const real = TYPE_ALIASES.get(type) ?? type;
    expect(
      kinds.filter((kind) => kind.type === real).flatMap(({ schema }) => Object.keys(schema.properties)),
    ).toContain(key);
  }
});

test("data below a rule is never taken for a variant", () => {
  const text =
    '(actions: [SetState(state: (action: Single, trigger: [On], deep: (conditions: X)))], action: {"action": Y})';
  expect(readRuleText(text).value).toEqual({
    actions: [{ type: "set_state", state: { action: "Single", trigger: ["On"], deep: { conditions: "X" } } }],
    action: { action: { type: "y" } },
  });
});

test("the tree has the place of everything", () => {
  const text = "/* 😀 */ Rule(a: [1, Some(x)])";
  const read = readRon(text);
  if (!read.ok || read.tree.kind !== "struct") throw new Error("no struct");
  const [field] = read.tree.fields;
  expect(text.slice(read.tree.start, read.tree.end)).toBe("Rule(a: [1, Some(x)])");
  expect(text.slice(field?.value.start, field?.value.end)).toBe("[1, Some(x)]");
  expect(text[field?.at ?? 0]).toBe("a");
});
