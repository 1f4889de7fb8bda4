// The bytes of files that people write: UTF-8, or a problem with its place.
import { describe, expect, test } from "bun:test";
import { decodeText } from "../../../src/kit/schema/decode-text.ts";

describe("bytes", () => {
  test("UTF-8 is text, its mark included", () => {
    expect(decodeText(Buffer.from('\ufeffname = "21 °C 😀 �"'))).toEqual({
      ok: true,
      text: '\ufeffname = "21 °C 😀 �"',
    });
  });

  test.each([
    [
      Buffer.from('id = ""\nname = "21 °C"', "latin1"),
      "2:12 this file is not UTF-8 from here on: save it again as UTF-8",
    ],
    [Buffer.concat([Buffer.from("a = '😀\ufffd"), Buffer.of(0xf0, 0x9f)]), "1:8 this file is not UTF-8 from here on"],
    [Buffer.from("\ufeffid = 1", "utf16le"), "1:1 this file is UTF-16: save it again as UTF-8"],
  ])("anything else is a problem with a place: %#", (bytes, expected) => {
    const result = decodeText(bytes);
    const { line, column, message } = result.ok ? { line: 0, column: 0, message: "" } : result.problem;
    expect(`${line}:${column} ${message}`).toStartWith(expected);
  });
});
