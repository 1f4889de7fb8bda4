// What all of RON's brackets have in common: things between commas, a comma after the last one if one likes, and the
// many ways to get that wrong.
import { atEnd, type Cursor, found, lineOf, looksAt, report, skipTrivia, stop, take } from "./ron-cursor.ts";

// A hundred actions inside each other, each with its list.
const MAX_DEPTH = 256;
const OPENERS: Readonly<Record<string, string>> = { ")": "(", "]": "[", "}": "{" };

const NEXT_BEGINS = /[\p{XIDS}_"'[({0-9.+-]/uy;

interface Bracket {
  open: number;
  close: string;
  /** Where the last thing in it ended. */
  lastEnd: number;
}

/** Reads from the opening bracket, on which the cursor stands, past the closing one; tells whether a comma stood last. */
export function bracketed(cursor: Cursor, close: string, readOne: () => void): boolean {
  const bracket = { open: cursor.at, close, lastEnd: cursor.at };
  if (++cursor.depth > MAX_DEPTH) stop(cursor, cursor.at, `brackets nested deeper than ${MAX_DEPTH} are not read`);
  cursor.at++;
  let comma = false;
  for (;;) {
    skipTrivia(cursor);
    if (take(cursor, close)) break;
    if (atEnd(cursor)) unclosed(cursor, bracket);
    if (skipStrayComma(cursor)) continue;
    closedByAnother(cursor, bracket);
    readOne();
    bracket.lastEnd = cursor.at;
    skipTrivia(cursor);
    comma = take(cursor, ",");
    if (!comma && cursor.text[cursor.at] !== close) noComma(cursor, bracket);
  }
  cursor.depth--;
  return comma;
}

function skipStrayComma(cursor: Cursor): boolean {
  const start = cursor.at;
  if (!take(cursor, ",")) return false;
  report(cursor, start, "nothing stands before this comma: one too many");
  return true;
}

function closedByAnother(cursor: Cursor, { open, close }: Bracket): void {
  const char = cursor.text[cursor.at] ?? "";
  if (!Object.hasOwn(OPENERS, char)) return;
  const where = `the \`${OPENERS[close]}\` of line ${lineOf(cursor, open)}`;
  stop(cursor, cursor.at, `\`${char}\` stands where ${where} should be closed with \`${close}\``);
}

function unclosed(cursor: Cursor, { open, close }: Bracket): never {
  stop(cursor, open, `this \`${OPENERS[close]}\` is never closed: \`${close}\` is missing`);
}

/** Goes on when the next thing plainly begins; stops when it does not. */
function noComma(cursor: Cursor, bracket: Bracket): void {
  if (atEnd(cursor)) unclosed(cursor, bracket);
  closedByAnother(cursor, bracket);
  const { lastEnd, close } = bracket;
  if (take(cursor, ";")) {
    report(cursor, cursor.at - 1, "a comma separates the values, not `;`");
    return;
  }
  if (cursor.lastText.end === lastEnd) runawayText(cursor);
  if (cursor.at === lastEnd && looksAt(cursor, /(?<=[0-9])[:/-][0-9]/y))
    stop(cursor, lastEnd, 'a time or date is a text in quotes: "07:00"');
  if (!looksAt(cursor, NEXT_BEGINS))
    stop(cursor, cursor.at, `\`,\` or \`${close}\` should stand here, not ${found(cursor)}`);
  report(cursor, lastEnd, `\`,\` or \`${close}\` is missing after this value`);
}

/** A missing quotation mark shows only where the next text was meant to begin: what comes then stands right behind it. */
function runawayText(cursor: Cursor): void {
  const { start, end } = cursor.lastText;
  if (cursor.text.slice(start, end).includes("\n"))
    stop(cursor, start, `this text runs on to line ${lineOf(cursor, end)}: its closing \`"\` seems to be missing here`);
  if (cursor.at === end && !atEnd(cursor))
    stop(cursor, end, 'the text has ended before this: inside a text `"` is written `\\"`, and after it stands a `,`');
}
