// Which of the two languages a rule file speaks: looked up in its first words, for the name says `.ron` either way.

export type RuleFormat = "ron" | "toml";

const BLANK = /[\s\ufeff]*/y;
const TOML_COMMENT = /#(?!\s*!\s*\[)[^\n]*/y;
// In RON, `[` could only begin a list, which is no rule: what stands in the brackets is then no plain word.
const TOML_TABLE = /\[\[?[ \t]*(?:[A-Za-z0-9_-]+|"[^"\n]*"|'[^'\n]*')[ \t]*[.\]]/y;
const TOML_KEY = /(?:[A-Za-z0-9_-]+|"[^"\n]*"|'[^'\n]*')[ \t]*[.=]/y;
// A first word alone: TOML only if nothing RON could begin with follows.
const RON_WORD = /[\p{XIDS}_]\p{XIDC}*\s*(?:[(:]|$)/uy;
const RON_SIGN = /[({[#"'“„]|\/[/*]/y;

/** Undefined when nothing is in the text but comments. */
export function detectFormat(text: string): RuleFormat | undefined {
  const at = skipComments(text);
  const looksAt = (pattern: RegExp): boolean => {
    pattern.lastIndex = at;
    return pattern.test(text);
  };
  if (at >= text.length) return undefined;
  if (looksAt(TOML_TABLE) || looksAt(TOML_KEY)) return "toml";
  return looksAt(RON_SIGN) || looksAt(RON_WORD) ? "ron" : "toml";
}

function skipComments(text: string): number {
  let at = 0;
  for (const pattern of cycle(BLANK, TOML_COMMENT)) {
    pattern.lastIndex = at;
    const length = pattern.exec(text)?.[0].length ?? 0;
    if (length === 0 && pattern === TOML_COMMENT) break;
    at += length;
  }
  return at;
}

function* cycle<T>(...items: T[]): Generator<T> {
  for (;;) yield* items;
}
