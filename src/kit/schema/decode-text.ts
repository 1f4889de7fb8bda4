// The bytes of a file that people write (rules, hub.toml, modes.toml) as text. Another encoding is a problem with a
// place: a text full of replacement characters would be written back by the next edit.
import { isUtf8 } from "node:buffer";
import { problemAt, type TextProblem } from "./text-places.ts";

export type DecodedText = { ok: true; text: string } | { ok: false; problem: TextProblem };

/** A byte order mark stays in the text, so that edits keep it. */
export function decodeText(bytes: Uint8Array): DecodedText {
  // A start decodes its configuration by this, and a first TextDecoder takes over a millisecond.
  if (isUtf8(bytes))
    return { ok: true, text: Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("utf8") };
  const readable = new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes);
  return {
    ok: false,
    problem: problemAt(readable, { offset: firstDifference(readable, bytes), message: wording(bytes) }),
  };
}

function wording([first, second]: Uint8Array): string {
  const isUtf16 = (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff);
  return `this file is ${isUtf16 ? "UTF-16" : "not UTF-8 from here on"}: save it again as UTF-8`;
}

/** The first offset at which the text, encoded again, differs from the bytes. */
function firstDifference(readable: string, bytes: Uint8Array): number {
  const again = Buffer.from(readable);
  const index = again.findIndex((byte, at) => byte !== bytes[at]);
  const before = new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes.subarray(0, Math.max(index, 0)), {
    stream: true,
  });
  return before.length;
}
