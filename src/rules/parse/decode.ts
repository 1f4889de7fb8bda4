// The bytes of a rule file as text. A file in another encoding is a problem with a place, and never silently a text full
// of replacement characters that an edit would write back.
import { problemAt, type TextProblem } from "./problem.ts";

export type DecodedRule = { ok: true; text: string } | { ok: false; problem: TextProblem };

/** A byte order mark stays in the text, so that edits keep it. */
export function decodeRule(bytes: Uint8Array): DecodedRule {
  try {
    return { ok: true, text: new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes) };
  } catch {
    const readable = new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes);
    return {
      ok: false,
      problem: problemAt(readable, { offset: firstDifference(readable, bytes), message: told(bytes) }),
    };
  }
}

function told([first, second]: Uint8Array): string {
  const isUtf16 = (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff);
  return `this file is ${isUtf16 ? "UTF-16" : "not UTF-8 from here on"}: save it again as UTF-8`;
}

/** Where the text, as bytes again, is not what was decoded. */
function firstDifference(readable: string, bytes: Uint8Array): number {
  const again = Buffer.from(readable);
  const index = again.findIndex((byte, at) => byte !== bytes[at]);
  const before = new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes.subarray(0, Math.max(index, 0)), {
    stream: true,
  });
  return before.length;
}
