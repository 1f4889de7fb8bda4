// A template of a device, compiled: the Jinja subset that devices use, without any way out. A plain pick of a value is a path and
// keeps its JSON type; everything else makes a text.
import { parse } from "@huggingface/jinja";
import { messageOf } from "../../core/errors.ts";
import type { Json, JsonObject } from "../../core/json.ts";
import { evaluate, type Meter } from "./evaluate.ts";
import { FILTERS } from "./filters.ts";
import { FUNCTIONS } from "./functions.ts";
import { fromJsonText } from "./json-text.ts";
import { METHOD_NAMES } from "./methods.ts";
import { describe, type Node, nameOfCall } from "./nodes.ts";
import { TESTS } from "./tests.ts";
import { type HouseTime, TIME_FILTERS, TIME_FUNCTIONS } from "./time.ts";
import { tokensOf } from "./tokens.ts";
import { fromJson, TemplateError, type Value } from "./values.ts";

export type { HouseTime } from "./time.ts";
export { TemplateError } from "./values.ts";

export interface Template {
  /** Names picked of `value_json`, where the template is no more than that. */
  readonly path: readonly string[] | undefined;
  /**
   * Of a received message. A pick keeps its type and is undefined where the message has no such value; any other template makes a
   * text without white space around it. Throws TemplateError where a value is missing: what was known then stays.
   */
  read(message: Message): Json | undefined;
  /** A text from named values, as for a command. Throws TemplateError. */
  write(values: Readonly<Record<string, Json>>): string;
}

/** What arrived, and what it is as JSON; undefined where it is none. */
export interface Message {
  text: string;
  json: Json | undefined;
}

export interface Engine {
  /** The same text is compiled once. Throws TemplateError with what is not supported. */
  compile(text: string): Template;
  /** Bounds what all templates that `work` uses take together, such as those that read one message. */
  within<T>(steps: number, work: () => T, onOver: () => void): T;
}

const LONGEST_TEMPLATE = 16_384;
const DEEPEST = 50;
const MOST_CACHED = 10_000;
const LONGEST_MESSAGE = 65_536;

/** `time`: what it is when a template is worked out. */
export function createTemplateEngine(time: () => HouseTime): Engine {
  const cache = new Map<string, Template>();
  // All templates of a device read the same message. What they get of it cannot be changed.
  const read = new WeakMap<Message, Value>();
  const meter: Meter = { steps: 0, most: Number.POSITIVE_INFINITY };

  function valuesIn(message: Message): Value {
    const known = read.get(message);
    if (known !== undefined) return known;
    const values = fromJsonText(message.text);
    read.set(message, values);
    return values;
  }

  return {
    within(steps, work, onOver) {
      meter.most = meter.steps + steps;
      try {
        return work();
      } finally {
        if (meter.steps > meter.most) onOver();
        meter.most = Number.POSITIVE_INFINITY;
      }
    },
    compile(text) {
      const known = cache.get(text);
      if (known) return known;
      const made = compileTemplate(text, { time, valuesIn, meter });
      if (cache.size >= MOST_CACHED) cache.clear();
      cache.set(text, made);
      return made;
    },
  };
}

function compileTemplate(
  text: string,
  { time, valuesIn, meter }: { time: () => HouseTime; valuesIn: (message: Message) => Value; meter: Meter },
): Template {
  if (text.length > LONGEST_TEMPLATE) throw new TemplateError(`it is longer than ${LONGEST_TEMPLATE} characters`);
  const body = parsed(text);
  for (const node of body) check(node, 0);
  const path = pathOf(body);
  return {
    path,
    read(message) {
      if (path) return pick(message.json, path);
      if (message.text.length > LONGEST_MESSAGE)
        throw new TemplateError(`the message is longer than ${LONGEST_MESSAGE} characters`);
      const context = new Map<string, Value>([["value", message.text]]);
      if (message.json !== undefined) context.set("value_json", valuesIn(message));
      return evaluate(body, context, { time: time(), meter }).trim();
    },
    write: (values) =>
      evaluate(body, new Map(Object.entries(values).map(([name, value]) => [name, fromJson(value)])), {
        ...{ time: time(), meter },
      }).trim(),
  };
}

function parsed(text: string): Node[] {
  try {
    return parse(tokensOf(text) as Parameters<typeof parse>[0]).body as unknown as Node[];
  } catch (error) {
    throw new TemplateError(`it cannot be read: ${messageOf(error)}`);
  }
}

/** What no message can make work is refused before any comes. */
function check(node: unknown, depth: number): void {
  if (depth > DEEPEST) throw new TemplateError(`it is nested deeper than ${DEEPEST}`);
  if (Array.isArray(node)) for (const one of node) check(one, depth);
  else if (node instanceof Map) for (const pair of node) check(pair, depth);
  else if (typeof node === "object" && node !== null && "type" in node) {
    refuse(node as Node);
    for (const [key, part] of Object.entries(node)) {
      const isName = key === "property" && "computed" in node && node.computed === false;
      if (key !== "operator" && !isName && !(key === "key" && node.type === "KeywordArgumentExpression"))
        check(part, depth + 1);
    }
  }
}

const SUPPORTED: ReadonlySet<string> = new Set<string>([
  ...["If", "For", "Set", "Comment", "Break", "Continue", "FilterStatement", "MemberExpression", "CallExpression"],
  ...["Identifier", "IntegerLiteral", "FloatLiteral", "StringLiteral", "ArrayLiteral", "TupleLiteral", "ObjectLiteral"],
  ...["BinaryExpression", "UnaryExpression", "FilterExpression", "SelectExpression", "TestExpression"],
  ...["SliceExpression", "KeywordArgumentExpression", "Ternary"],
]);

function refuse(node: Node): void {
  if (!SUPPORTED.has(node.type)) throw new TemplateError(`${node.type.toLowerCase()} is not supported`);
  if (node.type === "FilterExpression") {
    const name = node.filter.type === "Identifier" ? node.filter.value : nameOfCall(node.filter);
    if (!FILTERS[name] && !TIME_FILTERS[name]) throw new TemplateError(`the filter "${name}" is not supported`);
  }
  if (node.type === "TestExpression" && !TESTS[node.test.value])
    throw new TemplateError(`the test "${node.test.value}" is not supported`);
  if (node.type === "CallExpression") refuseCall(node.callee);
  if (node.type === "Identifier" && FOREIGN.has(node.value))
    throw new TemplateError(`"${node.value}" is not supported: it is of Home Assistant itself`);
}

// What only Home Assistant can answer.
const FOREIGN: ReadonlySet<string> = new Set(["this", "entity_id", "states", "state_attr"]);

function refuseCall(callee: Node): void {
  if (callee.type === "Identifier") {
    // Filters with arguments are calls as well.
    const { value: name } = callee;
    if (!FUNCTIONS.has(name) && !FILTERS[name] && !TIME_FILTERS[name] && !TIME_FUNCTIONS[name])
      throw new TemplateError(`the function ${name}() is not supported`);
  } else if (callee.type === "MemberExpression" && callee.property.type === "Identifier" && !callee.computed) {
    if (!METHOD_NAMES.has(callee.property.value)) throw new TemplateError(`${describe(callee)}() is not supported`);
  } else throw new TemplateError("such a call is not supported");
}

/** `{{ value_json.a["b"] }}`, and nothing around it. */
function pathOf(body: readonly Node[]): string[] | undefined {
  const [only, ...more] = body;
  return only && more.length === 0 ? namesIn(unshortened(only)) : undefined;
}

/** Without the filters that fit a value into Home Assistant's 255 characters: here it is kept as it is. */
function unshortened(node: Node): Node {
  if (node.type !== "FilterExpression") return node;
  const { operand, filter } = node;
  const isShortening = filter.type === "CallExpression" && nameOfCall(filter) === "truncate";
  return isShortening && operand.type === "FilterExpression" ? withoutDefault(operand) : node;
}

function withoutDefault(node: Node): Node {
  if (node.type !== "FilterExpression") return node;
  const name = node.filter.type === "Identifier" ? node.filter.value : nameOfCall(node.filter);
  return ["string", "default"].includes(name) ? withoutDefault(node.operand) : node;
}

function namesIn(node: Node): string[] | undefined {
  if (node.type === "Identifier") return node.value === "value_json" ? [] : undefined;
  if (node.type !== "MemberExpression") return undefined;
  const { object, property, computed } = node;
  const name =
    property.type === (computed ? "StringLiteral" : "Identifier") ? (property as { value: string }).value : undefined;
  const before = name === undefined ? undefined : namesIn(object);
  return before && name !== undefined ? [...before, name] : undefined;
}

function pick(json: Json | undefined, path: readonly string[]): Json | undefined {
  let found: Json | undefined = json;
  for (const name of path) {
    const held = found as JsonObject | null | undefined;
    if (typeof held !== "object" || held === null || Array.isArray(held)) return undefined;
    found = Object.hasOwn(held, name) ? held[name] : undefined;
  }
  return found;
}
