import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { jsonEqual, parseJson } from "../../../src/kit/schema/json.ts";

describe("parseJson", () => {
  test("accepts what JSON.parse accepts", () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 5 }), (value) => {
        const text = JSON.stringify(value);
        if (/__proto__|constructor|prototype/.test(text)) return;
        expect(parseJson(text)).toEqual({ ok: true, value: JSON.parse(text) });
      }),
    );
  });

  test.each([
    ['{"__proto__":{"a":1}}', "__proto__"],
    ['[{"a":{"constructor":1}}]', "constructor"],
    ['{"a":[1e999]}', "too large"],
    ["{", "not valid JSON"],
    ["", "not valid JSON"],
    [`${"[".repeat(33)}${"]".repeat(33)}`, "deeper"],
    ["[".repeat(1_000_000), "deeper"],
    [`${'[{"a":'.repeat(17)}1${"}]".repeat(17)}`, "deeper"],
  ])("refuses %.30s", (text, why) => {
    expect(parseJson(text)).toMatchObject({ ok: false, problem: expect.stringContaining(why) });
  });

  test("half a surrogate pair becomes U+FFFD, as strict readers refuse it; whole ones and what only looks so stay", () => {
    expect(parseJson('{"a\\uDC00":["\\ud800","x\\uD83D\\ude00\\uDe00","\\\\ud800","\\ud800\\ud83d\\ude00"]}')).toEqual({
      ok: true,
      value: { "a\ufffd": ["\ufffd", "x😀\ufffd", "\\ud800", "\ufffd😀"] },
    });
  });

  test("many brackets side by side are not deep", () => {
    expect(parseJson(`[${"[],{},".repeat(100)}[]]`).ok).toBe(true);
  });

  test("brackets inside strings do not count as depth", () => {
    expect(parseJson(JSON.stringify("[".repeat(100))).ok).toBe(true);
    expect(parseJson('"\\"[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[["').ok).toBe(true);
  });
});

test("equality ignores the order of keys and nothing else", () => {
  expect(jsonEqual({ a: 1, b: [1, { c: null }] }, { b: [1, { c: null }], a: 1 })).toBe(true);
  expect(jsonEqual({ a: 1 }, { a: 1, b: undefined })).toBe(false);
  expect(jsonEqual([1, 2], [2, 1])).toBe(false);
  expect(jsonEqual(0, false)).toBe(false);
  fc.assert(fc.property(fc.jsonValue(), (value) => jsonEqual(value, structuredClone(value))));
});
