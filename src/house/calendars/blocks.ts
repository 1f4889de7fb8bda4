// Finds the entries of an iCalendar text without reading them, so that each can be read, named and left out by itself.
import { printable } from "../../kit/text/printable.ts";

export interface Block {
  readonly kind: "VEVENT" | "VTIMEZONE";
  readonly text: string;
  /** False where the text ends, or the next entry begins, before its END. */
  readonly isWhole: boolean;
}

const NAME_CHARS = 60;

export function isCalendar(text: string): boolean {
  return /^\uFEFF?\s*BEGIN:VCALENDAR/i.test(text);
}

/** In the order of the text. */
export function blocksIn(text: string): Block[] {
  const blocks: Block[] = [];
  let open: { kind: string; from: number } | undefined;
  const close = (to: number, isWhole: boolean): void => {
    if (open) blocks.push({ kind: open.kind as Block["kind"], text: text.slice(open.from, to), isWhole });
    open = undefined;
  };
  for (const { index, 0: line, 1: edge = "", 2: name = "" } of text.matchAll(
    /^(BEGIN|END):(VEVENT|VTIMEZONE)[ \t;]*\r?$/gim,
  )) {
    const isEnd = edge.toUpperCase() === "END";
    close(isEnd ? index + line.length : index, isEnd);
    if (!isEnd) open = { kind: name.toUpperCase(), from: index };
  }
  close(text.length, false);
  return blocks;
}

/** By what a person finds it: its title, else its id. */
export function nameOf({ kind, text }: Block): string {
  const keys = kind === "VEVENT" ? ["SUMMARY", "UID"] : ["TZID"];
  const found = keys.map(
    (key) => new RegExp(`^${key}(?:;[^:\\r\\n]*)?:[ \\t]*([^\\r\\n]{1,500})`, "im").exec(text)?.[1],
  );
  const name = found.find((one) => one !== undefined && one.trim() !== "");
  const what = kind === "VEVENT" ? "an event" : "a time zone";
  return name === undefined ? `${what} without a name` : `"${printable(name.trim()).slice(0, NAME_CHARS)}"`;
}

/** What many programs write against the standard, as the standard has it. */
export function mended({ text }: Pick<Block, "text">): string {
  return text
    .replace(/(\r?\n)(?:[ \t]*\r?\n)+/g, "$1")
    .replace(/^([A-Z-]+(?:;[A-Z-]+=(?:"[^"\r\n]*"|[^";:\r\n]*))*);+(?=:|\r?$)/gim, "$1")
    .replace(
      /^(DTSTART|DTEND|RECURRENCE-ID|EXDATE|RDATE)((?:;(?!VALUE=)[^:;\r\n]*)*)(:\d{8}(?:,\d{8})*)[ \t]*(\r?)$/gim,
      "$1$2;VALUE=DATE$3$4",
    );
}
