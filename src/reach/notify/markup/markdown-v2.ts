// Telegram's MarkdownV2. A backslash escapes any ASCII character, anywhere.
import { composeWith, type Markup, type Span, type Token, textToken, textTokens } from "./markup.ts";

// The longer ones first: they are preferred when both match.
const MARKERS = ["```", "||", "__", "`", "_", "*", "~"] as const;
// Bounded, as a text may contain many openings that are never closed.
const LINK_END = /\](?:\((?:\\[\s\S]|[^\\)\n]){0,1000}\))?/y;
// The word up to the first white space is the language; the line break behind it is not shown.
const PRE_START = /```(?:[^\s`\\]+(?=\s))?(?:\r?\n)?/y;

function escapeText(value: string): string {
  return value.replace(/[\\_*[\]()~`>#+\-=|{}.!]/g, "\\$&");
}

export const markdownV2: Markup = {
  escape: escapeText,
  compose: composeWith(escapeText),
  tokens: (source) => createReader(source).read(),
  // Telegram reads `___` as `__` and `_`, also where `_` and `__` was meant.
  between: (left, right) => (left.endsWith("_") && right.startsWith("_") ? "**" : ""),
  bold: (text) => `*${escapeText(text)}*`,
  plain: (source) => source.replace(/\\([\s\S])/g, (pair, character) => (canBeEscaped(character) ? character : pair)),
};

function canBeEscaped(character: string | undefined): boolean {
  return character !== undefined && character > "\0" && character < "\x7f";
}

function createReader(source: string) {
  const tokens: Token[] = [];
  const stack: { marker: string; span: Span }[] = [];
  let run = "";
  let at = 0;

  function flush(): void {
    tokens.push(...textTokens(run));
    run = "";
  }

  function open(marker: string, text: string, close = marker): void {
    flush();
    const span = { open: text, close };
    stack.push({ marker, span });
    tokens.push({ kind: "open", source: text, span });
    at += text.length;
  }

  function close(text: string): void {
    flush();
    stack.pop();
    tokens.push({ kind: "close", source: text });
    at += text.length;
  }

  function literal(length: number): void {
    run += source.slice(at, at + length);
    at += length;
  }

  function step(): void {
    const top = stack.at(-1);
    if (source[at] === "\\" && canBeEscaped(source[at + 1])) {
      flush();
      tokens.push(textToken(source.slice(at, at + 2), 1));
      at += 2;
    } else if (top?.marker === "`" || top?.marker === "```") {
      if (source.startsWith(top.marker, at)) close(top.marker);
      else literal(1);
    } else markup(top);
  }

  function markup(top: { marker: string; span: Span } | undefined): void {
    const marker = MARKERS.find((candidate) => source.startsWith(candidate, at));
    if (marker !== undefined) {
      if (top?.marker === marker) close(marker);
      else if (marker === "```") open(marker, matchAt(PRE_START) ?? marker);
      else open(marker, marker);
    } else if (source[at] === "[") open("[", "[", "]");
    else if (source.startsWith("![", at)) open("[", "![", "]");
    else if (source[at] === "]" && top?.marker === "[") {
      top.span.close = matchAt(LINK_END) ?? "]";
      close(top.span.close);
    } else if (source[at] === ">" && (at === 0 || source[at - 1] === "\n")) open(">", ">", "");
    else if (source[at] === "\n" && top?.marker === ">") {
      close("");
      literal(1);
    } else literal(1);
  }

  function matchAt(pattern: RegExp): string | undefined {
    pattern.lastIndex = at;
    return pattern.exec(source)?.[0];
  }

  return {
    read(): Token[] {
      while (at < source.length) step();
      flush();
      return tokens;
    },
  };
}
