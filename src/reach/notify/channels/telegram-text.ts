// The texts of `messaging_bot`: a message in parts, and what is left to try of a text that Telegram refused.

import { isBlank } from "../../../kit/text/clean-text.ts";
import type { ChannelMessage } from "../channel.ts";
import type { Dialect } from "../markup/dialect.ts";
import { type PartSize, splitInto } from "../markup/long-text.ts";
import { type Markup, unmarked } from "../markup/markup.ts";
import { plain } from "../markup/plain-dialects.ts";

// Telegram allows 4096 UTF-16 units after parsing, and 32 KiB of UTF-8 before it.
const PART = { visible: 4096, source: 10_000 };
const MAX_PARTS = 5;
// For a server that finds a part too long nevertheless.
const SHORT_PART = { visible: 1000, source: 1000 };

// Of the text under a picture.
export const CAPTION = { visible: 1024, source: 10_000 };

/** Joined, title and text; at most `most`, of which none is longer than `size`. */
export function partsOf(
  { title, message, repeats, closing, at, late }: ChannelMessage,
  markup: Markup,
  houseTime: (at: number) => string,
  { most = MAX_PARTS, size = PART }: { most?: number; size?: PartSize } = {},
): string[] {
  // Added at the end, so that the parts that arrived before it was late stay the same.
  const repeated = repeats ? ` ${markup.escape(repeats)}` : "";
  const closed = closing ? `\n\n${markup.escape(closing)}` : "";
  const lateness = late ? `\n\n${markup.escape(`(delivered late; this is from ${houseTime(at)})`)}` : "";
  const limit = { most, ending: repeated + closed + lateness };
  return splitInto(markup, `${markup.bold(title)}\n${message}`.toWellFormed(), size, limit);
}

/** What a person would read of it, in pieces that any server takes. */
export function plainPartsOf(text: string, dialect: Pick<Dialect, "read">, { short }: { short: boolean }): string[] {
  const shown = plain.write(dialect.read(text));
  const size = short ? SHORT_PART : PART;
  return splitInto(unmarked, isBlank(shown) ? "–" : shown, size, { most: MAX_PARTS, ending: "" }).map((part) =>
    part.trim(),
  );
}

const ABOUT_SOMETHING_ELSE =
  /chat|peer|user|member|right|admin|permission|thread|topic|repl|upgraded|button|keyboard|photo|file|media/i;

/** Whether another text might be accepted: whatever a server says that names nothing else. */
export function isAboutText(status: number, words: string): boolean {
  if (isTooLong(status, words)) return true;
  return status === 400 && (/entit/i.test(words) || !ABOUT_SOMETHING_ELSE.test(words));
}

export function isAboutButtons({ status, answer = "" }: { status?: number; answer?: string }): boolean {
  return status === 400 && /button|keyboard|reply.?markup/i.test(answer);
}

const ABOUT_AN_EDIT = /not modified|to edit not found|can't be edited|in the message to edit/i;

/** The same for a message that is changed. */
export function isAboutNewText(status: number, words: string): boolean {
  return !ABOUT_AN_EDIT.test(words) && isAboutText(status, words);
}

export function isTooLong(status: number, words: string): boolean {
  return status === 413 || (status === 400 && /too[ _]long/i.test(words));
}
