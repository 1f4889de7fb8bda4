// Texts that are too long for one message: split into parts, or shortened. A cut is always between characters, and every part
// has valid markup.
import { type Markup, type Span, type Token, textTokens, unmarked } from "./markup.ts";

// Markup that is nested deeper is treated as plain text.
const DEEPEST = 64;
const ELLIPSIS = "…";
// `shorten` looks at no more than this many UTF-16 units for each character it may keep.
const MAX_CHARACTER = 64;

// Of a limited text: more than as many parts can show.
const MAX_SOURCE = 100_000;
// "… (1234567 more characters)", with escapes.
const REST_LENGTH = 40;

export interface PartSize {
  /** UTF-16 units without the markup. */
  visible: number;
  /** UTF-16 units with the markup. */
  source: number;
}

/**
 * Cuts at the end of a line or word where possible; markup that is open at a cut is closed there and opened again in the next part.
 * Returns at least one part; blank parts are left out.
 */
export function splitText(markup: Markup, source: string, size: PartSize): string[] {
  if (source.length <= Math.min(size.visible, size.source)) return [source];
  return split(markup, source, size);
}

interface Limit {
  /** What does not fit into so many parts is left out, and the last one says how much that is. */
  readonly most: number;
  /** In the same markup: stands behind the text, also where that is shortened. It changes no part but the last. */
  readonly ending: string;
}

/** As `splitText`, with a limit for the parts. */
export function splitInto(markup: Markup, source: string, size: PartSize, limit: Limit): string[] {
  const whole = source.length <= MAX_SOURCE ? splitText(markup, source + limit.ending, size) : [];
  return whole.length > 0 && whole.length <= limit.most ? whole : split(markup, source, size, limit);
}

function split(markup: Markup, source: string, size: PartSize, limit?: Limit): string[] {
  const read = limit ? source.slice(0, MAX_SOURCE).toWellFormed() : source;
  const marked = markup.tokens(read);
  const tokens = depthOf(marked) <= DEEPEST ? marked : textTokens(read);
  const parts: string[] = [];
  let start: Cut = { end: 0, next: 0, open: [] };
  while (start.next < tokens.length && parts.length !== limit?.most) {
    const last = limit?.most === parts.length + 1;
    const cut = furthest(tokens, start, last ? without(size, limit.ending) : size);
    const own = tokens.slice(start.next, cut.end);
    if (own.some(({ kind, source }) => kind === "text" && source.trim() !== "")) {
      parts.push(assemble(markup, start.open, own, cut.open));
    }
    start = cut;
  }
  if (limit) {
    const left = visibleIn(tokens.slice(start.next)) + source.length - read.length;
    parts.push((parts.pop() ?? "") + (left > 0 ? restOf(markup, left) : "") + limit.ending);
  }
  return parts.length > 0 ? parts : [source];
}

function without({ visible, source }: PartSize, ending: string): PartSize {
  return { visible: visible - ending.length - REST_LENGTH, source: source - ending.length - REST_LENGTH };
}

function visibleIn(tokens: readonly Token[]): number {
  return tokens.reduce((sum, token) => sum + (token.kind === "text" ? token.visible : 0), 0);
}

function restOf(markup: Markup, left: number): string {
  return `${ELLIPSIS}${markup.escape(` (${left} more ${left === 1 ? "character" : "characters"})`)}`;
}

interface Cut {
  /** The part ends before this token; the next one begins with `next`. */
  end: number;
  next: number;
  /** The markup that is open there, outermost first. */
  open: readonly Span[];
}

function depthOf(tokens: readonly Token[]): number {
  let depth = 0;
  let deepest = 0;
  for (const { kind } of tokens) {
    if (kind === "open") deepest = Math.max(deepest, ++depth);
    else if (kind === "close") depth--;
  }
  return deepest;
}

function furthest(tokens: readonly Token[], { next: from, open: before }: Cut, size: PartSize): Cut {
  const open = [...before];
  const used = { visible: 0, source: lengthOf(before) };
  // A break in the first half of a part would waste more space than a broken word is worth.
  const best: { line?: Cut; space?: Cut } = {};
  for (let index = from; index < tokens.length; index++) {
    const token = tokens[index] as Token;
    if (token.kind === "text") {
      if (token.gap && (used.visible > size.visible / 2 || used.source > size.source / 2)) {
        best[token.gap] = { end: index, next: index + 1, open: [...open] };
      }
      const full = used.visible + token.visible > size.visible || used.source + token.source.length > size.source;
      if (full && index > from) return best.line ?? best.space ?? { end: index, next: index, open };
      used.visible += token.visible;
      used.source += token.source.length;
    } else if (token.kind === "open") {
      open.push(token.span);
      used.source += lengthOf([token.span]);
    } else open.pop();
  }
  return { end: tokens.length, next: tokens.length, open };
}

function assemble(markup: Markup, before: readonly Span[], own: readonly Token[], after: readonly Span[]): string {
  // Markup without text in this part is left out: what closes at its beginning, and what opens at its end.
  const ended = own.findIndex(({ kind }) => kind !== "close");
  const last = own.findLastIndex(({ kind }) => kind !== "open") + 1;
  let text = "";
  const add = (piece: string): void => {
    text += markup.between(text, piece) + piece;
  };
  for (const { open } of before.slice(0, before.length - ended)) add(open);
  add(
    own
      .slice(ended, last)
      .map(({ source }) => source)
      .join(""),
  );
  for (const { close } of after.slice(0, after.length - (own.length - last)).toReversed()) add(close);
  return text;
}

function lengthOf(spans: readonly Span[]): number {
  return spans.reduce((sum, { open, close }) => sum + open.length + close.length, 0);
}

/** At most `limit` code points, markup included. Only for markups that, like HTML, put nothing `between` two markers. */
export function shorten(text: string, limit: number, markup: Markup = unmarked): string {
  if (codePoints(text) <= limit) return text;
  let left = limit - ELLIPSIS.length;
  let kept = "";
  const open: Span[] = [];
  for (const token of markup.tokens(text.slice(0, limit * MAX_CHARACTER))) {
    // The length of the closing marker was reserved when it opened.
    if (token.kind === "close") open.pop();
    else left -= codePoints(token.source);
    if (token.kind === "open") left -= codePoints(token.span.close);
    if (left < 0) break;
    if (token.kind === "open") open.push(token.span);
    kept += token.source;
  }
  return open.reduceRight((whole, { close }) => whole + close, kept + ELLIPSIS);
}

function codePoints(text: string): number {
  let count = 0;
  for (const _ of text) count++;
  return count;
}
