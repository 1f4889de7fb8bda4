// Problems as a person is shown them: the line, the column and the frame.
import { describe, expect, test } from "bun:test";
import { problemAt, toProblems } from "../../../src/kit/schema/text-places.ts";

function frame(text: string, at: string): string {
  return problemAt(text, { offset: text.indexOf(at), message: "" }).frame;
}

describe("frames", () => {
  test("show the line before, and the caret under the place", () => {
    expect(frame("(\n  a: 1,\n  b = 2,\n)", "=")).toBe("  2 |   a: 1,\n> 3 |   b = 2,\n    |     ^");
    expect(frame("b = 2", "=")).toBe("> 1 | b = 2\n    |   ^");
    expect(frame(`${"\n".repeat(98)}x\r\ny`, "y")).toBe("   99 | x\n> 100 | y\n      | ^");
  });

  test("keep the caret in place behind emoji, wide signs and tabs", () => {
    expect(frame("\t😀é漢!", "!")).toBe("> 1 |   😀é漢!\n    |        ^");
    expect(frame("\ufeff°!", "!")).toBe("> 1 | °!\n    |  ^");
  });

  test("cut long lines around the place", () => {
    const rows = frame(`${"😀".repeat(500)}!${"x".repeat(500)}`, "!").split("\n");
    expect(rows[0]).toMatch(/^> 1 \| …(😀){60}!x{119}…$/u);
    expect(rows[1]).toBe(`    | ${" ".repeat(121)}^`);
    expect(frame(`${"x".repeat(1000)}\n!`, "!").length).toBeLessThan(200);
    expect(frame(`${"x".repeat(61)}!`, "!")).toStartWith(`> 1 | …${"x".repeat(60)}!`);
    expect(frame(`${"x".repeat(60)}!`, "!")).toStartWith(`> 1 | ${"x".repeat(60)}!`);
  });

  test("pass no control characters on to the terminal", () => {
    expect(frame("\u001b[31mred\u202e\u0007!", "!")).toBe("> 1 | �[31mred��!\n    |           ^");
  });
});

test("problems come in order, each once, and at most twenty", () => {
  const flaws = Array.from({ length: 50 }, (_, index) => ({ offset: 49 - (index >> 1), message: "x" }));
  const problems = toProblems("y".repeat(60), flaws);
  expect(problems.map(({ column }) => column)).toEqual(Array.from({ length: 20 }, (_, index) => 26 + index));
});
