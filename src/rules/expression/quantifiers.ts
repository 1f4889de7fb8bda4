// `list.any(x, p)` and `list.count(x, p)`: as CEL's `exists` and `filter(…).size()`, but an item for which the question cannot
// be answered does not count. So a sensor among lamps, or a lamp that has not reported yet, does not spoil the answer.
import { type Environment, EvaluationError } from "@marcbachmann/cel-js";
import { type CelNode, type Evaluator, failure, type IterationContext, type TypeChecker } from "./cel-tree.ts";
import { kindOf } from "./values.ts";

interface Call {
  receiver: CelNode;
  args: readonly CelNode[];
  ast: CelNode;
}

export function registerQuantifiers(environment: Environment): void {
  environment.registerFunction(
    "list.any(ast, ast): bool",
    quantifier("bool", (counted) => counted > 0),
  );
  environment.registerFunction(
    "list.count(ast, ast): int",
    quantifier("int", (counted) => BigInt(counted)),
  );
}

function quantifier(type: string, answer: (counted: number) => unknown) {
  // The library calls it with what its own types leave out.
  return ((call: Call) => expand(call, type, answer)) as unknown as () => unknown;
}

function expand({ receiver, args, ast }: Call, type: string, answer: (counted: number) => unknown) {
  const [variable, predicate] = args as [CelNode, CelNode];
  if (variable.op !== "id" || typeof variable.args !== "string")
    throw failure(variable, "needs a name first: any(d, d.on)");
  const name = variable.args;
  let items: IterationContext | undefined;
  return {
    ast,
    async: false,
    typeCheck(checker: TypeChecker, _macro: unknown, variables: IterationContext) {
      checker.check(receiver, variables);
      items = variables.forkWithVariable(name, checker.getType("dyn"));
      checker.check(predicate, items);
      return checker.getType(type);
    },
    evaluate(evaluator: Evaluator, _macro: unknown, variables: IterationContext) {
      const list = evaluator.run(receiver, variables);
      if (!Array.isArray(list)) throw failure(receiver, `is ${kindOf(list)} and has no items`);
      const scope = items;
      if (!scope) throw new Error("was not type-checked");
      return answer(
        countIn(
          list,
          (item) => evaluator.run(predicate, scope.reuse(variables).setIterValue(item, evaluator)),
          predicate,
        ),
      );
    },
  };
}

/** Throws if the question can be answered for none of them: it is probably misspelt. */
function countIn(list: readonly unknown[], ask: (item: unknown) => unknown, predicate: CelNode): number {
  let counted = 0;
  let failed = 0;
  let problem: EvaluationError | undefined;
  for (const item of list) {
    let answer: unknown;
    try {
      answer = ask(item);
    } catch (error) {
      if (!(error instanceof EvaluationError)) throw error;
      failed++;
      problem = error;
      continue;
    }
    if (typeof answer !== "boolean") throw failure(predicate, `gives ${kindOf(answer)} where true or false is needed`);
    if (answer) counted++;
  }
  if (problem && failed === list.length) throw problem;
  return counted;
}
