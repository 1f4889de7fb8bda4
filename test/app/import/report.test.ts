// Names from a foreign house: what may stay in them, and what of them a terminal may see.
import { expect, test } from "bun:test";
import { cleanName } from "../../../src/app/import/report.ts";
import { printable } from "../../../src/kit/text/printable.ts";

test.each([
  ["Kitchen lamp", "Kitchen lamp"],
  ["  Küche · 灯 💡 ", "Küche · 灯 💡"],
  ["Bell\u001b[31m\u0007 tower", "Bell [31m tower"],
  ["two\r\nlines", "two lines"],
  ["x".repeat(300), "x".repeat(200)],
])("%j is named %j", (given, name) => {
  expect(cleanName(given)).toBe(name);
});

test.each(["", "   ", "\u0000\u001b\n"])("%j is no name", (given) => {
  expect(cleanName(given)).toBeUndefined();
});

test("what reverses the direction of writing is not printed", () => {
  expect(printable("lamp\u202egnp.exe")).toBe("lamp gnp.exe");
  expect(printable("x".repeat(1000))).toHaveLength(501);
});
