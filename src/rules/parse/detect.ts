// The language of a rule file. Its name says which: `.ron` or `.toml`. A text that is plainly the other one is read as
// that, since the examples people copy are TOML in files called `.ron`, and nothing may stop running over a name.

export type RuleFormat = "ron" | "toml";

export function formatOfName(file: string): RuleFormat {
  return /\.toml$/i.test(file) ? "toml" : "ron";
}

const BLANK = /[\s\ufeff]*/y;
const TOML_COMMENT = /#(?!\s*!\s*\[)[^\n]*/y;
// In RON, `[` could only begin a list, which is not a rule: between the brackets is then no plain word.
const TOML_TABLE = /\[\[?[ \t]*(?:[A-Za-z0-9_-]+|"[^"\n]*"|'[^'\n]*')[ \t]*[.\]]/y;
const TOML_KEY = /(?:[A-Za-z0-9_-]+|"[^"\n]*"|'[^'\n]*')[ \t]*[.=]/y;
// None of these can begin a line of TOML.
const RON_COMMENTS = /(?:\s+|\/\/[^\n]*|\/\*[\s\S]*?\*\/)*/y;
const RON_RULE = /[({]|#\s*!\s*\[|[\p{XIDS}_]\p{XIDC}*\s*\(/uy;

/** Undefined when the text holds nothing but comments. */
export function detectFormat(text: string, named: RuleFormat = "ron"): RuleFormat | undefined {
  const at = skipComments(text);
  if (at >= text.length) return undefined;
  if (named === "ron") return matches(TOML_TABLE, text, at) || matches(TOML_KEY, text, at) ? "toml" : "ron";
  return matches(RON_RULE, text, at + lengthOf(RON_COMMENTS, text, at)) ? "ron" : "toml";
}

function matches(pattern: RegExp, text: string, at: number): boolean {
  pattern.lastIndex = at;
  return pattern.test(text);
}

function lengthOf(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0].length ?? 0;
}

function skipComments(text: string): number {
  let at = lengthOf(BLANK, text, 0);
  for (let length = lengthOf(TOML_COMMENT, text, at); length > 0; length = lengthOf(TOML_COMMENT, text, at)) {
    at += length;
    at += lengthOf(BLANK, text, at);
  }
  return at;
}
