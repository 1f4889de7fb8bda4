import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import type { Json } from "../../../src/kit/schema/json.ts";
import { formattedText } from "../../../src/kit/text/formats.ts";
import { placeholdersIn } from "../../../src/kit/text/placeholders.ts";

const shown = (text: string): string[] =>
  placeholdersIn(text).map(({ text, expression, format, problem }) =>
    [expression ? `= ${text}` : text, format && `${format.name}:${format.digits ?? ""}`, problem]
      .filter(Boolean)
      .join(" | "),
  );

describe("placeholders", () => {
  test.each<[string, string[]]>([
    ["{{device.t}} and {{ now }}", ["device.t", "now"]],
    ["{{= a | number:2 }}", ["= a | number:2"]],
    ["{{= a || b }}", ["= a || b"]],
    ["{{= a || b | number }}", ["= a || b | number:"]],
    [`{{= "}} | time" }} {{x}}`, ['= "}} | time"', "x"]],
    [`{{= 'it\\'s }}' }}`, ["= 'it\\'s }}'"]],
    ["{{= {'a': {'b': 1}}.a.b }}!", ["= {'a': {'b': 1}}.a.b"]],
    ["{{device.a|b}}", ["device.a|b"]],
    ["{{device.t | time}}", ["device.t | time:"]],
    ["{{= a | upper }}", ['= a | there is no format "upper"; there are number, time, date, datetime, duration']],
    ["{{= a | number:12 }}", ["= a | the format number is written number:0 to number:9"]],
    ["{{= a | time:1 }}", ["= a | the format time is written time"]],
    ["{{= a", ["= a | is not closed: write }} behind it"]],
    ["{{{x}}} {{}} {{ {y} }}", ["x"]],
  ])("%s", (text, expected) => {
    expect(shown(text)).toEqual(expected);
  });

  test("of any text do not overlap, and are where they say", () => {
    const part = fc.constantFrom("{{", "}}", "{{=", "{", "}", "'", '"', "|", "||", "a", " ", ":", "number", "\\");
    fc.assert(
      fc.property(fc.array(part), (parts) => {
        const text = parts.join("");
        let from = 0;
        for (const { start, end } of placeholdersIn(text)) {
          expect(start).toBeGreaterThanOrEqual(from);
          expect(end).toBeGreaterThan(start);
          expect(text.slice(start, start + 2)).toBe("{{");
          from = end;
        }
        expect(from).toBeLessThanOrEqual(text.length);
      }),
    );
  });

  test("a text of a million braces is read at once", () => {
    const begun = performance.now();
    for (const text of ["{{".repeat(500_000), "{{= {".repeat(200_000), "{{= '".repeat(200_000)]) placeholdersIn(text);
    expect(performance.now() - begun).toBeLessThan(5000);
  });
});

describe("formats", () => {
  test.each<[Json, Parameters<typeof formattedText>[1], string | undefined]>([
    [21.449, { name: "number", digits: 1 }, "21.4"],
    [-0.04, { name: "number", digits: 1 }, "0.0"],
    [1234567.5, { name: "number" }, "1234568"],
    ["21.5", { name: "number", digits: 2 }, "21.50"],
    ["warm", { name: "number" }, undefined],
    [true, { name: "number" }, undefined],
    ["2026-06-14T22:05:00Z", { name: "datetime" }, "2026-06-15 00:05"],
    ["2026-06-14T22:05:00Z", { name: "time" }, "00:05"],
    [1_781_474_700, { name: "date" }, "2026-06-15"],
    [1_781_474_700_000, { name: "time" }, "00:05"],
    ["noon", { name: "time" }, undefined],
    [1e300, { name: "time" }, undefined],
    ["5400s", { name: "duration" }, "1 h 30 min"],
    ["-90s", { name: "duration" }, "-1 min 30 s"],
    ["2d", { name: "duration" }, "2 d"],
    [75, { name: "duration" }, "1 min 15 s"],
    [{}, { name: "duration" }, undefined],
  ])("%j as %j is %p", (value, format, expected) => {
    expect(formattedText(value, format, "Europe/Berlin")).toBe(expected);
  });
});
