// Matches patterns in time linear in the text, whatever the pattern: all ways to match are followed at once (Thompson),
// so nothing is tried twice. JavaScript's own regular expressions can take hours for twenty characters.
import {
  type Accepts,
  codeOf,
  isWordCharacter,
  type PatternNode,
  PatternProblem,
  type Platform,
  parsePattern,
} from "./pattern-parser.ts";

interface Fork {
  readonly kind: "fork";
  to: number;
  or: number;
}

type Instruction =
  | { kind: "one"; accepts: Accepts }
  | { kind: "platform"; platform: Platform }
  | Fork
  | { kind: "found" };

export interface Pattern {
  /** A match anywhere in the text takes at most its length times this. */
  readonly size: number;
  matches(text: string): boolean;
}

export type PatternResult = { ok: true; pattern: Pattern } | { ok: false; problem: string };

const MAX_PATTERN = 500;
const MAX_INSTRUCTIONS = 2000;

interface Draft {
  readonly program: Instruction[];
  /** Repetitions of repetitions of nothing leave no instruction, but take their time. */
  parts: number;
}

export function compilePattern(text: string): PatternResult {
  try {
    if (text.length > MAX_PATTERN) throw new PatternProblem(`it is longer than ${MAX_PATTERN} characters`);
    const program: Instruction[] = [];
    emit({ program, parts: 0 }, parsePattern(text));
    program.push({ kind: "found" });
    return {
      ok: true,
      pattern: { size: program.length, matches: (subject) => run(program, Array.from(subject, codeOf)) },
    };
  } catch (error) {
    if (!(error instanceof PatternProblem)) throw error;
    return { ok: false, problem: `the pattern "${text.slice(0, 60)}" is not possible: ${error.message}` };
  }
}

function emit(draft: Draft, node: PatternNode): void {
  if (++draft.parts > MAX_INSTRUCTIONS) throw new PatternProblem("its repetitions make it too large");
  if (node.kind === "one" || node.kind === "platform") draft.program.push(node);
  else if (node.kind === "sequence") for (const part of node.parts) emit(draft, part);
  else if (node.kind === "either") emitEither(draft, node.branches);
  else emitRepeat(draft, node);
}

function emitEither(draft: Draft, branches: readonly PatternNode[]): void {
  const { program } = draft;
  const ends: Fork[] = [];
  for (const [index, branch] of branches.entries()) {
    const fork = index < branches.length - 1 ? pushFork(program) : undefined;
    emit(draft, branch);
    if (!fork) continue;
    ends.push(pushFork(program));
    fork.or = program.length;
  }
  for (const end of ends) end.to = end.or = program.length;
}

function emitRepeat(draft: Draft, { part, least, most }: PatternNode & { kind: "repeat" }): void {
  const { program } = draft;
  for (let count = 0; count < least; count++) emit(draft, part);
  const isEndless = !Number.isFinite(most);
  const start = program.length;
  const forks: Fork[] = [];
  for (let count = least; count < (isEndless ? least + 1 : most); count++) {
    forks.push(pushFork(program));
    emit(draft, part);
  }
  if (isEndless) {
    const back = pushFork(program);
    back.to = back.or = start;
  }
  for (const fork of forks) fork.or = program.length;
}

/** Both ways lead to the next instruction until the caller sets one of them. */
function pushFork(program: Instruction[]): Fork {
  const fork: Fork = { kind: "fork", to: program.length + 1, or: program.length + 1 };
  program.push(fork);
  return fork;
}

function run(program: readonly Instruction[], codes: readonly number[]): boolean {
  // At which character an instruction was last reached: each is followed once for each character.
  const reached = new Int32Array(program.length).fill(-1);
  let current: number[] = [];
  for (let at = 0; at <= codes.length; at++) {
    // A match may begin at any character.
    const ways = [0, ...current.reverse()];
    const next: number[] = [];
    for (let way = ways.pop(); way !== undefined; way = ways.pop()) {
      if (reached[way] === at) continue;
      reached[way] = at;
      const instruction = program[way];
      if (!instruction) continue;
      if (instruction.kind === "found") return true;
      if (instruction.kind === "fork") ways.push(instruction.or, instruction.to);
      else if (instruction.kind === "platform") {
        if (isAtEdge(instruction.platform, codes, at)) ways.push(way + 1);
      } else if (at < codes.length && instruction.accepts(codes[at] ?? 0)) next.push(way + 1);
    }
    current = next;
  }
  return false;
}

function isAtEdge(platform: Platform, codes: readonly number[], at: number): boolean {
  if (platform === "text_start") return at === 0;
  if (platform === "text_end") return at === codes.length;
  if (platform === "line_start") return at === 0 || codes[at - 1] === 10;
  if (platform === "line_end") return at === codes.length || codes[at] === 10;
  const isWord = (index: number): boolean => isWordCharacter(codes[index] ?? 0);
  return (isWord(at - 1) !== isWord(at)) === (platform === "word_edge");
}
