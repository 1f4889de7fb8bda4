// CEL expressions of rules: compiled once, run often, always on live values and always within bounds.
import type { Environment, ParseResult } from "@marcbachmann/cel-js";
import { kindOf } from "./access.ts";
import type { CelNode } from "./cel-tree.ts";
import { createEnvironment } from "./environment.ts";
import { guardTree, prepareTree } from "./guard.ts";
import type { Evaluated, ExpressionHost, ExpressionProblem, ExpressionScope, Program } from "./host.ts";
import { createMeter } from "./meter.ts";
import { referencesOf } from "./references.ts";
import { toJson } from "./to-json.ts";
import { at, problemOf, type Vocabulary } from "./wording.ts";

export type Compiled = { ok: true; program: Program } | { ok: false; problem: ExpressionProblem };

export interface Expressions {
  /** The same text gives the same program, as long as it is remembered. */
  compile(text: string): Compiled;
}

const LONGEST_EXPRESSION = 4096;
const MOST_HELD = 10_000;

export function createExpressions(): Expressions {
  let asked: ExpressionHost | undefined;
  const environment = createEnvironment(() => {
    if (!asked) throw new Error("is not being evaluated");
    return asked;
  });
  const vocabulary = vocabularyOf(environment);
  const meter = createMeter();
  const held = new Map<string, Compiled>();

  function compileNew(text: string): Compiled {
    if (text.length > LONGEST_EXPRESSION)
      return { ok: false, problem: at(text, 0, `is longer than ${LONGEST_EXPRESSION} characters`) };
    if (text.trim() === "") return { ok: false, problem: at(text, 0, "the expression is empty") };
    try {
      const parsed = environment.parse(text);
      // The public type leaves out what cel-tree.ts describes.
      const root = parsed.ast as unknown as CelNode;
      prepareTree(root);
      const checked = parsed.check();
      if (!checked.valid) throw checked.error;
      guardTree(root, meter);
      return { ok: true, program: createProgram({ text, parsed, root, type: checked.type ?? "dyn" }) };
    } catch (error) {
      return { ok: false, problem: problemOf(text, error, vocabulary) };
    }
  }

  function createProgram({ text, parsed, root, type }: ProgramParts): Program {
    function evaluate(host: ExpressionHost, { trigger = {}, vars = {} }: ExpressionScope = {}): Evaluated {
      asked = host;
      meter.reset();
      try {
        const value: unknown = parsed({ trigger, vars });
        meter.weigh(value);
        return { ok: true, value: toJson(value) };
      } catch (error) {
        return { ok: false, problem: problemOf(text, meter.exceeded ?? error, vocabulary) };
      } finally {
        asked = undefined;
      }
    }

    return {
      text,
      type,
      evaluate,
      evaluateBoolean(host, scope) {
        const result = evaluate(host, scope);
        if (!result.ok) return result;
        if (typeof result.value === "boolean") return { ok: true, value: result.value };
        const message = `gives ${kindOf(result.value)} where true or false is needed; compare it with something`;
        return { ok: false, problem: at(text, 0, message) };
      },
      references: () => referencesOf(root),
    };
  }

  return {
    compile(text) {
      const known = held.get(text);
      const compiled = known ?? compileNew(text);
      // Put last again: the one that was asked for longest ago gives way.
      held.delete(text);
      held.set(text, compiled);
      if (held.size > MOST_HELD) for (const oldest of held.keys()) if (held.delete(oldest)) break;
      return compiled;
    },
  };
}

interface ProgramParts {
  text: string;
  parsed: ParseResult;
  root: CelNode;
  type: string;
}

function vocabularyOf(environment: Environment): Vocabulary {
  const { functions } = environment.getDefinitions();
  // Optional values are not switched on; their functions are listed all the same.
  const usable = functions.filter(({ receiverType }) => !/optional/i.test(receiverType ?? ""));
  return { functions: [...new Set(usable.map(({ name }) => name))], variables: ["trigger", "vars"] };
}
