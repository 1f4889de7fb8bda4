// What a JSON value takes in memory, from above: an empty list of two characters takes 77 bytes of heap, so the length of the
// text says little. Figures measured on JavaScriptCore.
import { bytesHeldBy } from "./text-bytes.ts";

const STRING_BYTES = 24;
const LIST_BYTES = 72;
const SLOT_BYTES = 9;
const OBJECT_BYTES = 40;
const KEY_BYTES = 40;
// Below, looking at the characters costs more than it tells.
const SHORT_TEXT = 64;

/** Of what the slot it is in does not hold itself. */
export function jsonBytes(value: unknown): number {
  if (typeof value === "string") {
    return STRING_BYTES + (value.length <= SHORT_TEXT ? 2 * value.length : bytesHeldBy(value));
  }
  if (typeof value !== "object" || value === null) return 0;
  if (Array.isArray(value)) {
    let bytes = LIST_BYTES + SLOT_BYTES * value.length;
    for (const item of value) bytes += jsonBytes(item);
    return bytes;
  }
  let bytes = OBJECT_BYTES;
  for (const key in value) bytes += keyBytes(key) + jsonBytes((value as Record<string, unknown>)[key]);
  return bytes;
}

/** Of a key of an object, without its value. */
export function keyBytes(key: string): number {
  return KEY_BYTES + key.length;
}
