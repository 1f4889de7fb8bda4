// Bounds cel-js's evaluation of a tree: every node is metered, members of values are read in our own way, and what
// could take long (patterns, texts searched in texts) is charged before it runs.
import { didYouMean } from "../../kit/schema/did-you-mean.ts";
import {
  type Call,
  type CelNode,
  callOf,
  type Evaluator,
  failure,
  isBinary,
  literalText,
  type Macro,
  nodesOf,
  quantifierOf,
  type Run,
  type TypeChecker,
} from "./cel-tree.ts";
import { checkComparison, compareOrdered, isEqual, isIn } from "./comparison.ts";
import { convert } from "./conversions.ts";
import { type CelMap, isMap, keysOf, lookUp, mapLiteral } from "./maps.ts";
import type { Meter } from "./meter.ts";
import { compilePattern, type Pattern } from "./pattern.ts";
import { addTimes, partOfTime } from "./times.ts";
import { kindOf, numberIn } from "./values.ts";

// The time in another zone takes as long as some dozen other nodes.
const ZONED_TIME_STEPS = 50;
const COMPARISONS_A_STEP = 256;
// Going through the house takes as long as some dozen nodes, and each device found as long as a few.
const HOUSE_STEPS = 50;
const DEVICE_STEPS = 10;

/**
 * Before type-checking: gives the tree our `has` and our types. Throws an EvaluationError for a literal pattern or time that is
 * not valid.
 */
export function prepareTree(root: CelNode): void {
  const nodes = nodesOf(root);
  const inner = new Set<unknown>();
  for (const { op, args } of nodes) if (op === "comprehension") inner.add((args as { init: CelNode }).init);
  for (const node of nodes) {
    if (["==", "!=", "in"].includes(node.op)) checkComparison(node);
    if (isEmptyLiteral(node) && !inner.has(node)) node.check = (checker) => checker.getType(node.op);
    const call = callOf(node);
    const [argument, pattern] = call?.operands ?? [];
    if (call?.name === "has" && !call.isMethod && call.operands.length === 1) {
      if (argument?.op !== ".") throw failure(node, 'has() needs an attribute: has(device_state("id").name)');
      node.setMeta("macro", hasMacro(argument));
    }
    const text = call?.name === "matches" ? literalText(pattern) : undefined;
    if (text !== undefined) patternOf(text, node);
    const time = call && !call.isMethod && isTime(call.name) ? literalText(argument) : undefined;
    if (time !== undefined) convert(call?.name ?? "", [time], node);
  }
}

function isTime(name: string): boolean {
  return name === "timestamp" || name === "duration";
}

/** `[]` and `{}`, in which the library lets no operator be used on what they would hold. */
function isEmptyLiteral({ op, args }: CelNode): boolean {
  return (op === "list" || op === "map") && Array.isArray(args) && args.length === 0;
}

/** After type-checking: from now on the meter counts what the tree does. */
export function boundTree(root: CelNode, meter: Meter): void {
  const nodes = nodesOf(root);
  for (const node of nodes) {
    const inner = innerRun(node, meter);
    node.evaluate = function metered(evaluator, _node, variables) {
      const value = inner(evaluator, node, variables);
      meter.pass(value);
      return value;
    };
  }
  for (const node of nodes) endQuantifier(node, meter);
}

/** `exists` and `all` go on after an error of one item; past the bound they get the answer that ends them. */
function endQuantifier(node: CelNode, meter: Meter): void {
  const quantifier = quantifierOf(node);
  if (!quantifier) return;
  const { step, start } = quantifier;
  const { evaluate } = step;
  step.evaluate = (evaluator, _node, variables) => (meter.exceeded ? !start : evaluate(evaluator, step, variables));
}

function innerRun(node: CelNode, meter: Meter): Run {
  const { macro, alternate, evaluate } = node.meta;
  if (macro) return (evaluator, _node, variables) => macro.evaluate(evaluator, macro, variables);
  if (alternate) return (evaluator, _node, variables) => evaluator.run(alternate, variables);
  if (node.op === ".") return attributeAccess;
  if (node.op === "[]") return indexAccess;
  if (node.op === "map") return mapLiteral;
  const negative = negativeNumber(node);
  if (negative !== undefined) return () => negative;
  const call = callOf(node);
  if (call) return boundedCall(call, meter);
  return isBinary(node) ? boundedBinary(meter) : evaluate;
}

/** `-9223372036854775808`, of which the part without the sign is too large. */
function negativeNumber({ op, args }: CelNode): bigint | undefined {
  const literal = op === "-_" ? (args as CelNode) : undefined;
  return literal?.op === "value" && typeof literal.args === "bigint" ? -literal.args : undefined;
}

function boundedBinary(meter: Meter): Run {
  return (evaluator, node, variables) => {
    const [left, right] = node.args as [CelNode, CelNode];
    const a = evaluator.run(left, variables);
    const b = evaluator.run(right, variables);
    meter.weigh(a);
    meter.weigh(b);
    const own = compareOrAdd(node.op, a, b);
    if (own !== undefined) return own;
    if (node.op === "in") throw failure(node, `only a list or a map can hold something, and this is ${kindOf(b)}`);
    return node.handle(a, b, node, evaluator);
  };
}

/** Undefined for what is left to the library. */
function compareOrAdd(operator: string, a: unknown, b: unknown): unknown {
  if (operator === "==") return isEqual(a, b);
  if (operator === "!=") return !isEqual(a, b);
  if (operator === "in") return isIn(a, b);
  if (operator === "+" || operator === "-") return addTimes(operator, a, b);
  return compareOrdered(operator, a, b);
}

function boundedCall({ name, isMethod, operands }: Call, meter: Meter): Run {
  const patterns = createPatternMemory();
  return (evaluator, node, variables) => {
    const values = operands.map((operand) => evaluator.run(operand, variables));
    for (const value of values) meter.weigh(value);
    if (isMethod && name === "matches") return matches(values, { node, meter, patterns });
    bound(values, meter);
    const own = isMethod ? partOfTime(name, values, node) : convert(name, values, node);
    if (own !== undefined) return own;
    const result = isMethod ? node.handle(values, evaluator, node) : node.handle(values, node, evaluator);
    if (name === "devices" && Array.isArray(result)) meter.charge(HOUSE_STEPS + DEVICE_STEPS * result.length);
    return result;
  };
}

function bound([first, second]: readonly unknown[], meter: Meter): void {
  if (typeof first === "string" && typeof second === "string")
    meter.charge((first.length * second.length) / COMPARISONS_A_STEP);
  if (Array.isArray(first) && typeof second === "string")
    meter.charge((first.length * second.length) / COMPARISONS_A_STEP);
  if (first instanceof Date && typeof second === "string") meter.charge(ZONED_TIME_STEPS);
}

interface Matching {
  node: CelNode;
  meter: Meter;
  patterns: (text: string, node: CelNode) => Pattern;
}

function matches([subject, text]: readonly unknown[], { node, meter, patterns }: Matching): boolean {
  if (typeof subject !== "string" || typeof text !== "string")
    throw failure(
      node,
      `matches() compares a text with a pattern, and this is ${kindOf(typeof subject === "string" ? text : subject)}`,
    );
  const pattern = patterns(text, node);
  meter.charge((subject.length * pattern.size) / 8);
  return pattern.matches(subject);
}

/** Keeps the last pattern: most expressions have one, and it is a literal. */
function createPatternMemory(): Matching["patterns"] {
  let known: { text: string; pattern: Pattern } | undefined;
  return (text, node) => {
    if (known?.text !== text) known = { text, pattern: patternOf(text, node) };
    return known.pattern;
  };
}

function patternOf(text: string, node: CelNode): Pattern {
  const compiled = compilePattern(text);
  if (!compiled.ok) throw failure(node, compiled.problem);
  return compiled.pattern;
}

const MAX_NAMES_SHOWN = 12;

const attributeAccess: Run = (evaluator, node, variables) => {
  const [left, name] = node.args as [CelNode, string];
  return reach({ container: evaluator.run(left, variables), key: name, left, node });
};

const indexAccess: Run = (evaluator, node, variables) => {
  const [left, right] = node.args as [CelNode, CelNode];
  const container = evaluator.run(left, variables);
  return reach({ container, key: evaluator.run(right, variables), left, node });
};

/** CEL's own `has` needs a variable at its root; here the root is mostly `device_state("…")`. */
function hasMacro(argument: CelNode): Macro & { async: boolean } {
  const [left, name] = argument.args as [CelNode, string];
  return {
    async: false,
    typeCheck(checker: TypeChecker, _macro: Macro, variables: unknown) {
      checker.check(left, variables);
      return checker.getType("bool");
    },
    evaluate(evaluator: Evaluator, _macro: Macro, variables: unknown) {
      const container = evaluator.run(left, variables);
      if (!isMap(container)) throw failure(argument, `${sourceOf(left)} is ${kindOf(container)} and has no attributes`);
      return lookUp(container, name) !== undefined;
    },
  };
}

interface Reach {
  container: unknown;
  key: unknown;
  left: CelNode;
  node: CelNode;
}

function reach({ container, key, left, node }: Reach): unknown {
  if (Array.isArray(container)) return item(container, { key, left, node });
  if (!isMap(container)) throw failure(node, `${sourceOf(left)} is ${kindOf(container)} and has no attributes`);
  const value = lookUp(container, key);
  if (value !== undefined) return value;
  throw failure(node, `${sourceOf(left)} has no "${String(key)}"${othersOf(container, String(key))}`);
}

function item(list: readonly unknown[], { key, left, node }: Omit<Reach, "container">): unknown {
  const index = Number(numberIn(key) ?? Number.NaN);
  if (!Number.isInteger(index)) throw failure(node, `${sourceOf(left)} is a list: its items are counted from 0`);
  if (index >= 0 && index < list.length) return list[index];
  const has =
    list.length === 0 ? "is empty" : `has ${list.length} items; ${index} is not one of 0 to ${list.length - 1}`;
  throw failure(node, `${sourceOf(left)} ${has}`);
}

function othersOf(container: CelMap, name: string): string {
  const names = keysOf(container).map(String);
  if (names.length === 0) return " (it is empty)";
  const more = names.length > MAX_NAMES_SHOWN ? ", …" : "";
  return `${didYouMean(name, names)} (it has ${names.slice(0, MAX_NAMES_SHOWN).join(", ")}${more})`;
}

function sourceOf(node: CelNode): string {
  const source = node.input.slice(node.start, node.end);
  return source.length > 60 ? `${source.slice(0, 57)}…` : source;
}
