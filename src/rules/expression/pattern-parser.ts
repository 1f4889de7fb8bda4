// Reads a pattern of `matches()`, in the common part of RE2's and JavaScript's syntax. What cannot be matched in linear
// time (back references, looking ahead or behind) is refused, as in RE2, which CEL names for it.

/** Whether a code point is one of a set. */
export type Accepts = (codePoint: number) => boolean;
export type Platform = "text_start" | "text_end" | "line_start" | "line_end" | "word_edge" | "no_word_edge";

/** What a pattern means, before it is run. */
export type PatternNode =
  | { kind: "one"; accepts: Accepts }
  | { kind: "platform"; platform: Platform }
  | { kind: "sequence"; parts: PatternNode[] }
  | { kind: "either"; branches: PatternNode[] }
  | { kind: "repeat"; part: PatternNode; least: number; most: number };

export class PatternProblem extends Error {}

interface PatternFlags {
  ignoreCase: boolean;
  dotAll: boolean;
  multiline: boolean;
}

const MAX_REPEATS = 200;
const DEEPEST_GROUP = 20;

/** Throws `PatternProblem`. */
export function parsePattern(text: string): PatternNode {
  const head = /^\(\?([ims]+)\)/.exec(text);
  return new PatternParser(text.slice(head?.[0].length ?? 0), flagsOf(head?.[1] ?? "")).parse();
}

function flagsOf(letters: string): PatternFlags {
  return { ignoreCase: letters.includes("i"), dotAll: letters.includes("s"), multiline: letters.includes("m") };
}

class PatternParser {
  readonly #characters: readonly string[];
  readonly #flags: PatternFlags;
  #at = 0;

  constructor(text: string, flags: PatternFlags) {
    this.#characters = Array.from(text);
    this.#flags = flags;
  }

  parse(): PatternNode {
    const tree = this.#either(0);
    if (this.#at < this.#characters.length) throw new PatternProblem('a ")" has no "(" before it');
    return tree;
  }

  #peek(): string | undefined {
    return this.#characters[this.#at];
  }

  #take(wanted: string): boolean {
    return this.#peek() === wanted && ++this.#at > 0;
  }

  #next(count: number): string {
    return this.#characters.slice(this.#at, this.#at + count).join("");
  }

  #either(depth: number): PatternNode {
    if (depth > DEEPEST_GROUP) throw new PatternProblem(`its groups are nested deeper than ${DEEPEST_GROUP}`);
    const branches = [this.#sequence(depth)];
    while (this.#take("|")) branches.push(this.#sequence(depth));
    return branches.length === 1 ? (branches[0] as PatternNode) : { kind: "either", branches };
  }

  #sequence(depth: number): PatternNode {
    const parts: PatternNode[] = [];
    for (let next = this.#peek(); next !== undefined && next !== "|" && next !== ")"; next = this.#peek())
      parts.push(this.#repeated(this.#atom(depth)));
    return { kind: "sequence", parts };
  }

  #repeated(part: PatternNode): PatternNode {
    const count = this.#counts();
    if (!count) return part;
    // Lazy or not decides only which match is found, never whether there is one.
    this.#take("?");
    if (this.#counts()) throw new PatternProblem("it repeats a repetition; put it into ( )");
    return { kind: "repeat", part, ...count };
  }

  #counts(): { least: number; most: number } | undefined {
    if (this.#take("*")) return { least: 0, most: Number.POSITIVE_INFINITY };
    if (this.#take("+")) return { least: 1, most: Number.POSITIVE_INFINITY };
    if (this.#take("?")) return { least: 0, most: 1 };
    const written = /^\{(\d+)(,(\d*))?\}/.exec(this.#next(12));
    if (!written) return undefined;
    this.#at += written[0].length;
    const least = Number(written[1]);
    const most = !written[2] ? least : written[3] ? Number(written[3]) : Number.POSITIVE_INFINITY;
    if (least > MAX_REPEATS || (Number.isFinite(most) && most > MAX_REPEATS) || most < least)
      throw new PatternProblem(`${written[0]} is not a count from 0 to ${MAX_REPEATS}`);
    return { least, most };
  }

  #atom(depth: number): PatternNode {
    const { ignoreCase, dotAll, multiline } = this.#flags;
    const character = this.#characters[this.#at++] ?? "";
    if (character === "(") return this.#group(depth);
    if (character === "[") return { kind: "one", accepts: this.#characterClass() };
    if (character === ".") return { kind: "one", accepts: dotAll ? () => true : (code) => code !== 10 };
    if (character === "^") return { kind: "platform", platform: multiline ? "line_start" : "text_start" };
    if (character === "$") return { kind: "platform", platform: multiline ? "line_end" : "text_end" };
    if (character === "\\") return this.#escaped();
    if ("*+?".includes(character)) throw new PatternProblem(`there is nothing before "${character}" to repeat`);
    return { kind: "one", accepts: sameCharacter(codeOf(character), ignoreCase) };
  }

  #group(depth: number): PatternNode {
    if (this.#take("?")) {
      const named = /^(P?<[A-Za-z_]\w*>|:)/.exec(this.#next(40));
      if (!named)
        throw new PatternProblem("it looks ahead or behind, or sets a flag in the middle; neither is possible");
      this.#at += named[0].length;
    }
    const inner = this.#either(depth + 1);
    if (!this.#take(")")) throw new PatternProblem('a "(" is not closed');
    return inner;
  }

  #escaped(): PatternNode {
    const platform = EDGES[this.#peek() ?? ""];
    if (platform && ++this.#at > 0) return { kind: "platform", platform };
    const set = this.#escapeInSet();
    const { ignoreCase } = this.#flags;
    return { kind: "one", accepts: typeof set === "number" ? sameCharacter(set, ignoreCase) : set };
  }

  /** What follows a backslash, in a class and outside: one character or a set. */
  #escapeInSet(): number | Accepts {
    const character = this.#characters[this.#at++];
    if (character === undefined) throw new PatternProblem("it ends in a lone backslash");
    const known = SETS[character] ?? CONTROLS[character];
    if (known !== undefined) return known;
    if (character === "x" || character === "u") return this.#hexadecimal(character === "x" ? 2 : 4);
    if (/[A-Za-z0-9]/.test(character)) throw new PatternProblem(`"\\${character}" is not possible here`);
    return codeOf(character);
  }

  #hexadecimal(digits: number): number {
    const written = this.#next(digits);
    if (written.length < digits || !/^[0-9a-f]+$/i.test(written))
      throw new PatternProblem("\\x and \\u need hexadecimal digits");
    this.#at += digits;
    return Number.parseInt(written, 16);
  }

  #characterClass(): Accepts {
    const negated = this.#take("^");
    const members: Accepts[] = [];
    for (let first = true; first || this.#peek() !== "]"; first = false) {
      if (this.#peek() === undefined) throw new PatternProblem('a "[" is not closed');
      if (this.#next(2) === "[:") throw new PatternProblem('"[:name:]" is not possible; write the range');
      members.push(this.#memberOrRange());
    }
    this.#at++;
    return (code) => members.some((accepts) => accepts(code)) !== negated;
  }

  #memberOrRange(): Accepts {
    const { ignoreCase } = this.#flags;
    const from = this.#member();
    if (typeof from !== "number") return from;
    const isRange = this.#peek() === "-" && (this.#characters[this.#at + 1] ?? "]") !== "]";
    if (!isRange) return sameCharacter(from, ignoreCase);
    this.#at++;
    const to = this.#member();
    if (typeof to !== "number" || to < from) throw new PatternProblem("a range in [ ] runs backwards");
    const within: Accepts = (code) => code >= from && code <= to;
    return ignoreCase ? (code) => casesOf(code).some(within) : within;
  }

  #member(): number | Accepts {
    return this.#take("\\") ? this.#escapeInSet() : codeOf(this.#characters[this.#at++] ?? "");
  }
}

const EDGES: Readonly<Record<string, Platform>> = { b: "word_edge", B: "no_word_edge", A: "text_start", z: "text_end" };
const CONTROLS: Readonly<Record<string, number>> = { n: 10, r: 13, t: 9, f: 12, v: 11 };

/** `\d`, `\w`, `\s` and their opposites, as in RE2: ASCII only. */
const SETS: Readonly<Record<string, Accepts>> = {
  d: (code) => code >= 48 && code <= 57,
  D: (code) => code < 48 || code > 57,
  w: isWordCharacter,
  W: (code) => !isWordCharacter(code),
  s: isSpace,
  S: (code) => !isSpace(code),
};

export function isWordCharacter(code: number): boolean {
  return (code >= 48 && code <= 57) || (code >= 65 && code <= 90) || code === 95 || (code >= 97 && code <= 122);
}

function isSpace(code: number): boolean {
  return code === 32 || (code >= 9 && code <= 13);
}

/** Accepts one character, in both cases where case does not count. */
function sameCharacter(code: number, ignoreCase: boolean): Accepts {
  if (!ignoreCase) return (other) => other === code;
  const both = new Set(casesOf(code));
  return (other) => both.has(other);
}

function casesOf(code: number): number[] {
  const text = String.fromCodePoint(code);
  return [code, text.toLowerCase().codePointAt(0) ?? code, text.toUpperCase().codePointAt(0) ?? code];
}

export function codeOf(character: string): number {
  return character.codePointAt(0) ?? 0;
}
