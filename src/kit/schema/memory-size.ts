// How much memory texts and JSON values take: upper bounds, measured on JavaScriptCore.

const STRING_BYTES = 24;
const LIST_BYTES = 72;
const SLOT_BYTES = 9;
const OBJECT_BYTES = 40;
const KEY_BYTES = 40;
// Below this length, checking for ASCII costs more than it is worth.
const SHORT_TEXT = 64;

/** At most: a text of plain ASCII takes a byte for each character, any other two. */
export function bytesHeldBy(text: string): number {
  return Buffer.byteLength(text) === text.length ? text.length : 2 * text.length;
}

/**
 * The beginning of a text, copied. `slice` shares the memory of the whole text: a slice of a thousand characters may keep
 * a megabyte alive.
 */
export function ownBeginning(text: string, length: number): string {
  return text.length <= length ? text : Buffer.from(text.slice(0, length)).toString();
}

/**
 * Bytes of a JSON value, without the slot that holds it. The length of its JSON text says little: an empty list of two
 * characters takes 77 bytes of heap.
 */
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

/** Bytes of an object's key, without its value. */
export function keyBytes(key: string): number {
  return KEY_BYTES + key.length;
}
