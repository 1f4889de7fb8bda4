// A template's text as tokens, as Jinja reads it.
import { TemplateError } from "../values.ts";

export type Token = { at: number } & (
  | { type: "text" | "string" | "name" | "op"; value: string }
  | { type: "int"; value: bigint }
  | { type: "float"; value: number }
  /** `begin`: of `{{` or `{%`. `end`: of either. */
  | { type: "begin"; value: "{{" | "{%" }
  | { type: "end"; value: "}}" | "%}" }
);

const SPACE = /\s+/y;
const FLOAT = /(?:\d+_)*\d+(?:(?:\.(?:\d+_)*\d+)?e[+-]?(?:\d+_)*\d+|\.(?:\d+_)*\d+)/iy;
const INTEGER = /0b(?:_?[01])+|0o(?:_?[0-7])+|0x(?:_?[\da-f])+|[1-9](?:_?\d)*|0(?:_?0)*/iy;
const NAME = /[\p{L}_][\p{L}\p{N}_]*/uy;
const TEXT = /'[^'\\]*(?:\\[\s\S][^'\\]*)*'|"[^"\\]*(?:\\[\s\S][^"\\]*)*"/y;
const OPERATOR = /\/\/|\*\*|==|!=|>=|<=|[-+/*%~[\](){}><=.:|,;]/y;
const RAW = /\{%[-+]?\s*raw\s*(-?)%\}/y;
const END_RAW = /\{%([-+]?)\s*endraw\s*([-+]?)%\}/g;
const OPENING = /\{[{%#]/g;
const MAX_DIGITS = 400;

/** Throws TemplateError. */
export function tokensOf(given: string): Token[] {
  return new Lexer(given.replace(/\r\n?/g, "\n").replace(/\n$/, "")).tokens();
}

class Lexer {
  readonly #source: string;
  #at = 0;
  #isTrimmed = false;
  readonly #tokens: Token[] = [];

  constructor(source: string) {
    this.#source = source;
  }

  tokens(): Token[] {
    while (this.#at < this.#source.length) {
      OPENING.lastIndex = this.#at;
      const opening = OPENING.exec(this.#source);
      const end = opening?.index ?? this.#source.length;
      this.#text(end, this.#source.charAt(end + 2) === "-");
      if (!opening) break;
      if (opening[0] === "{#") this.#comment();
      else if (!this.#raw()) this.#code(opening[0] as "{{" | "{%");
    }
    return this.#tokens;
  }

  #text(end: number, isTrimmedAfter: boolean): void {
    let text = this.#source.slice(this.#at, end);
    if (this.#isTrimmed) text = text.trimStart();
    if (isTrimmedAfter) text = text.trimEnd();
    this.#isTrimmed = false;
    if (text !== "") this.#tokens.push({ type: "text", value: text, at: this.#at });
    this.#at = end;
  }

  #match(pattern: RegExp): RegExpExecArray | undefined {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#source) ?? undefined;
    if (found) this.#at = pattern.lastIndex;
    return found;
  }

  #comment(): void {
    const end = this.#source.indexOf("#}", this.#at + 2);
    if (end < 0) throw new TemplateError("it cannot be read: a comment has no end");
    this.#isTrimmed = end > this.#at + 2 && this.#source.charAt(end - 1) === "-";
    this.#at = end + 2;
  }

  /** What is between `{% raw %}` and `{% endraw %}` is text. */
  #raw(): boolean {
    const begin = this.#match(RAW);
    if (!begin) return false;
    END_RAW.lastIndex = this.#at;
    const end = END_RAW.exec(this.#source);
    if (!end) throw new TemplateError("it cannot be read: {% raw %} has no end");
    this.#isTrimmed = begin[1] === "-";
    this.#text(end.index, end[1] === "-");
    this.#at = END_RAW.lastIndex;
    this.#isTrimmed = end[2] === "-";
    return true;
  }

  #code(opening: "{{" | "{%"): void {
    const closing = opening === "{{" ? "}}" : "%}";
    this.#tokens.push({ type: "begin", value: opening, at: this.#at });
    this.#at += 2;
    if ("-+".includes(this.#source.charAt(this.#at) || " ")) this.#at++;
    const open: string[] = [];
    for (;;) {
      this.#match(SPACE);
      if (this.#at >= this.#source.length) throw new TemplateError(`it cannot be read: "${opening}" has no end`);
      if (open.length === 0) {
        const sign = "-+".includes(this.#source.charAt(this.#at)) ? 1 : 0;
        if (this.#source.startsWith(closing, this.#at + sign)) {
          this.#isTrimmed = this.#source.charAt(this.#at) === "-";
          this.#tokens.push({ type: "end", value: closing, at: this.#at });
          this.#at += 2 + sign;
          return;
        }
      }
      this.#token(open);
    }
  }

  #token(open: string[]): void {
    const at = this.#at;
    const isMember = this.#source.charAt(at - 1) === ".";
    const float = isMember ? undefined : this.#match(FLOAT);
    if (float) {
      this.#tokens.push({ type: "float", value: Number(float[0].replaceAll("_", "")), at });
      return;
    }
    const int = this.#match(INTEGER)?.[0];
    if (int !== undefined) {
      if (int.length > MAX_DIGITS) throw new TemplateError("it cannot be read: a number is too long");
      this.#tokens.push({ type: "int", value: BigInt(int.replaceAll("_", "")), at });
      return;
    }
    const name = this.#match(NAME)?.[0];
    if (name !== undefined) {
      this.#tokens.push({ type: "name", value: name, at });
      return;
    }
    const text = this.#match(TEXT)?.[0];
    if (text !== undefined) {
      this.#tokens.push({ type: "string", value: unescaped(text.slice(1, -1)), at });
      return;
    }
    const op = this.#match(OPERATOR)?.[0];
    if (op === undefined)
      throw new TemplateError(`it cannot be read: unexpected "${this.#source.charAt(at)}" at ${at + 1}`);
    this.#tokens.push({ type: "op", value: op, at });
    balance(op, open);
  }
}

const CLOSED_BY: Readonly<Record<string, string>> = { "(": ")", "[": "]", "{": "}" };

function balance(op: string, open: string[]): void {
  const closing = CLOSED_BY[op];
  if (closing !== undefined) open.push(closing);
  else if (")]}".includes(op) && open.pop() !== op)
    throw new TemplateError(`it cannot be read: "${op}" closes nothing that is open`);
}

const ESCAPE = /\\(?:\n|([0-7]{1,3})|x([\da-f]{2})|u([\da-f]{4})|U([\da-f]{8})|([\s\S]))/gi;
const ESCAPED: Readonly<Record<string, string>> = {
  ...{ n: "\n", t: "\t", r: "\r", b: "\b", f: "\f", v: "\v", a: "\u0007", "\\": "\\", "'": "'", '"': '"' },
};

/** As in Python: `\d`, which means nothing there, stays as it is. */
function unescaped(text: string): string {
  if (!text.includes("\\")) return text;
  return text.replace(ESCAPE, (whole, octal, hex, short, long, char) => {
    if (octal !== undefined) return String.fromCharCode(Number.parseInt(octal, 8));
    const code = whole.startsWith("\\u")
      ? short
      : whole.startsWith("\\U")
        ? long
        : whole.startsWith("\\x")
          ? hex
          : undefined;
    if (code !== undefined) {
      const point = Number.parseInt(code, 16);
      if (point > 0x10ffff) throw new TemplateError("it cannot be read: there is no such character");
      return String.fromCodePoint(point);
    }
    return char === undefined ? (whole === "\\\n" ? "" : whole) : (ESCAPED[char as string] ?? whole);
  });
}
