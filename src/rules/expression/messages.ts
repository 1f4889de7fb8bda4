// CEL about one message instead of the home: it has these variables, and no functions that read the home.
import type { Json, JsonObject } from "../../kit/schema/json.ts";
import { loadCel } from "./load-cel.ts";

export type MessageExpression =
  | { ok: true; run(values: JsonObject): { ok: true; value: Json } | { ok: false; problem: string } }
  | { ok: false; problem: string };

/** `run` is to be given a value for each of the variables. */
export function messageExpressions(variables: readonly string[]): (text: string) => MessageExpression {
  const { createBareEnvironment, createCompiler, problemText } = loadCel();
  const compile = createCompiler(createBareEnvironment(variables), variables);
  return function compileMessage(text) {
    const compiled = compile(text);
    if (!compiled.ok) return { ok: false, problem: problemText(compiled.problem) };
    return {
      ok: true,
      run(values) {
        const result = compiled.run(values);
        return result.ok ? result : { ok: false, problem: problemText(result.problem) };
      },
    };
  };
}
