import { expect, test } from "bun:test";
import type { JsonObject } from "../../../src/kit/schema/json.ts";
import { pointerProblem, putAtPointer, valueAtPointer } from "../../../src/kit/schema/json-pointer.ts";

test.each([
  ["", { a: [{ "b/c": 1 }] }],
  ["/a", [{ "b/c": 1 }]],
  ["/a/0/b~1c", 1],
  ["/a/1", undefined],
  ["/a/00", undefined],
  ["/a/length", undefined],
  ["/toString", undefined],
])("%j is read as %j", (pointer, value) => {
  expect(valueAtPointer({ a: [{ "b/c": 1 }] }, pointer)).toEqual(value as never);
});

test("what is put makes the objects and lists around it, beside what is there", () => {
  const message: JsonObject = {};
  putAtPointer(message, "/on", true);
  putAtPointer(message, "/seg/0/col/0", [255, 0, 0]);
  putAtPointer(message, "/seg/0/fx", 3);
  putAtPointer(message, "/deep/a~1b", 1);
  expect(message).toEqual({ on: true, seg: [{ col: [[255, 0, 0]], fx: 3 }], deep: { "a/b": 1 } });
});

test("nothing reaches JavaScript's own objects, and no list is made that memory has no place for", () => {
  putAtPointer({}, "/__proto__/reached", true);
  putAtPointer({}, "/constructor/prototype/reached", true);
  expect("reached" in {}).toBe(false);
  const message: JsonObject = {};
  putAtPointer(message, "/seg/4000000000", 1);
  expect(message).toEqual({ seg: { 4000000000: 1 } });
});

test.each([
  ["a.b", 'such as "/a/b"'],
  ["$.a", 'such as "/a"'],
  ["/a~b", '"~" is written "~0"'],
])("%j is wrong", (pointer, mend) => {
  expect(pointerProblem(pointer)).toContain(mend);
});
