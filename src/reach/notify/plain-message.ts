// The texts of a message for services without a markup of their own: what is added at the end stays when the rest is shortened.
import type { ChannelMessage } from "./channel.ts";
import { charactersOf } from "./markup/markup.ts";

const ELLIPSIS = "…";
const LEAST_TEXT = 64;

/**
 * The message, or its title where it is blank; how often it occurred; how it ended; that it is late. At most `limit` bytes of UTF-8, always
 * well-formed.
 */
export function textOf(message: ChannelMessage, houseTime: (at: number) => string, limit: number): string {
  const repeated = message.repeats ? ` ${message.repeats}` : "";
  const closing = message.closing ? `\n\n${message.closing}` : "";
  const late = message.late ? `\n\n(delivered late; this is from ${houseTime(message.at)})` : "";
  const added = repeated + closing + late;
  const text = message.message.trim() === "" ? message.title : message.message;
  return shortenToBytes(text.toWellFormed(), Math.max(0, limit - Buffer.byteLength(added))) + added;
}

/**
 * What `make` gives for a text of at most `limit` bytes, shortened until it has at most `bytes` as JSON, where quotes and line breaks
 * take more than one.
 */
export function fitted<T>(make: (limit: number) => T, { limit, bytes }: { limit: number; bytes: number }): T {
  for (let left = limit; ; ) {
    const made = make(left);
    const size = Buffer.byteLength(JSON.stringify(made));
    if (size <= bytes || left <= LEAST_TEXT) return made;
    left = Math.max(LEAST_TEXT, Math.floor(Math.min(left - (size - bytes), left * 0.9)));
  }
}

/** At most `limit` bytes of UTF-8; a cut is between characters and ends in an ellipsis. */
function shortenToBytes(text: string, limit: number): string {
  if (text.length <= limit && Buffer.byteLength(text) <= limit) return text;
  let left = limit - Buffer.byteLength(ELLIPSIS);
  let kept = "";
  // Each unit takes a byte at least, so that no more of them can be kept.
  for (const character of charactersOf(text.slice(0, limit))) {
    left -= Buffer.byteLength(character);
    if (left < 0) break;
    kept += character;
  }
  return kept.toWellFormed() + ELLIPSIS;
}

/** Without a sound: as asked for, or because it matters little. */
export function isSilent({ silent, priority = 0 }: ChannelMessage): boolean {
  return silent ?? priority < 0;
}
