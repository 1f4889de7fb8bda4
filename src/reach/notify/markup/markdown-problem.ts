// Why Telegram would refuse a text in one of its Markdowns, before it is sent.

import { markdown } from "./markdown.ts";
import { markdownV2 } from "./markdown-v2.ts";
import type { Token } from "./markup.ts";

// `>` is one only within a line.
const RESERVED = /[[\]()~`>#+\-=|{}.!*_]/;

export function markdownV2Problem(source: string): string | undefined {
  const open: { marker: string; close: string }[] = [];
  for (const token of markdownV2.tokens(source)) {
    if (token.kind === "open") open.push({ marker: token.source, close: token.span.close });
    else if (token.kind === "close") {
      const closed = open.pop();
      if (closed?.marker === "![" && !token.source.startsWith("](tg://")) return "after ![ ] stands (tg://emoji?id=…)";
      if (closed?.marker.endsWith("[") && token.source !== "]" && !token.source.endsWith(")"))
        return "a link has no end";
    } else {
      const code = open.at(-1)?.marker.startsWith("`") === true;
      const reserved = isEscaped(token) ? undefined : (code ? /`/ : RESERVED).exec(token.source)?.[0];
      if (reserved !== undefined) return `the character ${reserved} is written \\${reserved}`;
    }
  }
  return unclosed(open.filter(({ close }) => close !== "").map(({ marker }) => marker));
}

/** A marker that is text to our tokens has no second one. */
export function markdownProblem(source: string): string | undefined {
  const inside: Token[] = [];
  for (const token of markdown.tokens(source)) {
    if (token.kind === "open") inside.push(token);
    else if (token.kind === "close") inside.pop();
    else if (inside.length === 0 && !isEscaped(token)) {
      const marker = /[_*`[]/.exec(token.source)?.[0];
      if (marker !== undefined) return unclosed([marker]);
    }
  }
  return undefined;
}

function isEscaped(token: Token): boolean {
  return token.kind === "text" && token.visible < token.source.length;
}

function unclosed([marker]: readonly string[]): string | undefined {
  return marker === undefined
    ? undefined
    : `${marker.trim()} is not closed; a ${marker.trim()} that is text is written \\${marker.trim()[0]}`;
}
