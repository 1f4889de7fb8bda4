// Telegram's legacy Markdown: nothing nests, and between a pair of markers a backslash escapes nothing. A marker inside a value there
// can only be written by closing the markup, escaping it, and opening the markup again.
import type { Piece } from "../../../kit/text/template.ts";
import { type Markup, type Span, type Token, textToken, textTokens } from "./markup.ts";

const WORD_JOINER = "\u2060";
const ESCAPED = /\\([_*`[])/g;
// Bounded, as a text may contain many openings that are never closed. Without a text it is no link: what follows `[]` is text.
const LINK = /\[(?:\]|[^\]]{1,1000}\](?:\([^)]{0,1000}\))?)/y;
const PRE_START = /```(?:[^\s`]+(?=\s))?(?:\r?\n)?/y;

function escapeText(value: string): string {
  return value.replace(/[_*`[]/g, "\\$&");
}

/** The author's markup that is open at a position of the text. */
type Place = "outside" | "*" | "_" | "`" | "```" | "link text" | "link target";

export const markdown: Markup = {
  escape: escapeText,
  compose(pieces) {
    let place: Place = "outside";
    return pieces
      .map((piece, index) => {
        if ("value" in piece)
          return valueAt(place, piece.value) + separatorAfter(place, piece.value, pieces[index + 1]);
        place = placeAfter(place, piece.markup);
        return piece.markup;
      })
      .join("");
  },
  tokens(source) {
    const tokens: Token[] = [];
    let run = "";
    const flush = (): void => {
      tokens.push(...textTokens(run));
      run = "";
    };
    for (let at = 0; at < source.length; ) {
      const part = partAt(source, at);
      if (part === undefined) {
        run += source[at];
        at++;
      } else {
        flush();
        tokens.push(...part.tokens);
        at += part.length;
      }
    }
    flush();
    return tokens;
  },
  between: () => "",
  bold: (text) => `*${valueAt("*", text)}*`,
  plain: (source) => source.replace(ESCAPED, "$1"),
};

function valueAt(place: Place, value: string): string {
  switch (place) {
    case "outside":
      return escapeText(value);
    case "*":
    case "_":
    case "`":
      return value.replaceAll(place, `${place}\\${place}${place}`);
    case "```":
      return value.replaceAll("`", "'");
    case "link text":
      return value.replaceAll("]", ")");
    case "link target":
      return value.replace(/[()\s]/g, (character) => `%${character.charCodeAt(0).toString(16).padStart(2, "0")}`);
  }
}

// Without a separator, a backslash at the end of the value would escape the author's next marker.
function separatorAfter(place: Place, value: string, next: Piece | undefined): string {
  const touches = place === "outside" && value.endsWith("\\") && next !== undefined && "markup" in next;
  return touches && /^[_*`[]/.test(next.markup) ? WORD_JOINER : "";
}

function placeAfter(before: Place, markup: string): Place {
  let place = before;
  for (let at = 0; at < markup.length; at++) {
    const rest = markup.slice(at, at + 3);
    const character = markup[at] ?? "";
    if (place === "outside") {
      if (/^\\[_*`[]/.test(rest)) at++;
      else if (rest === "```") {
        place = "```";
        at += 2;
      } else if (character === "*" || character === "_" || character === "`") place = character;
      else if (character === "[") place = "link text";
    } else if (place === "link text") {
      if (character !== "]") continue;
      place = markup[at + 1] === "(" ? "link target" : "outside";
      if (place === "link target") at++;
    } else if (place === "link target") {
      if (character === ")") place = "outside";
    } else if (markup.startsWith(place, at)) {
      at += place.length - 1;
      place = "outside";
    }
  }
  return place;
}

function partAt(source: string, at: number): { tokens: Token[]; length: number } | undefined {
  const character = source[at] ?? "";
  if (character === "\\" && /^[_*`[]$/.test(source[at + 1] ?? "")) {
    return { tokens: [textToken(source.slice(at, at + 2), 1)], length: 2 };
  }
  if (character === "[") return linkAt(source, at);
  if (source.startsWith("```", at)) return markedAt(source, at, { start: matchAt(PRE_START, source, at), end: "```" });
  if (character === "*" || character === "_" || character === "`") {
    return markedAt(source, at, { start: character, end: character });
  }
  return undefined;
}

function markedAt(source: string, at: number, { start, end }: { start: string; end: string }) {
  const stop = source.indexOf(end, at + start.length);
  if (stop < 0) return undefined;
  const span: Span = { open: start, close: end };
  return wrapped(span, source.slice(at + start.length, stop));
}

function linkAt(source: string, at: number) {
  const link = matchAt(LINK, source, at);
  if (link === "") return undefined;
  const end = link.indexOf("]");
  return wrapped({ open: "[", close: link.slice(end) }, link.slice(1, end));
}

function wrapped(span: Span, inside: string): { tokens: Token[]; length: number } {
  const open: Token = { kind: "open", source: span.open, span };
  const tokens = [open, ...textTokens(inside), { kind: "close", source: span.close } satisfies Token];
  return { tokens, length: span.open.length + inside.length + span.close.length };
}

function matchAt(pattern: RegExp, source: string, at: number): string {
  pattern.lastIndex = at;
  return pattern.exec(source)?.[0] ?? "";
}
