// Expressions of homeCore's rules, which are Rhai, as CEL; or why one cannot be.
import { messageOf } from "../../../kit/schema/errors.ts";
import { celOfNode } from "./cel.ts";
import { parseRhai } from "./parse.ts";
import { RhaiProblem } from "./tokens.ts";

export type TranslatedRhai = { ok: true; cel: string } | { ok: false; problem: string };

const MAX_SCRIPT = 4096;
/** As long as an expression may be. */
const MAX_CEL = 4000;

/** `constants`: functions that stand for something known of the rule, as CEL. Never throws. */
export function celOf(script: string, constants: Readonly<Record<string, string>> = {}): TranslatedRhai {
  if (script.length > MAX_SCRIPT)
    return { ok: false, problem: `this script is longer than ${MAX_SCRIPT} characters: split it up` };
  try {
    const { text } = celOfNode({ constants, written: 0 }, parseRhai(script));
    // Around the whole, parentheses say nothing.
    const cel = unwrapped(text);
    return cel.length <= MAX_CEL ? { ok: true, cel } : { ok: false, problem: "this script becomes too long as CEL" };
  } catch (error) {
    if (!(error instanceof RhaiProblem)) return { ok: false, problem: messageOf(error) };
    return { ok: false, problem: `this Rhai has no counterpart here: ${error.message} (${placeIn(script, error.at)})` };
  }
}

function placeIn(script: string, at: number): string {
  const lines = script.slice(0, at).split("\n");
  const line = lines.length > 1 ? `line ${lines.length}, ` : "";
  return `${line}character ${(lines.at(-1)?.length ?? 0) + 1} of the script`;
}

function unwrapped(text: string): string {
  if (!text.startsWith("(") || !text.endsWith(")")) return text;
  let depth = 0;
  for (const [index, part] of [...text.matchAll(/"(?:[^"\\]|\\.)*"|[()]/g)].entries()) {
    if (part[0] === "(") depth++;
    if (part[0] === ")") depth--;
    if (depth === 0 && index > 0 && part.index < text.length - 1) return text;
  }
  return text.slice(1, -1);
}
