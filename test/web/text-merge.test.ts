// Two people's changes of one text: both stay, and where they clash nothing is lost.
import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { mergeTexts } from "../../src/page/model/text/text-merge.ts";
import "../support/property-seed.ts";

const merge = (base: string, mine: string, theirs: string) =>
  mergeTexts({ base, mine, theirs, comment: "#", label: "theirs:" });

describe("changes are put together", () => {
  const cases: Record<string, [base: string, mine: string, theirs: string, text: string, clashes: number]> = {
    "in different lines": ["a\nb\nc\nd", "A\nb\nc\nd", "a\nb\nc\nD", "A\nb\nc\nD", 0],
    "that are the same": ["a\nb\nc", "a\nB\nc", "a\nB\nc", "a\nB\nc", 0],
    "of one side only": ["a\nb", "a\nb", "a\nx\nb", "a\nx\nb", 0],
    "in one line": ["a\nb\nc", "a\nmine\nc", "a\nyours\nc", "a\nmine\n# theirs:\n# yours\nc", 1],
    "at one place": ["a\nc", "a\nm\nc", "a\nt\nc", "a\nm\n# theirs:\n# t\nc", 1],
    "where I took lines away": ["a\nb\nc", "a\nc", "a\nB\nc", "a\n# theirs:\n# B\nc", 1],
    "where they took lines away": ["a\nb\nc", "a\nB\nc", "a\nc", "a\nB\n# theirs:\nc", 1],
  };
  for (const [name, [base, mine, theirs, text, clashes]] of Object.entries(cases))
    test(name, () => expect(merge(base, mine, theirs)).toEqual({ text, clashes }));
});

test("no line that somebody wrote is lost, whatever was changed", () => {
  const lines = fc.array(fc.constantFrom("a", "b", "c", "d"), { maxLength: 12 }).map((list) => list.join("\n"));
  fc.assert(
    fc.property(lines, lines, lines, (base, mine, theirs) => {
      const { text } = merge(base, mine, theirs);
      expect(merge(base, mine, base).text).toBe(mine);
      expect(merge(base, base, theirs).text).toBe(theirs);
      const held = text.split("\n").map((line) => line.replace(/^# ?/, ""));
      const old = base.split("\n");
      for (const line of [...mine.split("\n"), ...theirs.split("\n")])
        if (!old.includes(line)) expect(held).toContain(line);
    }),
  );
});
