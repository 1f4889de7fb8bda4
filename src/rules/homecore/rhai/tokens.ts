// Rhai's tokens, as far as expressions have them.

export type TokenKind = "number" | "text" | "name" | "sign" | "end";

export interface Token {
  kind: TokenKind;
  /** As it is written; of a text what it holds. */
  text: string;
  /** In UTF-16 units. */
  at: number;
}

/** What a script has that cannot be translated, with its place. */
export class RhaiProblem extends Error {
  readonly at: number;

  constructor(at: number, message: string) {
    super(message);
    this.at = at;
  }
}

const BLANK = /(?:\s+|\/\/[^\n]*|\/\*[\s\S]*?\*\/)*/y;
const NUMBER = /0[xX][0-9a-fA-F_]+|0[oO][0-7_]+|0[bB][01_]+|[0-9][0-9_]*(?:\.[0-9][0-9_]*)?(?:[eE][+-]?[0-9_]+)?/y;
const NAME = /[\p{L}_][\p{L}\p{N}_]*/uy;
const TEXT = /"((?:[^"\\]|\\[\s\S])*)"|'((?:[^'\\]|\\[\s\S])[^']*)'|`([^`]*)`/y;
// The longest first.
const SIGNS = [
  ...["...", "..=", "<<=", ">>=", "**="],
  ...["==", "!=", "<=", ">=", "&&", "||", "??", "?.", "?[", "..", "#{", "=>", "**", "<<", ">>", "::"],
  ...["+=", "-=", "*=", "/=", "%=", "&=", "|=", "^="],
  ...["(", ")", "[", "]", "{", "}", ",", ";", ":", ".", "+", "-", "*", "/", "%", "<", ">", "=", "!", "&", "|", "^"],
];
const INTERPOLATION = "$" + "{";
const ESCAPES: Readonly<Record<string, string>> = { n: "\n", r: "\r", t: "\t" };

/** Throws RhaiProblem. Ends with a token `end`. */
export function tokensOf(script: string): Token[] {
  const tokens: Token[] = [];
  let at = 0;
  const take = (pattern: RegExp): RegExpExecArray | null => {
    pattern.lastIndex = at;
    return pattern.exec(script);
  };
  for (;;) {
    at += take(BLANK)?.[0].length ?? 0;
    if (at >= script.length) break;
    const token = tokenAt(take, script, at);
    tokens.push(token.token);
    at += token.length;
  }
  return [...tokens, { kind: "end", text: "", at: script.length }];
}

function tokenAt(
  take: (pattern: RegExp) => RegExpExecArray | null,
  script: string,
  at: number,
): { token: Token; length: number } {
  const number = take(NUMBER)?.[0];
  if (number !== undefined) return { token: { kind: "number", text: number, at }, length: number.length };
  const name = take(NAME)?.[0];
  if (name !== undefined) return { token: { kind: "name", text: name, at }, length: name.length };
  const text = take(TEXT);
  if (text) {
    const [whole, quoted, character, template] = text;
    if (template?.includes(INTERPOLATION))
      throw new RhaiProblem(at, "a text that is put together cannot be translated");
    const content = template ?? unescaped(quoted ?? character ?? "");
    return { token: { kind: "text", text: content, at }, length: whole.length };
  }
  const sign = SIGNS.find((one) => script.startsWith(one, at));
  if (sign !== undefined) return { token: { kind: "sign", text: sign, at }, length: sign.length };
  throw new RhaiProblem(at, `"${String.fromCodePoint(script.codePointAt(at) ?? 0)}" is not expected here`);
}

function unescaped(text: string): string {
  return text.replace(/\\(?:x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|([\s\S]))/g, (_, x, u, U, other) => {
    const code = x ?? u ?? U;
    if (code === undefined) return ESCAPES[other] ?? other;
    const point = Number.parseInt(code, 16);
    return point <= 0x10ffff ? String.fromCodePoint(point) : "\ufffd";
  });
}
