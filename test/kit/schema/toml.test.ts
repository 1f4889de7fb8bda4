// The door to TOML: what a text says is smol-toml's to say, and every key and value has its place.
import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { Glob } from "bun";
import fc from "fast-check";
import { parse } from "smol-toml";
import { isObject, type JsonObject } from "../../../src/kit/schema/json.ts";
import { findMark, type Mark, positionAt } from "../../../src/kit/schema/text-places.ts";
import { comparePlaces, parseToml, readToml } from "../../../src/kit/schema/toml.ts";
import { examples } from "../../support/examples.ts";
import { exchangedValue, mutatedText } from "../../support/mutated-text.ts";
import { placedText } from "./toml-texts.ts";

const root = resolve(import.meta.dir, "../../..");
const uncommented = (text: string): string => text.replaceAll(/^# (?=[\w.]+ = |\[)/gm, "");
const shipped = ["config/hub.template.toml", "config/modes.toml", "rules/examples/motion-light.toml"].map((path) =>
  readFileSync(`${root}/${path}`, "utf8"),
);
const TEXTS = [...shipped, ...shipped.map(uncommented)];
const MIXED = `\ufeff# every style
"quoted \\u006bey" = 'C:\\Users'
a . b."c.d" = 0xff
times = [07:32:00, 2024-01-02, 2024-01-02T03:04:05Z, 2024-01-02 03:04:05.5]
odd = [nan, -inf, 9007199254740993, -0, 1_000]
long = """
a "" b"""""
inline = { y = [1, 2, # two
], z.w = true, "" = {} }
[t.u] # t
x = "a # b"\r
[t]
y = '''
'x'''
[[list]]
n = 1
[list.inner]
m = 2
[[list]]
[[list.deep]]
k = []
`;

/** Every value of the table has its place: the text of a scalar's place is that value and nothing else. */
function expectPlaced(text: string, value: unknown, mark: Mark): void {
  if (Array.isArray(value)) {
    expect(mark.items?.length).toBe(value.length);
    for (const [index, item] of value.entries()) expectPlaced(text, item, mark.items?.[index] ?? mark);
  } else if (isObject(value) && !(value instanceof Date)) {
    expect([...(mark.keys?.keys() ?? [])].sort()).toEqual(Object.keys(value).sort());
    for (const [key, member] of Object.entries(value)) expectPlaced(text, member, mark.keys?.get(key) ?? mark);
  } else {
    const { x } = parse(`x = ${text.slice(mark.start, mark.end)}`, { integersAsBigInt: "asNeeded" });
    expect(x).toEqual(value as never);
  }
}

function markAt(mark: Mark | undefined, path: readonly (string | number)[]): Mark | undefined {
  return path.reduce<Mark | undefined>(
    (at, step) => (typeof step === "number" ? at?.items?.[step] : at?.keys?.get(step)),
    mark,
  );
}

describe("values and places agree", () => {
  test("in a text of every style", () => {
    const read = parseToml(MIXED);
    if (!read.ok) throw new Error(read.flaw.message);
    expect(read.unplaced).toEqual([]);
    expect(read.table).toEqual(parse(MIXED, { integersAsBigInt: "asNeeded" }) as JsonObject);
    expectPlaced(MIXED, read.table, read.mark);
    const lines = (path: string): number => positionAt(MIXED, findMark(read.mark, path).at).line;
    const paths = ["quoted key", "a.b", "times[3]", "inline.z", "t", "t.u.x", "list[0].inner.m", "list[1].deep[0].k"];
    expect(paths.map(lines)).toEqual([2, 3, 4, 9, 12, 11, 18, 21]);
  });

  test("whatever the style, the ends of lines and the byte order mark", () => {
    fc.assert(
      fc.property(placedText, ({ text, places }) => {
        const read = parseToml(text);
        if (!read.ok) throw new Error(`${read.flaw.message} at ${read.flaw.offset} of ${JSON.stringify(text)}`);
        expect(read.unplaced).toEqual([]);
        expectPlaced(text, read.table, read.mark);
        for (const { path, at, value } of places) {
          const mark = markAt(read.mark, path);
          expect({ path, at: mark?.at, start: mark?.start, end: mark?.end }).toEqual({
            path,
            at,
            start: value?.start ?? -1,
            end: value?.end ?? -1,
          });
        }
      }),
      { numRuns: examples(2000) },
    );
  }, 120_000);

  test("in texts that were changed anywhere", () => {
    const texts = [...TEXTS, MIXED];
    fc.assert(
      fc.property(fc.oneof(mutatedText(texts), exchangedValue(texts)), (text) => {
        const read = parseToml(text);
        if (!read.ok) {
          expect(read.flaw.message).not.toBe("");
          expect(read.flaw.offset).toBeWithin(0, text.length + 1);
          return;
        }
        expect(read.unplaced).toEqual([]);
        expectPlaced(text, read.table, read.mark);
      }),
      { numRuns: examples(3000) },
    );
  }, 120_000);
});

describe("where the two readers differ", () => {
  const text = 'a = 1 # 2\nb = "x"\n[t]\nlist = [1, 2]\ninner = { y = true }\n';
  const difference = (spoil: (mark: Mark) => void): { paths: string[]; mark: Mark } => {
    const read = parseToml(text);
    if (!read.ok) throw new Error(read.flaw.message);
    const { table, mark } = read;
    spoil(mark);
    return { paths: comparePlaces(text, table, mark).map(({ path }) => path), mark };
  };
  const at = (mark: Mark, ...path: string[]): Mark => markAt(mark, path) ?? mark;

  test.each<[string, (mark: Mark) => void, string[]]>([
    ["nothing", () => {}, []],
    ["a value's end", (mark) => at(mark, "b").end++, ["b"]],
    ["a value's beginning", (mark) => at(mark, "a").start--, ["a"]],
    ["a comment beside a value", (mark) => Object.assign(at(mark, "a"), { start: 4, end: 9 }), ["a"]],
    ["another value's place", (mark) => Object.assign(at(mark, "a"), at(mark, "b")), ["a"]],
    ["a key's place", (mark) => at(mark, "a").at++, ["a"]],
    ["a key that is missing", (mark) => mark.keys?.delete("t"), ["t"]],
    ["an item that is missing", (mark) => at(mark, "t", "list").items?.pop(), ["t.list"]],
    ["an item in the place of another", (mark) => at(mark, "t", "list").items?.reverse(), ["t.list[0]", "t.list[1]"]],
    ["a table for a value", (mark) => Object.assign(at(mark, "a"), { keys: new Map() }), ["a"]],
    ["a value for a table", (mark) => mark.keys?.set("t", at(mark, "a")), ["t"]],
    ["a member of an inline table", (mark) => at(mark, "t", "inner", "y").end--, ["t.inner.y"]],
  ])("the place is not used, and is reported: %s", (_, spoil, expected) => {
    const { paths, mark } = difference(spoil);
    expect(paths).toEqual(expected);
    for (const path of paths) {
      const { start, end, at } = findMark(mark, path);
      expect({ start, end }).toEqual({ start: -1, end: -1 });
      expect(at).toBeWithin(0, text.length);
    }
    // The others keep theirs.
    const { start, end } = at(mark, "b");
    if (!paths.includes("b")) expect(text.slice(start, end)).toBe('"x"');
  });

  test("a key that only the places have is none", () => {
    const { paths, mark } = difference((spoilt) => spoilt.keys?.set("z", { at: 0, start: 0, end: 1 }));
    expect(paths).toEqual([]);
    expect([...(mark.keys?.keys() ?? [])]).toEqual(["a", "b", "t"]);
  });
});

describe("a text that is not TOML", () => {
  test.each([
    ["name: x", "TOML writes `name = value`"],
    ["// x", "a comment begins with `#`"],
    ["; x", "a comment begins with `#`"],
    ["a", "`= value` is missing"],
    ["a b", "`=` is missing"],
    ["a = ", "the value is missing"],
    ["a = # none", "the value is missing"],
    ["a = Küche", "a text needs quotes"],
    ["a = True", "small letters"],
    ["a = yes", "true or false"],
    ["a = null", "leave the key out"],
    ["a = “x”", "typographic"],
    ["a = 21,5", "a point, not a comma"],
    ["a = 10 s", "a number has no unit"],
    ["a = 07", "does not begin with 0"],
    ["a = 2024-02-40", "there is no such date"],
    ['a = "x', "never closed"],
    ['a = "x\nb = 1', "does not end on its line"],
    ['a = "C:\\dir"', "for a backslash"],
    ["a = [1, 2", "a comma or the closing bracket"],
    ["a = {x = 1", "a comma or the closing bracket"],
    ["[a", "`]` is missing"],
    ["[[a]", "`]]` is missing"],
    ["[a]\n[a]", "in the file already"],
    ["a = 1\na = 2", "in the file already"],
    ["a = 1 b = 2", "nothing may follow a value"],
    ["ü = 1", "a key has letters"],
    ["a = 1\0", "a number looks like"],
    ['a = "\u0001"', "control character"],
    [`a = ${"[".repeat(300)}`, "nested too deeply"],
    [`a${".a".repeat(300)} = 1`, "nested deeper than"],
  ])("says what was meant: %j", (text, says) => {
    const read = parseToml(text);
    expect(read.ok ? "" : read.flaw.message).toContain(says);
  });

  test("no message quotes what may be a password", () => {
    const secret = "s3cret-pass";
    for (const line of [
      `a = ${secret}`,
      `a: ${secret}`,
      `${secret}: a`,
      `a = "${secret}`,
      `a = "x" ${secret}`,
      secret,
    ]) {
      const read = readToml(`[auth]\n${line}\n`);
      expect(read.ok ? "" : read.problem.message).not.toContain(secret);
      expect(read.ok ? 0 : read.problem.line).toBe(2);
    }
  });
});

test("nobody else reads TOML", () => {
  const src = resolve(root, "src");
  const others = [...new Glob("**/*.ts").scanSync(src)].filter((path) => !path.startsWith("kit/schema/toml"));
  const wrong = others.filter((path) => /smol-toml|toml-scan|toml-syntax/.test(readFileSync(`${src}/${path}`, "utf8")));
  expect(wrong).toEqual([]);
});
