// Large and hostile files are read in time that grows with their length, and nothing overflows.
import { describe, expect, test } from "bun:test";
import { setTopLevel } from "../../../src/rules/parse/edit/set-key.ts";
import { MAX_RULE_BYTES, readRuleText } from "../../../src/rules/parse/read.ts";
import { writeRon } from "../../../src/rules/parse/ron/write.ts";

const SIZE = MAX_RULE_BYTES - 64;

function filled(begin: string, one: string, end: string): string {
  return begin + one.repeat(Math.floor((SIZE - begin.length - end.length) / Buffer.byteLength(one))) + end;
}

/** Kinds of text that cost more than their length in a careless reader. */
const texts: Record<string, (share: number) => string> = {
  "a rule": (share) =>
    scaled(share, "(actions: [", 'Notify(channel: "log", message: "21 °C 😀", value: 1_000), // x\n', "])"),
  "a TOML rule": (share) =>
    scaled(share, "", '[[actions]]\ntype = "notify"\nmessage = "21 °C 😀"\ntags = ["a", "b"]\n', ""),
  numbers: (share) => scaled(share, "(a: [", "1,", "])"),
  "one text": (share) => scaled(share, '(a: "', "x", '")'),
  escapes: (share) => scaled(share, '(a: "', "\\n", '")'),
  "wrong escapes": (share) => scaled(share, '(a: "', "\\q", '")'),
  "one number": (share) => scaled(share, "(a: ", "1", ")"),
  "one name": (share) => scaled(share, "(trigger: ", "AB", ")"),
  comments: (share) => scaled(share, "", "// x\n", "(a: 1)"),
  "open comments": (share) => scaled(share, "", "/*", ""),
  "hash comments": (share) => scaled(share, "", "# x\n", "a = 1"),
  "open brackets": (share) => scaled(share, "", "[", ""),
  "open structs": (share) => scaled(share, "", "(a:", ""),
  commas: (share) => scaled(share, "(", ",", ")"),
  "missing commas": (share) => scaled(share, "(a: [", "1 ", "])"),
  "raw text": (share) => scaled(share, "(a: r", "#", ""),
  "single quotes": (share) => scaled(share, "(a: '", "x", ""),
  "lines in a text": (share) => scaled(share, '(a: "', "\n", '"b)'),
  "TOML keys": (share) => scaled(share, "a", ".a", " = 1"),
  "TOML tables": (share) => scaled(share, "", "[[a]]\n", ""),
  "a TOML text": (share) => scaled(share, 'a = """', '""\n', '"""'),
  "a TOML list": (share) => scaled(share, "a = [", "'x',", "]"),
};

function scaled(share: number, begin: string, one: string, end: string): string {
  return share === 1 ? filled(begin, one, end) : begin + one.repeat(Math.floor((SIZE * share) / one.length)) + end;
}

/** Of the processor, so that what else the machine does is not counted. */
function millisecondsFor(work: () => void): number {
  const start = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(start);
  return (user + system) / 1000;
}

describe("is read in bounded time: a megabyte of", () => {
  test.each(Object.entries(texts))("%s", (_, make) => {
    const small = make(1 / 8);
    const large = make(1);
    readRuleText(small);
    const smallMs = millisecondsFor(() => readRuleText(small));
    const largeMs = millisecondsFor(() => readRuleText(large));
    // Eight times the text: a quadratic reader would take 64 times as long.
    expect(largeMs).toBeLessThan(Math.max(32 * smallMs, 3000));
  });
});

test("what is larger or nested deeper is a problem, and is not written", () => {
  expect(readRuleText(`(a: "${"°".repeat(MAX_RULE_BYTES / 2)}")`).problems[0]?.message).toContain("megabyte");
  expect(readRuleText("[".repeat(100_000)).problems[0]).toMatchObject({ line: 1, column: 257 });
  expect(readRuleText(`a = ${"[".repeat(100_000)}`).problems).toHaveLength(1);
  expect(readRuleText(`a = ${"[".repeat(300)}${"]".repeat(300)}`).problems[0]?.message).toContain("nested");
  let deep: unknown = 1;
  for (let level = 0; level < 5000; level++) deep = [deep];
  expect(() => writeRon({ a: deep } as never)).toThrow("nested deeper");
  expect(() => writeRon({ a: "x".repeat(MAX_RULE_BYTES) })).toThrow("larger than a rule file may be");
  expect(readRuleText(writeRon({ a: nested(250) } as never)).value).toEqual({ a: nested(250) } as never);
});

function nested(levels: number): unknown {
  return levels === 0 ? 1 : { a: nested(levels - 1) };
}

test("an edit of a large file takes no longer than reading it a few times", () => {
  const text = (texts["a rule"] ?? String)(0.9);
  const readMs = millisecondsFor(() => readRuleText(text));
  const editMs = millisecondsFor(() => expect(setTopLevel(text, "enabled", true).ok).toBe(true));
  expect(editMs).toBeLessThan(Math.max(12 * readMs, 5000));
});
