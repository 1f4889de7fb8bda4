// Bounds cel-js's evaluation of a tree: every node is metered, members of values are read in our own way, and what
// could take long (patterns, texts searched in texts) is charged before it runs.
import { EvaluationError } from "@marcbachmann/cel-js";
import { attributeAccess, hasMacro, indexAccess, kindOf } from "./access.ts";
import { type Call, type CelNode, callOf, isBinary, literalText, nodesOf, quantifierOf, type Run } from "./cel-tree.ts";
import type { Meter } from "./meter.ts";
import { compilePattern, type Pattern } from "./pattern.ts";
import { NO_DURATION } from "./wording.ts";

// The time in another zone needs a new formatter each time, which takes as long as hundreds of other nodes.
const ZONED_TIME_STEPS = 500;
// cel-js reads durations with an expression of its own that must not see a long text.
const LONGEST_DURATION = 64;
const COMPARISONS_A_STEP = 256;
// Going through the house takes as long as some dozen nodes, and each device found as long as a few.
const HOUSE_STEPS = 50;
const DEVICE_STEPS = 10;

/** Before type-checking: gives the tree our `has`. Throws an EvaluationError for a literal pattern that is not valid. */
export function prepareTree(root: CelNode): void {
  for (const node of nodesOf(root)) {
    const call = callOf(node);
    const [argument, pattern] = call?.operands ?? [];
    if (call?.name === "has" && !call.isMethod && call.operands.length === 1) {
      if (argument?.op !== ".") throw failure(node, 'has() needs an attribute: has(device_state("id").name)');
      node.setMeta("macro", hasMacro(argument));
    }
    const text = call?.name === "matches" ? literalText(pattern) : undefined;
    if (text !== undefined) patternOf(text, node);
  }
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
  const call = callOf(node);
  if (call) return boundedCall(call, meter);
  return isBinary(node) ? boundedBinary(meter) : evaluate;
}

function boundedBinary(meter: Meter): Run {
  return (evaluator, node, variables) => {
    const [left, right] = node.args as [CelNode, CelNode];
    const a = evaluator.run(left, variables);
    const b = evaluator.run(right, variables);
    meter.weigh(a);
    meter.weigh(b);
    return node.handle(a, b, node, evaluator);
  };
}

function boundedCall({ name, isMethod, operands }: Call, meter: Meter): Run {
  const patterns = createPatternMemory();
  return (evaluator, node, variables) => {
    const values = operands.map((operand) => evaluator.run(operand, variables));
    for (const value of values) meter.weigh(value);
    if (isMethod && name === "matches") return matches(values, { node, meter, patterns });
    bound(name, values, { node, meter });
    const result = isMethod ? node.handle(values, evaluator, node) : node.handle(values, node, evaluator);
    if (name === "devices" && Array.isArray(result)) meter.charge(HOUSE_STEPS + DEVICE_STEPS * result.length);
    return result;
  };
}

function bound(
  name: string,
  [first, second]: readonly unknown[],
  { node, meter }: { node: CelNode; meter: Meter },
): void {
  if (typeof first === "string" && typeof second === "string")
    meter.charge((first.length * second.length) / COMPARISONS_A_STEP);
  if (Array.isArray(first) && typeof second === "string")
    meter.charge((first.length * second.length) / COMPARISONS_A_STEP);
  if (first instanceof Date && typeof second === "string") meter.charge(ZONED_TIME_STEPS);
  if (name === "duration" && typeof first === "string" && first.length > LONGEST_DURATION)
    throw failure(node, NO_DURATION);
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

function failure(node: CelNode, message: string): EvaluationError {
  return new EvaluationError({ code: "refused", message, node: node as never });
}
