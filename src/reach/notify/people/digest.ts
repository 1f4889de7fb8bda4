// What was held back for a person, as one text: a line each, with its time, the oldest first.
import { ownBeginning } from "../../../kit/schema/memory-size.ts";
import { DEFAULT_TITLE } from "../render.ts";
import type { HeldMessage } from "./held-store.ts";

const MAX_LINES = 50;
const MAX_LINE = 200;
/** Fits into one message of every service, with room for its markup. */
const LONGEST = 900;

export interface Digest {
  readonly title: string;
  /** Plain text. */
  readonly text: string;
}

/** `houseTime`: epoch ms as local time, `2026-01-31 14:02`. */
export function digestOf(held: readonly HeldMessage[], now: number, houseTime: (at: number) => string): Digest {
  const total = held.reduce((sum, { count }) => sum + count, 0);
  const today = houseTime(now).slice(0, 10);
  const lines: string[] = [];
  let length = 0;
  let listed = 0;
  for (const message of held) {
    if (!message.texts) continue;
    const line = lineOf(message, today, houseTime(message.at));
    if (lines.length >= MAX_LINES || length + line.length > LONGEST) break;
    lines.push(line);
    length += line.length + 1;
    listed += message.count;
  }
  if (listed < total) lines.push(`… and ${total - listed} more`);
  return {
    title: total === 1 ? "While you were not disturbed" : `${total} messages while you were not disturbed`,
    text: lines.join("\n"),
  };
}

function lineOf({ texts, count }: HeldMessage, today: string, at: string): string {
  const { title = "", message = "" } = texts ?? {};
  const when = at.startsWith(today) ? at.slice(11) : at;
  const text = title === "" || title === DEFAULT_TITLE ? message : `${title}: ${message}`;
  const oneLine = text.replace(/\s+/gu, " ").trim();
  const short =
    oneLine.length > MAX_LINE ? `${ownBeginning(oneLine, MAX_LINE).toWellFormed()}…` : oneLine.toWellFormed();
  return `${when} ${short}${count > 1 ? ` (${count} times)` : ""}`;
}
