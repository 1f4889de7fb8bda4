// What is wrong with a text that is not TOML, and what was probably meant, in words for whoever wrote it. No message
// quotes the text: a line of hub.toml may hold a password.
import type { Flaw } from "./text-places.ts";

/** As smol-toml reports it; `line` and `column` count from 1, the column in UTF-16 units. */
export interface TomlSyntaxError {
  readonly message: string;
  readonly line: number;
  readonly column: number;
}

export function syntaxFlaw(text: string, { message, line, column }: TomlSyntaxError): Flaw {
  let lineStart = 0;
  for (let at = 1; at < line; at++) lineStart = text.indexOf("\n", lineStart) + 1;
  const offset = lineStart + column - 1;
  const reported = (message.split("\n")[0] ?? "").replace("Invalid TOML document: ", "");
  return { offset, message: hintFor(lineAt(text, lineStart)) ?? wording(reported, text[offset]) };
}

const MAX_LINE = 300;

function lineAt(text: string, start: number): string {
  const newline = text.indexOf("\n", start);
  return text.slice(start, Math.min(newline < 0 ? text.length : newline, start + MAX_LINE)).trim();
}

/** Lines as people write them who know another format. */
const LINE_HINTS: readonly (readonly [line: RegExp, hint: string])[] = [
  [/^(?:\/\/|\/\*|;)/, "a comment begins with `#` in TOML"],
  [/^[A-Za-z0-9_.-]+\s*:/, "TOML writes `name = value`, with `=` and not `:`"],
  [/^\[\[[^\]]*\](?!\])/, "`]]` is missing: an entry of a list begins with `[[name]]`"],
  [/^\[[^\]]*$/, "`]` is missing: a table begins with `[name]`"],
  [/^[A-Za-z0-9_.-]+\s+[^=]*$/, "`=` is missing: TOML writes `name = value`"],
];

/** And what they write after the `=`. */
const VALUE_HINTS: readonly (readonly [value: RegExp, hint: string])[] = [
  [/^(?:#.*)?$/, 'the value is missing after `=`: a text "…", a number, true or false'],
  [/^[“”„‟‘’‚«»]/, 'these are typographic quotation marks: a text needs straight ones, "…"'],
  [/^(?:true|false)$/i, "true and false are written in small letters"],
  [/^(?:yes|no|on|off)\b/i, "TOML writes true or false"],
  [/^(?:null|nil|none)\b/i, "TOML has no empty value: leave the key out"],
  [
    /^[+-]?[0-9][0-9_.]*\s*(?:\p{L}\p{L}*|[%°]\p{L}?)(?:\s*#.*)?$/u,
    "a number has no unit: write it alone, or a text in quotes",
  ],
  [/^[+-]?[0-9]+,[0-9]+(?:\s*#.*)?$/, "a decimal number has a point, not a comma: 21.5"],
  [/^(?!(?:true|false|inf|nan)\b)\p{L}[^"']*$/u, 'a text needs quotes: "…"'],
];

function hintFor(line: string): string | undefined {
  const value = /^[^="'[{]*=\s*(.*)$/.exec(line)?.[1];
  const known = LINE_HINTS.find(([pattern]) => pattern.test(line));
  const hint = known ?? (value === undefined ? undefined : VALUE_HINTS.find(([pattern]) => pattern.test(value)));
  return hint?.[1];
}

const NUMBER = "a number looks like 90, -5, 21.5, 1e3 or 0xff; anything else needs quotes";
const ESCAPE =
  'after a backslash TOML reads b t n f r e " \\ x u U; write \\\\ for a backslash, or the text in single quotes';
const TWICE = "this key or table is in the file already: keep one of them, or begin each entry of a list with [[…]]";
const BETWEEN = "a comma or the closing bracket is missing before this";

/** smol-toml's words, and ours. */
const WORDS: Readonly<Record<string, string>> = {
  "trying to redefine an already defined table or value": TWICE,
  "trying to redefine an already defined value": TWICE,
  "each key-value declaration must be followed by an end-of-line":
    "nothing may follow a value on its line but a comment, which begins with `#`",
  "unexpected end of key": "a name is missing before this",
  "illegal empty bare key": "a name is missing before this dot",
  "illegal quoted key: multiline strings are not allowed": "a key has one quotation mark on each side",
  "illegal character in key": "a key has letters, digits, `_` and `-`: any other needs quotes, and `=` follows it",
  "incomplete key-value: cannot find end of key": "`= value` is missing after this key",
  "expected end of table array declaration": "`]]` is missing: an entry of a list begins with `[[name]]`",
  "expected comma or end of structure": BETWEEN,
  "unfinished array": "this list is never closed: `]` is missing",
  "unfinished table": "this table is never closed: `}` is missing",
  "unfinished string": "this text is never closed: its closing quotation mark is missing",
  "invalid value": `this is not a value: a text needs quotes, "…"; ${NUMBER}`,
  "illegal underscore": NUMBER,
  "illegal character in numeric literal": NUMBER,
  "illegal leading zero": "a number does not begin with 0: leave the zero out, or put a text in quotes",
  "unfinished numeric value": NUMBER,
  "invalid date": "there is no such date or time; a text that looks like one needs quotes",
  "unrecognised escape sequence": ESCAPE,
  "invalid escape: only line-ending whitespace may be escaped": ESCAPE,
  "invalid non-hex character in unicode escape": "\\x takes two hexadecimal digits, \\u four and \\U eight",
  "invalid unicode escape": "there is no such character",
  "document contains excessively nested structures. aborting.": "these brackets are nested too deeply: make it flatter",
};

function wording(reported: string, char: string | undefined): string {
  if (reported.startsWith("invalid date-time")) return WORDS["invalid date"] ?? reported;
  if (!reported.startsWith("control characters")) return WORDS[reported] ?? reported;
  return char === "\n" || char === "\r"
    ? "the text does not end on its line: its closing quotation mark is missing"
    : "this control character cannot be in a file: remove it";
}
