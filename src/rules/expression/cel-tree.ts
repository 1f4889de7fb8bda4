// The parts of cel-js's tree that its own types leave out: what a node is run with, and what a macro was turned into.
// Written for the version in package.json; the tests of this folder fail when another version differs.
import { EvaluationError } from "@marcbachmann/cel-js";

/** Runs a node: cel-js's evaluator, the node itself, its variables. */
export type Run = (evaluator: Evaluator, node: CelNode, variables: unknown) => unknown;

export interface Evaluator {
  run(node: CelNode, variables: unknown): unknown;
}

/** The variables of an expression, where a macro adds its own. */
export interface IterationContext {
  forkWithVariable(name: string, type: unknown): IterationContext;
  reuse(parent: IterationContext): IterationContext;
  setIterValue(value: unknown, evaluator: Evaluator): IterationContext;
}

export interface CelType {
  /** `dyn`, `list`, `map`, `param`, … */
  readonly kind: string;
  readonly name: string;
  readonly keyType?: CelType;
  readonly valueType?: CelType;
}

export interface TypeChecker {
  check(node: CelNode, variables: unknown): CelType;
  getType(name: string): CelType;
}

export interface Macro {
  typeCheck(checker: TypeChecker, macro: Macro, variables: unknown): unknown;
  evaluate: (evaluator: Evaluator, macro: Macro, variables: unknown) => unknown;
}

export interface CelNode {
  readonly op: string;
  readonly args: unknown;
  readonly input: string;
  readonly pos: number;
  readonly start: number;
  readonly end: number;
  readonly meta: { readonly evaluate: Run; readonly alternate?: CelNode; readonly macro?: Macro };
  setMeta(key: "macro", macro: Macro & { async: boolean }): CelNode;
  setMeta(key: "async", isAsync: boolean): CelNode;
  check: (checker: TypeChecker, node: CelNode, variables: unknown) => CelType;
  /** Once the node has been type-checked. */
  readonly checkedType?: CelType;
  evaluate: Run;
  /** Applies an operator or function to values; there once the node has been type-checked. */
  readonly handle: (...args: unknown[]) => unknown;
}

/** A call of a function or method; its operands are the receiver, if any, and the arguments. */
export interface Call {
  readonly name: string;
  readonly isMethod: boolean;
  readonly operands: readonly CelNode[];
}

export function callOf(node: CelNode): Call | undefined {
  if (node.op === "call") {
    const [name, operands] = node.args as [string, CelNode[]];
    return { name, isMethod: false, operands };
  }
  if (node.op === "rcall") {
    const [name, receiver, rest] = node.args as [string, CelNode, CelNode[]];
    return { name, isMethod: true, operands: [receiver, ...rest] };
  }
  return undefined;
}

/** What the author of the rule reads, with the place of the node. */
export function failure(node: CelNode, message: string): EvaluationError {
  // Its types want a node of the public kind, which this is at run time.
  return new EvaluationError({ code: "refused", message, node: node as never });
}

/** The text of the node, if it is a literal text. */
export function literalText(node: CelNode | undefined): string | undefined {
  return node?.op === "value" && typeof node.args === "string" ? node.args : undefined;
}

export function isBinary(node: CelNode): boolean {
  return ["!=", "==", "in", "+", "-", "*", "/", "%", "<", "<=", ">", ">="].includes(node.op);
}

/** All nodes of a tree, each once, with those that macros were turned into. */
export function nodesOf(root: CelNode): Set<CelNode> {
  const seen = new Set<CelNode>();
  const open = [root];
  for (let node = open.pop(); node; node = open.pop()) {
    if (seen.has(node)) continue;
    seen.add(node);
    open.push(...childrenOf(node));
  }
  return seen;
}

/** What `all` and `exists` were turned into: the step of each item, and the answer to start from. */
export function quantifierOf({ op, args }: CelNode): { step: CelNode; start: boolean } | undefined {
  if (op !== "comprehension") return undefined;
  const { kind, step, init } = args as { kind?: string; step: CelNode; init: CelNode };
  return kind === "quantifier" && typeof init.args === "boolean" ? { step, start: init.args } : undefined;
}

function childrenOf(node: CelNode): readonly CelNode[] {
  const { alternate } = node.meta;
  const own = callOf(node)?.operands ?? operandsOf(node);
  return alternate ? [alternate, ...own] : own;
}

function operandsOf({ op, args }: CelNode): readonly CelNode[] {
  if (["value", "id", "accuValue", "accuInc"].includes(op)) return [];
  if (op === ".") return [(args as [CelNode, string])[0]];
  if (op === "map") return (args as [CelNode, CelNode][]).flat();
  if (op === "comprehension") {
    const { iterable, init, step } = args as { iterable: CelNode; init: CelNode; step: CelNode };
    return [iterable, init, step];
  }
  return Array.isArray(args) ? (args as CelNode[]) : [args as CelNode];
}
