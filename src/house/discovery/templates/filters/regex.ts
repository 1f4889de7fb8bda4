// Python's regular expressions as far as templates use them. A pattern comes from a device, so it is run here, where each step is
// counted: one that would take for ever (`(a+)+b`) ends by its steps.
import { TemplateError } from "../values.ts";

type Next = (at: number) => boolean;
type Matcher = (at: number, next: Next) => boolean;

export interface Match {
  from: number;
  to: number;
  /** Of each group, from 1; undefined where it took no part. */
  groups: readonly (string | undefined)[];
}

const MAX_PATTERN_LENGTH = 1000;
const MAX_REPEATS = 1000;
const DEEPEST = 20;

export interface Regex {
  groupNames: ReadonlyMap<string, number>;
  /** At `at` alone, or from there on. `tick` is called for each step, and may throw. */
  match(text: string, at: number, options: { isAnchored: boolean; tick: () => void }): Match | undefined;
}

/** Throws TemplateError. */
export function compileRegex(pattern: string, ignoreCase: boolean): Regex {
  if (pattern.length > MAX_PATTERN_LENGTH)
    throw new TemplateError(`a pattern has at most ${MAX_PATTERN_LENGTH} characters`);
  const compiler = new Compiler(pattern, ignoreCase);
  const whole = compiler.all();
  const { state, groupNames } = compiler;
  return {
    groupNames,
    match(text, at, { isAnchored, tick }) {
      Object.assign(state, { text, tick });
      for (let from = at; from <= text.length; from++) {
        tick();
        state.starts.fill(-1);
        state.ends.fill(-1);
        let to = -1;
        const isFound = whole(from, (end) => {
          to = end;
          return true;
        });
        if (isFound) {
          const groups = state.starts.slice(1).map((start, index) => {
            const end = state.ends[index + 1] ?? -1;
            return end < 0 ? undefined : text.slice(start, end);
          });
          return { from, to, groups };
        }
        if (isAnchored) return undefined;
      }
      return undefined;
    },
  };
}

const CLASSES: Readonly<Record<string, RegExp>> = {
  ...{ d: /\p{Nd}/u, D: /\P{Nd}/u, w: /[\p{L}\p{N}_]/u, W: /[^\p{L}\p{N}_]/u, s: /\s/, S: /\S/ },
};
const CONTROLS: Readonly<Record<string, string>> = { n: "\n", t: "\t", r: "\r", f: "\f", v: "\v", a: "\u0007" };
const isWord = (char: string): boolean => char !== "" && (CLASSES.w as RegExp).test(char);

class Compiler {
  readonly state = { text: "", tick: (): void => {}, starts: [-1], ends: [-1] };
  readonly groupNames = new Map<string, number>();
  readonly #pattern: string;
  #ignoreCase: boolean;
  #isMultiline = false;
  #hasAll = false;
  #at = 0;
  #depth = 0;

  constructor(pattern: string, ignoreCase: boolean) {
    this.#pattern = pattern;
    this.#ignoreCase = ignoreCase;
  }

  all(): Matcher {
    const whole = this.#either();
    if (this.#at < this.#pattern.length) this.#fail("unbalanced parenthesis");
    return whole;
  }

  #fail(what: string): never {
    throw new TemplateError(`the pattern "${this.#pattern.slice(0, 50)}" cannot be read: ${what} at ${this.#at + 1}`);
  }

  get #char(): string {
    return this.#pattern.charAt(this.#at);
  }

  #skip(text: string): boolean {
    if (!this.#pattern.startsWith(text, this.#at)) return false;
    this.#at += text.length;
    return true;
  }

  #either(): Matcher {
    if (++this.#depth > DEEPEST) this.#fail("too many groups within groups");
    const ways = [this.#sequence()];
    while (this.#skip("|")) ways.push(this.#sequence());
    this.#depth--;
    return ways.length === 1 ? (ways[0] as Matcher) : (at, next) => ways.some((way) => way(at, next));
  }

  #sequence(): Matcher {
    const parts: Matcher[] = [];
    while (this.#at < this.#pattern.length && this.#char !== "|" && this.#char !== ")") parts.push(this.#repeated());
    const from = (index: number): Matcher => {
      const part = parts[index];
      if (!part) return (at, next) => next(at);
      if (index === parts.length - 1) return part;
      const rest = from(index + 1);
      return (at, next) => part(at, (end) => rest(end, next));
    };
    return from(0);
  }

  #repeated(): Matcher {
    let matcher = this.#atom();
    for (;;) {
      const bounds = this.#bounds();
      if (!bounds) return matcher;
      const isLazy = this.#skip("?");
      const isPossessive = !isLazy && this.#skip("+");
      matcher = this.#times(matcher, { ...bounds, isLazy });
      if (isPossessive) matcher = atomic(matcher);
    }
  }

  #bounds(): { least: number; most: number } | undefined {
    if (this.#skip("*")) return { least: 0, most: Number.POSITIVE_INFINITY };
    if (this.#skip("+")) return { least: 1, most: Number.POSITIVE_INFINITY };
    if (this.#skip("?")) return { least: 0, most: 1 };
    const braces = /^\{(\d*)(,?)(\d*)\}/.exec(this.#pattern.slice(this.#at, this.#at + 20));
    if (!braces || (braces[1] === "" && braces[3] === "" && braces[2] === "")) return undefined;
    this.#at += braces[0].length;
    const least = Number(braces[1]);
    const most = braces[2] === "" ? least : braces[3] === "" ? Number.POSITIVE_INFINITY : Number(braces[3]);
    if (least > MAX_REPEATS || most < least) this.#fail("such a number of repeats");
    return { least, most };
  }

  #times(one: Matcher, { least, most, isLazy }: { least: number; most: number; isLazy: boolean }): Matcher {
    const { state } = this;
    const go = (at: number, done: number, next: Next): boolean => {
      state.tick();
      // A turn that takes nothing would take nothing for ever.
      const again = (): boolean =>
        done < most && one(at, (end) => (end === at && done >= least ? false : go(end, done + 1, next)));
      if (done < least) return again();
      return isLazy ? next(at) || again() : again() || next(at);
    };
    return (at, next) => go(at, 0, next);
  }

  #atom(): Matcher {
    const char = this.#char;
    this.#at++;
    const { state } = this;
    switch (char) {
      case "(":
        return this.#group();
      case "[":
        return this.#single(this.#set());
      case ".": {
        const hasAll = this.#hasAll;
        return this.#single((one) => hasAll || one !== "\n");
      }
      case "^": {
        const isMultiline = this.#isMultiline;
        return (at, next) => (at === 0 || (isMultiline && state.text.charAt(at - 1) === "\n")) && next(at);
      }
      case "$": {
        const isMultiline = this.#isMultiline;
        const isEnd = (at: number): boolean =>
          at === state.text.length || (state.text.charAt(at) === "\n" && (isMultiline || at === state.text.length - 1));
        return (at, next) => isEnd(at) && next(at);
      }
      case "\\":
        return this.#escape();
      case "*":
      case "+":
      case "?":
        return this.#fail("nothing to repeat");
      default:
        return this.#literal(char);
    }
  }

  #single(accepts: (char: string) => boolean): Matcher {
    const { state } = this;
    return (at, next) => {
      state.tick();
      return at < state.text.length && accepts(state.text.charAt(at)) && next(at + 1);
    };
  }

  #literal(char: string): Matcher {
    if (!this.#ignoreCase) return this.#single((one) => one === char);
    const lower = char.toLowerCase();
    return this.#single((one) => one.toLowerCase() === lower);
  }

  #escape(): Matcher {
    const char = this.#char;
    const { state } = this;
    const digits = /^[1-9]\d?/.exec(this.#pattern.slice(this.#at, this.#at + 2))?.[0];
    if (digits) {
      this.#at += digits.length;
      return this.#again(Number(digits));
    }
    const isEdge = (at: number): boolean => isWord(state.text.charAt(at - 1)) !== isWord(state.text.charAt(at));
    const places: Readonly<Record<string, (at: number) => boolean>> = {
      ...{ b: isEdge, B: (at) => !isEdge(at), A: (at) => at === 0, Z: (at) => at === state.text.length },
    };
    const place = Object.hasOwn(places, char) ? places[char] : undefined;
    if (place) {
      this.#at++;
      return (at, next) => place(at) && next(at);
    }
    const named = Object.hasOwn(CLASSES, char) ? CLASSES[char] : undefined;
    if (!named) return this.#literal(this.#escapedChar());
    this.#at++;
    return this.#single((one) => named.test(one));
  }

  #escapedChar(): string {
    const coded = /^(?:x([\da-f]{2})|u([\da-f]{4}))/i.exec(this.#pattern.slice(this.#at, this.#at + 5));
    if (coded) {
      this.#at += coded[0].length;
      return String.fromCharCode(Number.parseInt(coded[1] ?? coded[2] ?? "", 16));
    }
    const char = this.#char;
    this.#at++;
    if (char === "0") return "\0";
    if (char === "") this.#fail("an escape without a character");
    if (Object.hasOwn(CONTROLS, char)) return CONTROLS[char] ?? "";
    if (/[a-zA-Z]/.test(char)) this.#fail(`an unknown escape "\\${char}"`);
    return char;
  }

  #set(): (char: string) => boolean {
    const isNegated = this.#skip("^");
    const tests: ((char: string) => boolean)[] = [];
    for (let isFirst = true; isFirst || this.#char !== "]"; isFirst = false) {
      if (this.#at >= this.#pattern.length) this.#fail("a set without an end");
      const from = this.#setPart();
      if (typeof from !== "string") tests.push((char) => from.test(char));
      else if (this.#char === "-" && this.#pattern.charAt(this.#at + 1) !== "]") {
        this.#at++;
        const to = this.#setPart();
        if (typeof to !== "string" || to < from) this.#fail("a bad range");
        tests.push((char) => char >= from && char <= to);
      } else tests.push((char) => char === from);
    }
    this.#at++;
    const ignoreCase = this.#ignoreCase;
    const isIn = (char: string): boolean => tests.some((one) => one(char));
    return (char) =>
      (isIn(char) || (ignoreCase && (isIn(char.toLowerCase()) || isIn(char.toUpperCase())))) !== isNegated;
  }

  #setPart(): string | RegExp {
    const char = this.#char;
    this.#at++;
    if (char !== "\\") return char;
    const named = Object.hasOwn(CLASSES, this.#char) ? CLASSES[this.#char] : undefined;
    if (named) {
      this.#at++;
      return named;
    }
    return this.#skip("b") ? "\b" : this.#escapedChar();
  }

  #group(): Matcher {
    if (this.#skip("?:")) return this.#closed(this.#either());
    if (this.#skip("?>")) return atomic(this.#closed(this.#either()));
    if (this.#skip("?=")) return ahead(this.#closed(this.#either()), true);
    if (this.#skip("?!")) return ahead(this.#closed(this.#either()), false);
    if (this.#skip("?<=")) return following(this.#closed(this.#either()), true);
    if (this.#skip("?<!")) return following(this.#closed(this.#either()), false);
    const special = /^\?(?:P<(\w+)>|P=(\w+)\)|([ims]+)\))/.exec(this.#pattern.slice(this.#at, this.#at + 100));
    if (!special && this.#char === "?") this.#fail("a group of this kind is not supported");
    this.#at += special?.[0].length ?? 0;
    if (special?.[2] !== undefined) return this.#again(this.groupNames.get(special[2]) ?? this.#fail("no such group"));
    if (special?.[3] !== undefined) {
      this.#ignoreCase ||= special[3].includes("i");
      this.#isMultiline ||= special[3].includes("m");
      this.#hasAll ||= special[3].includes("s");
      return (at, next) => next(at);
    }
    return this.#capturing(special?.[1]);
  }

  #closed(inner: Matcher): Matcher {
    if (!this.#skip(")")) this.#fail("a group without an end");
    return inner;
  }

  #capturing(name: string | undefined): Matcher {
    const { starts, ends } = this.state;
    const index = starts.push(-1) - 1;
    ends.push(-1);
    if (name !== undefined) this.groupNames.set(name, index);
    const inner = this.#closed(this.#either());
    return (at, next) => {
      const [start, end] = [starts[index] ?? -1, ends[index] ?? -1];
      const isFound = inner(at, (to) => {
        const before: [number, number] = [starts[index] ?? -1, ends[index] ?? -1];
        [starts[index], ends[index]] = [at, to];
        if (next(to)) return true;
        [starts[index], ends[index]] = before;
        return false;
      });
      if (!isFound) [starts[index], ends[index]] = [start, end];
      return isFound;
    };
  }

  #again(index: number): Matcher {
    const { state } = this;
    if (index >= state.starts.length) this.#fail("no such group");
    return (at, next) => {
      state.tick();
      const [start = -1, end = -1] = [state.starts[index], state.ends[index]];
      if (end < 0) return false;
      const part = state.text.slice(start, end);
      return state.text.startsWith(part, at) && next(at + part.length);
    };
  }
}

function atomic(inner: Matcher): Matcher {
  return (at, next) => {
    let to = -1;
    const isFound = inner(at, (end) => {
      to = end;
      return true;
    });
    return isFound && next(to);
  };
}

function ahead(inner: Matcher, isWanted: boolean): Matcher {
  return (at, next) => inner(at, () => true) === isWanted && next(at);
}

/** From each place before, up to here. */
function following(inner: Matcher, isWanted: boolean): Matcher {
  return (at, next) => {
    let isFound = false;
    for (let from = at; from >= 0 && from > at - 100 && !isFound; from--) isFound = inner(from, (end) => end === at);
    return isFound === isWanted && next(at);
  };
}
