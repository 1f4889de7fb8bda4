import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { compilePattern } from "../../../src/rules/expression/pattern.ts";
import { examples } from "../../support/examples.ts";
import { ask } from "./home.ts";

function matches(pattern: string, text: string): boolean | string {
  const compiled = compilePattern(pattern);
  return compiled.ok ? compiled.pattern.matches(text) : compiled.problem;
}

describe("agrees with JavaScript's own expressions", () => {
  const texts = [
    "",
    "a",
    "ab",
    "abc",
    "aab",
    "Lamp 12",
    "kitchen/lamp-1",
    "x\ny",
    "  ",
    "ä°C",
    "foo.bar",
    "2026-01-31",
    "😀!",
  ];
  const patterns = String.raw`
    a ^a a$ ^$ a* a+b a?b ^a{2}b$ a{1,2}b a{2,} (ab)+ ^(a|b)*c$ a||b (|a)b a{0}b a.*?b (a+)+b (a*)* ()*b (?:ab)c (?<n>a)b
    [a-c]+$ [^a] [a-c-] [\d-]+ [.] [a\]] \d{4}-\d\d \w+ \W \s ^\S+$ \bamp \blamp\b \B . ^.$ x.y x\ny foo\.bar \. \/ \x61 \u0061b
    ^(?:kitchen|hall)/lamp-[0-9]+$ °
  `;
  for (const pattern of ["", ...patterns.trim().split(/\s+/)])
    test(`/${pattern}/`, () => {
      const expected = texts.filter((text) => new RegExp(pattern, "u").test(text));
      expect(texts.filter((text) => matches(pattern, text) === true)).toEqual(expected);
      expect(texts.map((text) => typeof matches(pattern, text))).not.toContain("string");
    });

  test("a brace that counts nothing is a brace", () => {
    expect(matches("x{", "x{")).toBe(true);
    expect(matches("a{,2}", "aa")).toBe(false);
  });

  test("flags at the front", () => {
    expect(matches("(?i)LAMP", "my lamp")).toBe(true);
    expect(matches("(?i)[a-z]{4}", "LAMP")).toBe(true);
    expect(matches("(?i)[^l]", "Ll")).toBe(false);
    expect(matches("x.y", "x\ny")).toBe(false);
    expect(matches("(?s)x.y", "x\ny")).toBe(true);
    expect(matches("^y", "x\ny")).toBe(false);
    expect(matches("(?m)^y$", "x\ny\nz")).toBe(true);
  });

  test("on patterns put together at random", () => {
    const leaf = fc.constantFrom("a", "b", "c", ".", "[ab]", "[^a]", "\\d", "\\w", "^", "$", "\\b");
    const { pattern } = fc.letrec<{ pattern: string }>((tie) => ({
      pattern: fc.oneof(
        { maxDepth: 4 },
        leaf,
        fc.tuple(tie("pattern"), tie("pattern")).map(([a, b]) => a + b),
        fc.tuple(tie("pattern"), tie("pattern")).map(([a, b]) => `(?:${a}|${b})`),
        fc
          .tuple(tie("pattern"), fc.constantFrom("*", "+", "?", "{2}", "{1,3}", "{0,}", "*?"))
          .map(([a, q]) => `(?:${a})${q}`),
      ),
    }));
    fc.assert(
      fc.property(pattern, fc.stringMatching(/^[abc1 ]{0,8}$/), (source, text) => {
        expect(matches(source, text)).toBe(new RegExp(source).test(text));
      }),
      { numRuns: examples(5000) },
    );
  });
});

describe("every pattern ends in bounded time", () => {
  const long = `${"a".repeat(20_000)}!`;
  for (const pattern of ["(a+)+$", "^(a|a)*$", "(a|aa)+$", "(.*a){20}$", "(a*)*b", "a*a*a*a*a*b", "((a?){30}){3}b"])
    test(`/${pattern}/`, () => {
      expect(matches(pattern, long)).toBe(false);
    });
  test("reading one, too", () => {
    for (const pattern of [
      "((((a{200}){200}){200}){200}){200}",
      "((((){200}){200}){200}){200}",
      "(".repeat(400),
      "a".repeat(501),
    ])
      expect(matches(pattern, "a")).toStartWith("the pattern ");
  });
});

test("what is not possible says so", () => {
  for (const [pattern, expected] of [
    ["(?=a)", "looks ahead or behind"],
    ["(?<!a)b", "looks ahead or behind"],
    ["(a)\\1", '"\\1" is not possible'],
    ["\\p{L}", '"\\p" is not possible'],
    ["(a", 'a "(" is not closed'],
    ["a)", 'a ")" has no "("'],
    ["[a", 'a "[" is not closed'],
    ["*a", 'nothing before "*"'],
    ["a**", "repeats a repetition"],
    ["[z-a]", "runs backwards"],
    ["[[:alpha:]]", "write the range"],
    ["a{3,1}", "{3,1} is not a count"],
    ["a\\", "lone backslash"],
    ["\\xg1", "hexadecimal"],
  ] as const)
    expect(String(matches(pattern, "a"))).toContain(expected);
});

test("in an expression", () => {
  expect(ask('device_state("lamp").name.matches("^L")')).toBe(true);
  expect(ask('device_state("lamp").name.matches("(?i)lamp$")')).toBe(true);
  expect(ask('"kitchen_light".matches(trigger.pattern)', { trigger: { pattern: "light" } })).toBe(true);
  expect(ask('"x".matches("(")')).toBe('the pattern "(" is not possible: a "(" is not closed');
  expect(ask('"x".matches(trigger.pattern)', { trigger: { pattern: "(" } })).toContain('a "(" is not closed');
  expect(ask('device_state("lamp").level.matches("1")')).toBe(
    "matches() compares a text with a pattern, and this is a number",
  );
  expect(ask('hub_var("long").matches("(a+)+b")')).toBe(false);
  expect(ask('hub_var("long").matches("(a?){60}b")')).toContain("does too much");
});
