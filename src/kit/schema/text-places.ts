// Places in the texts that people write, and problems at them. Readers find offsets; here they become lines, columns
// and the frame that a person is shown.

/** Where a value is in its text: what problems point at, and what edits replace. */
export interface Mark {
  /** Where a person would look: the offset of the key, or of the item of a list. */
  at: number;
  /** The value's own text, without wrappers such as `Some(…)`. Both are -1 for what is spread over a TOML file. */
  start: number;
  end: number;
  keys?: Map<string, Mark>;
  items?: Mark[];
}

/** The place of a dotted path, `actions[2].channel`, or of the nearest thing around it that has a place. */
export function findMark(root: Mark, path: string): Mark {
  let mark = root;
  for (const [part] of path.matchAll(/[^.[\]]+/g)) {
    const next = mark.keys?.get(part) ?? mark.items?.[Number(part)];
    if (next === undefined) return mark;
    mark = next;
  }
  return mark;
}

export interface TextPosition {
  /** 1-based. */
  line: number;
  /** 1-based, in characters: an emoji is one. */
  column: number;
}

export interface TextProblem extends TextPosition {
  /** What is wrong and what would be right. */
  message: string;
  /** The line with a caret under the place, and the line before it. */
  frame: string;
}

/** A problem while the text is still being read. */
export interface Flaw {
  /** In UTF-16 units, as JavaScript counts. */
  offset: number;
  message: string;
}

const MAX_PROBLEMS = 20;
const MAX_SIDE_CHARS = 60;

/** The flaws in the order of the text, each once, and no more than a person would read. */
export function toProblems(text: string, flaws: readonly Flaw[]): TextProblem[] {
  const sorted = flaws.toSorted((a, b) => a.offset - b.offset);
  const distinct = sorted.filter(
    ({ offset, message }, index) => offset !== sorted[index - 1]?.offset || message !== sorted[index - 1]?.message,
  );
  return distinct.slice(0, MAX_PROBLEMS).map((flaw) => problemAt(text, flaw));
}

export function problemAt(text: string, { offset, message }: Flaw): TextProblem {
  const position = positionAt(text, offset);
  return { ...position, message, frame: frameAt(text, offset, position.line) };
}

export function positionAt(text: string, offset: number): TextPosition {
  let line = 1;
  let lineStart = 0;
  for (let next = text.indexOf("\n"); next >= 0 && next < offset; next = text.indexOf("\n", lineStart)) {
    line++;
    lineStart = next + 1;
  }
  return { line, column: 1 + countChars(text.slice(afterMark(text, lineStart), offset)) };
}

function frameAt(text: string, offset: number, line: number): string {
  const lineStart = afterMark(text, text.lastIndexOf("\n", offset - 1) + 1);
  const shown = lastChars(text.slice(Math.max(lineStart, offset - 2 * MAX_SIDE_CHARS), offset));
  const cut = shown.length < offset - lineStart ? "…" : "";
  const before = clean(shown);
  const width = String(line).length;
  const rows = [`> ${line} | ${cut}${before}${firstChars(text, offset)}`];
  rows.push(`  ${" ".repeat(width)} | ${" ".repeat(Bun.stringWidth(cut + before))}^`);
  if (line > 1) {
    const previous = text.lastIndexOf("\n", text.lastIndexOf("\n", offset - 1) - 1) + 1;
    rows.unshift(`  ${String(line - 1).padStart(width)} | ${firstChars(text, afterMark(text, previous))}`);
  }
  return rows.map((row) => row.trimEnd()).join("\n");
}

/** A byte order mark comes before the first column. */
function afterMark(text: string, lineStart: number): number {
  return lineStart === 0 && text.startsWith("\uFEFF") ? 1 : lineStart;
}

function countChars(text: string): number {
  let count = 0;
  for (let index = 0; index < text.length; index++) {
    if ((text.charCodeAt(index) & 0xfc00) !== 0xdc00) count++;
  }
  return count;
}

function lastChars(text: string): string {
  return [...text].slice(-MAX_SIDE_CHARS).join("");
}

function firstChars(text: string, start: number): string {
  const newline = text.indexOf("\n", start);
  const end = newline < 0 ? text.length : newline;
  const chars = [...text.slice(start, Math.min(end, start + 4 * MAX_SIDE_CHARS)).replace(/\r$/, "")];
  return clean(chars.slice(0, 2 * MAX_SIDE_CHARS).join("")) + (chars.length > 2 * MAX_SIDE_CHARS ? "…" : "");
}

// Control characters could command the terminal that shows the frame, and directional marks would move the caret.
function clean(text: string): string {
  return text.replaceAll("\t", "  ").replace(/[\p{Cc}\p{Cs}\u200e\u200f\u2028-\u202e\u2066-\u2069]/gu, "\uFFFD");
}
