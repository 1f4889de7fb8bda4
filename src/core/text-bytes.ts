// What a text takes in memory, and texts that keep no longer one alive.

/** At most: a text of plain ASCII takes a byte for each character, any other two. */
export function bytesHeldBy(text: string): number {
  return Buffer.byteLength(text) === text.length ? text.length : 2 * text.length;
}

/**
 * The beginning of a text as a text of its own. What `slice` gives shares the memory of the whole: a thousand characters
 * would hold a megabyte for as long as they are held.
 */
export function ownBeginning(text: string, length: number): string {
  return text.length <= length ? text : Buffer.from(text.slice(0, length)).toString();
}
