// Telegram's HTML; Pushover supports a part of it.
import { composeWith, type Markup, type Span, type Token, textToken, textTokens } from "./markup.ts";

const ENTITIES: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };
const NAMES: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"' };
const PART = /<(\/?)([a-z][\w-]*)[^<>]*>|&(?:#\d{1,7}|#x[0-9a-f]{1,6}|lt|gt|amp|quot);|[^<&]+|[<&]/gi;

function escapeText(value: string): string {
  return value.replace(/[&<>"]/g, (character) => ENTITIES[character] ?? character);
}

export const html: Markup = {
  escape: escapeText,
  compose: composeWith(escapeText),
  tokens(source) {
    const open: Span[] = [];
    return [...source.matchAll(PART)].flatMap(([part, closing, tag]): Token[] => {
      if (tag === undefined) return part.startsWith("&") && part.length > 1 ? [entity(part)] : textTokens(part);
      if (closing === "/") return open.pop() ? [{ kind: "close", source: part }] : textTokens(part);
      const span = { open: part, close: `</${tag}>` };
      open.push(span);
      return [{ kind: "open", source: part, span }];
    });
  },
  between: () => "",
  bold: (text) => `<b>${escapeText(text)}</b>`,
  plain: (source) => source.replace(/&(#\d{1,7}|#x[0-9a-f]{1,6}|lt|gt|amp|quot);/gi, decoded),
};

function entity(source: string): Token {
  return textToken(source, decoded(source).length);
}

function decoded(entity: string): string {
  const name = entity.slice(1, -1);
  if (!name.startsWith("#")) return NAMES[name.toLowerCase()] ?? entity;
  const code = /^#x/i.test(name) ? Number.parseInt(name.slice(2), 16) : Number(name.slice(1));
  return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : entity;
}
