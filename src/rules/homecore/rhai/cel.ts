// CEL for the tree of a Rhai expression, which gives the same values: what is not there is null and no error, and what cannot
// be compared is not equal, not more and not less.
import { didYouMean } from "../../../kit/schema/did-you-mean.ts";
import { messageOf } from "../../../kit/schema/errors.ts";
import { TIMER_STATES } from "../timer-words.ts";
import { parseRhai } from "./parse.ts";
import { RhaiProblem } from "./tokens.ts";
import type { Cel, CelType, RhaiNode } from "./tree.ts";

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

export interface CelContext {
  /** Functions that stand for something known of the rule. */
  readonly constants: Readonly<Record<string, string>>;
  /** Characters so far: variables that are used often could make a text of any length. */
  written: number;
}

const MAX_WRITTEN = 40_000;
const WEEKDAY = "current_weekday";
const DAYS = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"];
const ORDER: Readonly<Record<string, string>> = {
  ">": "is_above",
  ">=": "is_at_least",
  "<": "is_below",
  "<=": "is_at_most",
};

/** Throws RhaiProblem. */
function celOfNode(context: CelContext, node: RhaiNode): Cel {
  const cel = emit(context, node);
  context.written += cel.text.length;
  if (context.written > MAX_WRITTEN) throw new RhaiProblem(node.at, "is too long");
  return cel;
}

function emit(context: CelContext, node: RhaiNode): Cel {
  const inner = (one: RhaiNode): Cel => celOfNode(context, one);
  switch (node.kind) {
    case "number":
      return { text: literal(node.value, node.fractional), type: node.fractional ? "number" : "whole" };
    case "text":
      return { text: JSON.stringify(node.value), type: "text" };
    case "bool":
      return { text: String(node.value), type: "bool" };
    case "unit":
      return { text: "null", type: "null" };
    case "list":
      return { text: `[${node.items.map((item) => inner(item).text).join(", ")}]`, type: "list" };
    case "call":
      if (node.name === WEEKDAY)
        throw new RhaiProblem(node.at, "`current_weekday()` can only be compared with the name of a day");
      return callCel(node, { ...context, inner });
    case "method":
      if (node.name === "contains") return membership(context, { item: node.args[0], of: node.target, at: node.at });
      return methodCel(node, inner);
    case "member":
      return member(node, inner);
    case "unary": {
      const { text, type } = inner(node.value);
      return node.sign === "!" ? { text: `!${text}`, type: "bool" } : { text: `(-${text})`, type };
    }
    case "binary":
      return binary(context, node);
    case "range":
      throw new RhaiProblem(node.at, "a range can only be used with `in`");
    case "if": {
      const [test, then, otherwise] = [inner(node.test), inner(node.then), inner(node.otherwise)];
      if (then.type === "bool" && otherwise.type === "bool")
        return { text: `(${test.text} ? ${then.text} : ${otherwise.text})`, type: "bool" };
      return { text: `(${test.text} ? dyn(${then.text}) : dyn(${otherwise.text}))`, type: "any" };
    }
  }
}

function literal(value: number, fractional: boolean): string {
  const text = String(value);
  return fractional && Number.isInteger(value) && !text.includes("e") ? `${text}.0` : text;
}

type Of<K extends RhaiNode["kind"]> = RhaiNode & { kind: K };

/** `device_state("x")["on"]` is an attribute of a device, which may be missing as well as the device. */
function member({ target, key }: Of<"member">, inner: (node: RhaiNode) => Cel): Cel {
  const name = inner(key).text;
  const [id] = target.kind === "call" && target.name === "device_state" ? target.args : [];
  const text = id ? `attribute(${inner(id).text}, ${name})` : `get(${inner(target).text}, ${name})`;
  return { text, type: "any" };
}

function binary(context: CelContext, node: Of<"binary">): Cel {
  const { sign, left, right, at } = node;
  if (sign === "in") return membership(context, { item: left, of: right, at });
  if (sign === "!in") return { text: `!${membership(context, { item: left, of: right, at }).text}`, type: "bool" };
  if (sign === "==" || sign === "!=") return equality(context, node);
  const [a, b] = [celOfNode(context, left), celOfNode(context, right)];
  if (sign === "&&" || sign === "||") return { text: `(${a.text} ${sign} ${b.text})`, type: "bool" };
  if (sign === "??") return { text: `(${a.text} == null ? dyn(${b.text}) : dyn(${a.text}))`, type: "any" };
  if (Object.hasOwn(ORDER, sign)) return order(sign, a, b);
  return arithmetic(node, a, b);
}

function order(sign: string, a: Cel, b: Cel): Cel {
  const both = [a.type, b.type];
  const comparable =
    both.every((type) => type === "text") || both.every((type) => type === "whole" || type === "number");
  return { text: comparable ? `(${a.text} ${sign} ${b.text})` : `${ORDER[sign]}(${a.text}, ${b.text})`, type: "bool" };
}

function arithmetic({ sign, at }: Of<"binary">, a: Cel, b: Cel): Cel {
  const types = [a.type, b.type];
  const wholes = types.every((type) => type === "whole");
  // Of two whole numbers Rhai gives a whole one; of a number from outside it is not known here which it is.
  if (sign === "/" && !wholes && !types.includes("number"))
    throw new RhaiProblem(
      at,
      "a division may drop what is behind the point or not: write one number with a point, such as 2.0",
    );
  const type = wholes ? "whole" : types.includes("number") ? "number" : "any";
  return { text: `(${a.text} ${sign} ${b.text})`, type };
}

function equality(context: CelContext, node: Of<"binary">): Cel {
  const [left, right] = sides(node.left, node.right);
  const [a, b] = [celOfNode(context, left), celOfNode(context, right)];
  const [x, y] = [kindOf(a.type), kindOf(b.type)];
  if (x !== y && x !== "any" && y !== "any") return { text: String(node.sign === "!="), type: "bool" };
  return { text: `(${a.text} ${node.sign} ${b.text})`, type: "bool" };
}

function kindOf(type: CelType): CelType {
  return type === "whole" ? "number" : type;
}

/** The same with what the words of one side mean here, where the other side says what they are about. */
function sides(left: RhaiNode, right: RhaiNode): [RhaiNode, RhaiNode] {
  if (isWeekday(left)) return [weekdayNumber(left), meant(left, right)];
  if (isWeekday(right)) return [meant(right, left), weekdayNumber(right)];
  return [meant(right, left), meant(left, right)];
}

function isWeekday(node: RhaiNode): boolean {
  return node.kind === "call" && node.name === WEEKDAY;
}

/** As CEL has it. */
function weekdayNumber({ at }: RhaiNode): RhaiNode {
  return { kind: "call", name: `${WEEKDAY}()`, args: [], at };
}

/** A word, or each of a list, as it is called here. */
function meant(about: RhaiNode, node: RhaiNode): RhaiNode {
  if (node.kind === "list") return { ...node, items: node.items.map((item) => meant(about, item)) };
  if (isWeekday(about)) return dayNumber(node);
  if (node.kind !== "text") return node;
  if (isTimerState(about)) return { ...node, value: TIMER_STATES.get(node.value) ?? node.value };
  const isKind = about.kind === "call" && about.name === "trigger_change_kind";
  return isKind && node.value === "homecore" ? { ...node, value: "hub" } : node;
}

function isTimerState(node: RhaiNode): boolean {
  if (node.kind !== "member" || node.key.kind !== "text" || node.key.value !== "state") return false;
  const { target } = node;
  const [id] = target.kind === "call" && target.name === "device_state" ? target.args : [];
  return id?.kind === "text" && id.value.startsWith("timer_");
}

function dayNumber(node: RhaiNode): RhaiNode {
  if (node.kind !== "text")
    throw new RhaiProblem(node.at, "`current_weekday()` is the name of a day: compare it with one");
  const word = node.value.toLowerCase();
  const index = word.length < 3 ? -1 : DAYS.findIndex((day) => day === word || day.slice(0, 3) === word);
  if (index < 0) throw new RhaiProblem(node.at, `"${node.value}" is no day: write "Monday" or "Mon"`);
  return { kind: "number", value: index + 1, fractional: false, at: node.at };
}

interface Membership {
  item: RhaiNode | undefined;
  of: RhaiNode;
  at: number;
}

/** `x in 6..22`, `x in [1, 2]`, `[1, 2].contains(x)`, `"a" in text`. */
function membership(context: CelContext, { item, of, at }: Membership): Cel {
  if (item === undefined) throw new RhaiProblem(at, "`contains` takes one value");
  if (of.kind === "range") {
    const upper = of.inclusive ? "<=" : "<";
    const bounds = (sign: string, limit: RhaiNode): string =>
      order(sign, celOfNode(context, item), celOfNode(context, limit)).text;
    return { text: `(${bounds(">=", of.from)} && ${bounds(upper, of.to)})`, type: "bool" };
  }
  const one = celOfNode(context, isWeekday(item) ? weekdayNumber(item) : item).text;
  const many = celOfNode(context, meant(item, of));
  if (many.type === "list") return { text: `(${one} in ${many.text})`, type: "bool" };
  return { text: `is_in(${one}, ${many.text})`, type: "bool" };
}

type Inner = (node: RhaiNode) => Cel;

/** Without arguments, and the same in both. */
const READS: Readonly<Record<string, CelType>> = {
  current_hour: "whole",
  current_minute: "whole",
  trigger_value: "any",
  trigger_prev_value: "any",
  trigger_extra: "any",
  trigger_device: "text",
  trigger_attribute: "text",
  trigger_change_kind: "text",
  trigger_change_source: "text",
  trigger_change_actor_id: "text",
  trigger_change_actor_name: "text",
  trigger_correlation_id: "text",
};
const KNOWN = [...Object.keys(READS), "current_weekday", "device_state", "hub_var", "rule_var"];

function callCel(
  { name, args, at }: Of<"call">,
  { constants, inner }: { constants: Readonly<Record<string, string>>; inner: Inner },
): Cel {
  // What was translated already.
  if (name.endsWith("()")) return { text: name, type: "whole" };
  const constant = Object.hasOwn(constants, name) ? constants[name] : undefined;
  if (constant !== undefined || Object.hasOwn(READS, name)) {
    if (args.length > 0) throw new RhaiProblem(at, `\`${name}()\` takes nothing in its parentheses`);
    return { text: constant ?? `${name}()`, type: constant === undefined ? (READS[name] ?? "any") : "text" };
  }
  const [argument, ...more] = args;
  if (!["device_state", "hub_var", "rule_var"].includes(name)) {
    const known = [...KNOWN, ...Object.keys(constants)];
    throw new RhaiProblem(at, `there is no function \`${name}()\` in rules${didYouMean(name, known)}`);
  }
  if (argument === undefined || more.length > 0) throw new RhaiProblem(at, `\`${name}()\` takes one text`);
  const text = inner(argument).text;
  if (name === "device_state") return { text: `attributes(${text})`, type: "any" };
  return { text: name === "hub_var" ? `hub_var(${text}, null)` : `rule_var(${text})`, type: "any" };
}

/** Name → CEL, and how many arguments. */
const METHODS: Readonly<
  Record<string, { type: CelType; args: number; cel(target: string, argument: string): string }>
> = {
  starts_with: { type: "bool", args: 1, cel: (target, argument) => `string(${target}).startsWith(${argument})` },
  ends_with: { type: "bool", args: 1, cel: (target, argument) => `string(${target}).endsWith(${argument})` },
  len: { type: "whole", args: 0, cel: (target) => `size(${target})` },
  is_empty: { type: "bool", args: 0, cel: (target) => `(size(${target}) == 0)` },
};

function methodCel({ target, name, args, at }: Of<"method">, inner: Inner): Cel {
  const method = Object.hasOwn(METHODS, name) ? METHODS[name] : undefined;
  if (!method) {
    const known = ["contains", ...Object.keys(METHODS)];
    throw new RhaiProblem(
      at,
      `\`.${name}()\` cannot be translated${didYouMean(name, known)}; there are ${known.join(", ")}`,
    );
  }
  if (args.length !== method.args)
    throw new RhaiProblem(at, `\`.${name}()\` has ${args.length} values in its parentheses`);
  const argument = args[0] ? inner(args[0]).text : "";
  return { text: method.cel(inner(target).text, argument), type: method.type };
}
