// Reads a pattern of `matches()`. What cannot be matched in linear time (back references, looking ahead or behind) is
// refused, as in RE2, which CEL names for it.
import {
  type Accepts,
  CONTROLS,
  casesOf,
  type PatternFlags,
  type PatternNode,
  PatternProblem,
  SETS,
  sameCharacter,
} from "./pattern-tree.ts";

const MOST_REPEATS = 200;
const DEEPEST_GROUP = 20;

/** Throws `PatternProblem`. */
export function parsePattern(text: string): PatternNode {
  const head = /^\(\?([ims]+)\)/.exec(text);
  const flags = flagsOf(head?.[1] ?? "");
  const characters = Array.from(text.slice(head?.[0].length ?? 0));
  let at = 0;

  const peek = (): string | undefined => characters[at];
  const take = (wanted: string): boolean => characters[at] === wanted && ++at > 0;

  function either(depth: number): PatternNode {
    if (depth > DEEPEST_GROUP) throw new PatternProblem(`its groups are nested deeper than ${DEEPEST_GROUP}`);
    const branches = [sequence(depth)];
    while (take("|")) branches.push(sequence(depth));
    return branches.length === 1 ? (branches[0] as PatternNode) : { kind: "either", branches };
  }

  function sequence(depth: number): PatternNode {
    const parts: PatternNode[] = [];
    while (peek() !== undefined && peek() !== "|" && peek() !== ")") parts.push(repeated(atom(depth)));
    return { kind: "sequence", parts };
  }

  function repeated(part: PatternNode): PatternNode {
    const count = counts();
    if (!count) return part;
    // Lazy or not tells only which match is found, never whether there is one.
    take("?");
    if (counts()) throw new PatternProblem("it repeats a repetition; put it into ( )");
    return { kind: "repeat", part, ...count };
  }

  function counts(): { least: number; most: number } | undefined {
    if (take("*")) return { least: 0, most: Number.POSITIVE_INFINITY };
    if (take("+")) return { least: 1, most: Number.POSITIVE_INFINITY };
    if (take("?")) return { least: 0, most: 1 };
    const written = /^\{(\d+)(,(\d*))?\}/.exec(characters.slice(at, at + 12).join(""));
    if (!written) return undefined;
    at += written[0].length;
    const least = Number(written[1]);
    const most = !written[2] ? least : written[3] ? Number(written[3]) : Number.POSITIVE_INFINITY;
    if (least > MOST_REPEATS || (Number.isFinite(most) && most > MOST_REPEATS) || most < least)
      throw new PatternProblem(`${written[0]} is not a count from 0 to ${MOST_REPEATS}`);
    return { least, most };
  }

  function atom(depth: number): PatternNode {
    const character = characters[at++] ?? "";
    if (character === "(") return group(depth);
    if (character === "[") return { kind: "one", accepts: characterClass() };
    if (character === ".") return { kind: "one", accepts: flags.dotAll ? () => true : (code) => code !== 10 };
    if (character === "^") return { kind: "edge", edge: flags.multiline ? "line_start" : "text_start" };
    if (character === "$") return { kind: "edge", edge: flags.multiline ? "line_end" : "text_end" };
    if (character === "\\") return escaped();
    if ("*+?".includes(character)) throw new PatternProblem(`there is nothing before "${character}" to repeat`);
    return { kind: "one", accepts: sameCharacter(codeOf(character), flags.ignoreCase) };
  }

  function group(depth: number): PatternNode {
    if (take("?")) {
      const named = /^(P?<[A-Za-z_]\w*>|:)/.exec(characters.slice(at, at + 40).join(""));
      if (!named)
        throw new PatternProblem("it looks ahead or behind, or sets a flag in the middle; neither is possible");
      at += named[0].length;
    }
    const inner = either(depth + 1);
    if (!take(")")) throw new PatternProblem('a "(" is not closed');
    return inner;
  }

  function escaped(): PatternNode {
    const character = characters[at] ?? "";
    const edges: Record<string, PatternNode> = {
      b: { kind: "edge", edge: "word_edge" },
      B: { kind: "edge", edge: "no_word_edge" },
      A: { kind: "edge", edge: "text_start" },
      z: { kind: "edge", edge: "text_end" },
    };
    const edge = edges[character];
    if (edge && ++at > 0) return edge;
    const set = escapeInSet();
    return { kind: "one", accepts: typeof set === "number" ? sameCharacter(set, flags.ignoreCase) : set };
  }

  /** What stands behind a backslash, in a class and outside: one character or a set. */
  function escapeInSet(): number | Accepts {
    const character = characters[at++];
    if (character === undefined) throw new PatternProblem("it ends in a lone backslash");
    const known = SETS[character] ?? CONTROLS[character];
    if (known !== undefined) return known;
    if (character === "x" || character === "u") return hexadecimal(character === "x" ? 2 : 4);
    if (/[A-Za-z0-9]/.test(character)) throw new PatternProblem(`"\\${character}" is not possible here`);
    return codeOf(character);
  }

  function hexadecimal(digits: number): number {
    const written = characters.slice(at, at + digits).join("");
    if (written.length < digits || !/^[0-9a-f]+$/i.test(written))
      throw new PatternProblem("\\x and \\u need hexadecimal digits");
    at += digits;
    return Number.parseInt(written, 16);
  }

  function characterClass(): Accepts {
    const negated = take("^");
    const members: Accepts[] = [];
    for (let first = true; first || peek() !== "]"; first = false) {
      if (peek() === undefined) throw new PatternProblem('a "[" is not closed');
      if (peek() === "[" && characters[at + 1] === ":")
        throw new PatternProblem('"[:name:]" is not possible; write the range');
      const from = member();
      const isRange = typeof from === "number" && peek() === "-" && (characters[at + 1] ?? "]") !== "]";
      if (!isRange) members.push(typeof from === "number" ? sameCharacter(from, flags.ignoreCase) : from);
      else {
        at++;
        members.push(range(from, member()));
      }
    }
    at++;
    return (code) => members.some((accepts) => accepts(code)) !== negated;
  }

  function member(): number | Accepts {
    return take("\\") ? escapeInSet() : codeOf(characters[at++] ?? "");
  }

  function range(from: number, to: number | Accepts): Accepts {
    if (typeof to !== "number" || to < from) throw new PatternProblem("a range in [ ] runs backwards");
    const within: Accepts = (code) => code >= from && code <= to;
    return flags.ignoreCase ? (code) => casesOf(code).some(within) : within;
  }

  const tree = either(0);
  if (at < characters.length) throw new PatternProblem('a ")" is not opened');
  return tree;
}

function flagsOf(letters: string): PatternFlags {
  return { ignoreCase: letters.includes("i"), dotAll: letters.includes("s"), multiline: letters.includes("m") };
}

function codeOf(character: string): number {
  return character.codePointAt(0) ?? 0;
}
