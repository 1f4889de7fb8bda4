// What holds for every text: the reader answers with a value or with problems that have a place, and never throws; what
// was written is read back; edits change what they must and nothing else.
import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { stringify } from "smol-toml";
import { isObject, type Json } from "../../../src/kit/schema/json.ts";
import type { Mark, TextProblem } from "../../../src/kit/schema/text-places.ts";
import { setTopLevel } from "../../../src/rules/parse/edit/set-key.ts";
import { readRuleText } from "../../../src/rules/parse/read.ts";
import { writeRon } from "../../../src/rules/parse/ron/write.ts";
import { examples } from "../../support/examples.ts";
import { allTexts, anyRule, goodTexts, signText, slippedText } from "./texts.ts";

const anyText = fc.oneof(slippedText, signText, fc.string({ unit: "binary", maxLength: 200 }));

/** Lists of texts as people write them; every comment is a note with a name. */
const listLayouts: readonly ((items: readonly string[]) => string)[] = [
  (items) => `(name: "x", tags: [${items.map((item) => `"${item}"`).join(", ")}])`,
  (items) => `(tags: [${items.map((item) => `"${item}",`).join("")}], /* note end */)`,
  (items) => `(\n  tags: [ // note begin\n${items.map((item) => `    "${item}", // note ${item}\n`).join("")}  ],\n)\n`,
  (items) =>
    `(\n  tags: [\n${items.map((item) => `    /* note ${item} */ "${item}"`).join(",\n")}\n  ] // note end\n)\n`,
  (items) => `(\r\n\ttags: [\r\n${items.map((item) => `\t\t"${item}" /* note ${item} */,\r\n`).join("")}\t],\r\n)`,
  (items) => `tags = [${items.map((item) => `"${item}"`).join(", ")}] # note end\n[trigger]\n`,
  (items) => `tags = [ # note begin\n${items.map((item) => `  '${item}', # note ${item}\n`).join("")}]`,
  (items) => `tags = [\r\n${items.map((item) => `  # note ${item}\r\n  "${item}"`).join(",\r\n")}\r\n]\r\n`,
];

/** Nothing before or behind the value has changed; where there was none, nothing of the text is gone. */
function expectKept(text: string, edited: string, place: { start: number; end: number } | undefined): void {
  if (place !== undefined) {
    expect(edited.slice(0, place.start)).toBe(text.slice(0, place.start));
    expect(edited.slice(edited.length - (text.length - place.end))).toBe(text.slice(place.end));
    return;
  }
  let found = 0;
  for (let at = 0; at < edited.length && found < text.length; at++) if (edited[at] === text[found]) found++;
  expect(found).toBe(text.length);
}

function checkPlace(text: string, problem: TextProblem): void {
  const lines = text.replace(/^\ufeff/, "").split("\n");
  const line = lines[problem.line - 1];
  expect(line).toBeDefined();
  expect(problem.column).toBeGreaterThanOrEqual(1);
  expect(problem.column).toBeLessThanOrEqual([...(line ?? "")].length + 1);
  expect(problem.message).not.toBe("");
  expect(problem.frame).toContain(`> ${problem.line} |`);
  expect(problem.frame).toMatch(/\^$/);
}

describe("the reader", () => {
  test("answers every text with a value or with problems that have a place", () => {
    fc.assert(
      fc.property(anyText, fc.string(), (text, path) => {
        const { value, problems, locate, problemAt } = readRuleText(text);
        expect(value === undefined).toBe(problems.length > 0);
        for (const problem of problems) checkPlace(text, problem);
        for (const somewhere of [path, "", "actions[0].type", "trigger", "a.b[3]"]) {
          checkPlace(text, problemAt(somewhere, "wrong"));
          expect(problemAt(somewhere, "wrong")).toMatchObject({ ...locate(somewhere), message: "wrong" });
        }
      }),
      { numRuns: examples(1000) },
    );
  });

  test("gives values that are plain JSON and safe to hold", () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const { value } = readRuleText(text);
        if (value === undefined) return;
        const json = JSON.stringify(value);
        // JSON itself forgets the sign of a zero.
        expect(JSON.stringify(JSON.parse(json))).toBe(json);
        expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
      }),
      { numRuns: examples(1000) },
    );
  });
});

test("integers come out as they were written, or not at all", () => {
  const radix = fc.constantFrom<[string, number]>(["", 10], ["0x", 16], ["0o", 8], ["0b", 2]);
  fc.assert(
    fc.property(fc.bigInt({ min: -(2n ** 70n), max: 2n ** 70n }), radix, fc.nat(3), (integer, [prefix, base], gap) => {
      const digits = (integer < 0n ? -integer : integer).toString(base);
      const literal = `${integer < 0n ? "-" : ""}${prefix}${digits.slice(0, gap + 1)}_${digits.slice(gap + 1)}`;
      const read = readRuleText(`(a: ${literal})`);
      const isExact = BigInt(Number(integer)) === integer;
      expect(read.problems.length).toBe(isExact ? 0 : 1);
      if (isExact) expect(read.value?.a).toEqual(Number(integer));
    }),
  );
});

describe("the writer", () => {
  test("what is written reads back the same", () => {
    fc.assert(
      fc.property(anyRule, (rule) => {
        const read = readRuleText(writeRon(rule));
        expect(read.problems).toEqual([]);
        expect(read.value).toEqual(rule);
      }),
      { numRuns: examples(1000) },
    );
  });

  test("what is read can be written, and is the same then", () => {
    fc.assert(
      fc.property(slippedText, (text) => {
        const { value } = readRuleText(text);
        if (value === undefined) return;
        expect(readRuleText(writeRon(value)).value).toEqual(value);
      }),
      { numRuns: examples(1000) },
    );
  });
});

describe("places", () => {
  /** Every scalar's place holds the text of exactly that value, and every object and list has places for what is in it. */
  function expectMarked(value: Json, mark: Mark, valueIn: (start: number, end: number) => Json | undefined): void {
    if (Array.isArray(value)) {
      expect(mark.items?.length ?? 0).toBe(value.length);
      for (const [index, item] of value.entries()) expectMarked(item, mark.items?.[index] ?? mark, valueIn);
    } else if (isObject(value)) {
      expect([...(mark.keys?.keys() ?? [])].sort()).toEqual(Object.keys(value).sort());
      for (const [key, member] of Object.entries(value)) expectMarked(member, mark.keys?.get(key) ?? mark, valueIn);
    } else expect(valueIn(mark.start, mark.end)).toEqual(value);
  }

  test("in RON are those of the values", () => {
    fc.assert(
      fc.property(anyRule, (rule) => {
        // Without types, so that every value is written as itself.
        const text = writeRon({ data: rule });
        const { mark, value } = readRuleText(text);
        const valueAt = (start: number, end: number) => readRuleText(`(a: ${text.slice(start, end)})`).value?.a;
        expectMarked(value ?? {}, mark, valueAt);
      }),
      { numRuns: examples(300) },
    );
  });

  test("in TOML are those of the values", () => {
    fc.assert(
      fc.property(anyRule, (rule) => {
        const text = stringify(JSON.parse(JSON.stringify(rule, (_, value) => (value === null ? "null" : value))));
        const { mark, value, problems } = readRuleText(`${text}\n`);
        if (problems.length > 0) return;
        const valueAt = (start: number, end: number) => readRuleText(`a = ${text.slice(start, end)}`).value?.a;
        expectMarked(value ?? {}, mark, valueAt);
      }),
      { numRuns: examples(1000) },
    );
  });
});

describe("edits", () => {
  const scalar = fc.oneof(fc.string({ unit: "binary" }), fc.integer(), fc.boolean(), fc.constantFrom(0.5, 1e300));
  const tags = fc.array(fc.constantFrom("a", "b", "c", "°", "😀 x"), { maxLength: 6 });
  const editable = fc.oneof(
    fc.constantFrom(...goodTexts),
    slippedText.filter((text) => readRuleText(text).problems.length === 0),
  );
  const keys = fc.constantFrom("id", "name", "enabled", "priority", "cooldown_secs", "tags", "note");

  test("say what was asked for, and leave everything around it as it was", () => {
    fc.assert(
      fc.property(editable, keys, fc.oneof(scalar, tags), (text, key, value) => {
        const before = readRuleText(text);
        const result = setTopLevel(text, key, value);
        if (!result.ok) {
          expect(result.problems).not.toEqual([]);
          return;
        }
        expect(readRuleText(result.text).value).toEqual({ ...before.value, [key]: value });
        expectKept(text, result.text, before.mark.keys?.get(key));
        if (text.includes("\r\n") && !/[^\r]\n/.test(text)) expect(result.text).not.toMatch(/[^\r]\n/);
      }),
      { numRuns: examples(1000) },
    );
  });

  test("of lists keep all comments and the lines of what stays", () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...listLayouts),
        fc.uniqueArray(fc.constantFrom(..."abcde")),
        tags,
        (layout, old, next) => {
          const text = layout(old);
          const result = setTopLevel(text, "tags", next);
          if (!result.ok) throw new Error(result.problems[0]?.frame);
          expect(readRuleText(result.text).value).toEqual({ ...readRuleText(text).value, tags: next });
          expect(result.text.match(/note \w+/g)).toEqual(text.match(/note \w+/g));
          expectKept(text, result.text, { start: text.indexOf("["), end: text.lastIndexOf("]") });
        },
      ),
      { numRuns: examples(1000) },
    );
  });

  test("of the files of the corpus always succeed", () => {
    for (const text of goodTexts) {
      for (const [key, value] of [
        ["id", "x"],
        ["enabled", false],
        ["priority", -1],
        ["tags", ["a", "b"]],
      ] as const) {
        const result = setTopLevel(text, key, value);
        expect(result).toMatchObject({ ok: true });
        if (result.ok) expect(setTopLevel(result.text, key, value)).toEqual(result);
      }
    }
  });

  test("of texts that cannot be read are refused with the reader's problems", () => {
    for (const text of allTexts) {
      const { problems } = readRuleText(text);
      if (problems.length > 0) expect(setTopLevel(text, "enabled", false)).toEqual({ ok: false, problems });
    }
  });
});
