// A template of a device, compiled: the Jinja subset that devices use, without any way out. A plain pick of a value is a path and
// keeps its JSON type; everything else makes a text.
import type { Json, JsonObject } from "../../../kit/schema/json.ts";
import { evaluate, type Meter } from "./evaluate.ts";
import { FILTERS } from "./filters/filters.ts";
import { FUNCTIONS } from "./functions.ts";
import { fromJsonText } from "./json-text.ts";
import { METHOD_NAMES } from "./methods.ts";
import type { Node } from "./syntax/nodes.ts";
import { parse } from "./syntax/statements.ts";
import { TESTS } from "./tests.ts";
import { fromJson, type HouseTime, PyBytes, TemplateError, type Value } from "./values.ts";

export { type HouseTime, TemplateError } from "./values.ts";

export interface Template {
  /** Names picked of `value_json`, where the template is no more than that. */
  readonly path: readonly string[] | undefined;
  /** It names something of what it is for. */
  readonly isAbout: boolean;
  /** The last of them, also where `is_defined` follows. */
  readonly picked: string | undefined;
  /**
   * Of a received message. A pick keeps its type and is undefined where the message has no such value; any other template makes a
   * text without white space around it. Throws TemplateError where a value is missing: what was known then stays.
   */
  read(message: Message, about?: AskAbout): Json | undefined;
  /** A text from named values, as for a command. Throws TemplateError. */
  write(values: Readonly<Record<string, Json>>, about?: AskAbout): string;
}

/** What the template is for: as Home Assistant has them, `this` with its `state` and `attributes`. */
export interface About {
  this: JsonObject;
  entity_id: string;
  name: string | null;
}

/** Asked by templates that name any of it. */
export type AskAbout = () => About;

/** What arrived, and what it is as JSON; undefined where it is none. */
export interface Message {
  text: string;
  json: Json | undefined;
  /** In place of the text, where it is to be none. */
  bytes?: Uint8Array | undefined;
}

export interface Engine {
  /** The same text is compiled once. Throws TemplateError with what is not supported. */
  compile(text: string): Template;
  /** Bounds what all templates that `work` uses take together, such as those that read one message. */
  within<T>(steps: number, work: () => T, onOver: () => void): T;
}

const MAX_TEMPLATE = 16_384;
const MAX_CACHED = 10_000;
const MAX_MESSAGE = 65_536;

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
      if (cache.size >= MAX_CACHED) cache.clear();
      cache.set(text, made);
      return made;
    },
  };
}

function compileTemplate(
  text: string,
  { time, valuesIn, meter }: { time: () => HouseTime; valuesIn: (message: Message) => Value; meter: Meter },
): Template {
  if (text.length > MAX_TEMPLATE) throw new TemplateError(`it is longer than ${MAX_TEMPLATE} characters`);
  const picked = plainPath(text);
  if (picked) return pickOf(picked, (values, about) => compiled(parse(text)).write(values, about));
  return compiled(parse(text));

  function compiled(body: readonly Node[]): Template {
    const nodes = nodesIn(body);
    const own = namesSet(nodes);
    for (const node of nodes) check(node, own);
    const path = pathOf(body);
    const isAbout = nodes.some((one) => one.type === "Name" && ABOUT.has(one.name));
    const contextOf = (values: Iterable<readonly [string, Json]>, about: AskAbout | undefined): Map<string, Value> => {
      const context = new Map<string, Value>();
      if (isAbout && about) for (const [name, value] of Object.entries(about())) context.set(name, fromJson(value));
      for (const [name, value] of values) context.set(name, fromJson(value));
      return context;
    };
    const write: Template["write"] = (values, about) =>
      evaluate(body, contextOf(Object.entries(values), about), { time: time(), meter }).trim();
    if (path) return pickOf(path, write);
    const whole = pathOf(body, withoutIsDefined);
    return {
      ...{ path, picked: whole?.at(-1), isAbout },
      read(message, about) {
        const picked = whole && pick(message.json, whole);
        if (whole && !isComposed(picked)) return picked;
        if (message.text.length > MAX_MESSAGE)
          throw new TemplateError(`the message is longer than ${MAX_MESSAGE} characters`);
        const context = contextOf([["value", message.text]], about);
        if (message.bytes) context.set("value", new PyBytes(message.bytes));
        if (message.json !== undefined) context.set("value_json", valuesIn(message));
        return evaluate(body, context, { time: time(), meter }).trim();
      },
      write,
    };
  }
}

function pickOf(path: readonly string[], write: Template["write"]): Template {
  const [name = ""] = path;
  return {
    ...{ path, picked: path.at(-1), isAbout: false },
    // Nearly all are one name.
    read: path.length === 1 ? ({ json }) => pickOne(json, name) : ({ json }) => pick(json, path),
    write,
  };
}

/** Each node below these, and these. */
function nodesIn(part: unknown, found: Node[] = []): Node[] {
  if (Array.isArray(part)) for (const one of part) nodesIn(one, found);
  else if (typeof part === "object" && part !== null && !(part instanceof Map)) {
    if ("type" in part) found.push(part as Node);
    for (const one of Object.values(part)) nodesIn(one, found);
  }
  return found;
}

// As in About.
const ABOUT: ReadonlySet<string> = new Set(["this", "entity_id", "name"]);

/** What the template itself names. */
function namesSet(nodes: readonly Node[]): ReadonlySet<string> {
  const names = new Set<string>(["loop", "caller", "value", "value_json", ...ABOUT]);
  for (const node of nodes) {
    if (node.type === "Macro") for (const { name } of [node, ...node.parameters]) names.add(name);
    const targets =
      node.type === "Set" || node.type === "SetBlock" || node.type === "For"
        ? [node.target]
        : node.type === "With"
          ? node.names
          : [];
    for (const one of nodesIn(targets)) if (one.type === "Name") names.add(one.name);
  }
  return names;
}

/** What no message can make work is refused before any comes. */
function check(node: Node, own: ReadonlySet<string>): void {
  if (node.type === "Filter" && !FILTERS[node.name])
    throw new TemplateError(`the filter "${node.name}" is not supported`);
  if (node.type === "Test" && !TESTS[node.name]) throw new TemplateError(`the test "${node.name}" is not supported`);
  if (node.type === "Name" && FOREIGN.has(node.name) && !own.has(node.name))
    throw new TemplateError(`"${node.name}" is not supported: it is of Home Assistant itself`);
  if (node.type === "Call") refuseCall(node.callee, own);
}

// What only Home Assistant can answer.
const FOREIGN: ReadonlySet<string> = new Set(["states", "state_attr"]);

function refuseCall(callee: Node, own: ReadonlySet<string>): void {
  if (callee.type === "Name") {
    if (!FUNCTIONS.has(callee.name) && !own.has(callee.name))
      throw new TemplateError(`the function ${callee.name}() is not supported`);
  } else if (callee.type === "Member" && callee.isDot && callee.key.type === "Literal") {
    const name = String(callee.key.value);
    const isMessage = callee.object.type === "Name" && ["value", "value_json"].includes(callee.object.name);
    const isOwn = callee.object.type === "Name" && own.has(callee.object.name);
    if (!METHOD_NAMES.has(name) && !(isOwn && !isMessage)) throw new TemplateError(`.${name}() is not supported`);
  }
}

// Nearly all templates are one, and need no parsing.
const PLAIN = /^\{\{\s*value_json((?:\.[A-Za-z_]\w*|\['[^'\\]*'\]|\["[^"\\]*"\])*)\s*\}\}$/;

function plainPath(text: string): string[] | undefined {
  const [, names] = PLAIN.exec(text) ?? [];
  return names
    ?.matchAll(/\.(\w+)|\['([^']*)'\]|\["([^"]*)"\]/g)
    .map(([, ...all]) => all.find((one) => one !== undefined) ?? "")
    .toArray();
}

/** `{{ value_json.a["b"] }}`, and nothing around it. */
function pathOf(body: readonly Node[], bare: (value: Node) => Node = unshortened): string[] | undefined {
  const [only, ...more] = body;
  return only?.type === "Output" && more.length === 0 ? namesIn(bare(only.value)) : undefined;
}

const withoutIsDefined = (node: Node): Node =>
  node.type === "Filter" && node.name === "is_defined" && node.operand ? node.operand : node;

const isComposed = (value: Json | undefined): boolean => typeof value === "object" && value !== null;

/** Without the filters that fit a value into Home Assistant's 255 characters: here it is kept as it is. */
function unshortened(node: Node): Node {
  const isShortening = node.type === "Filter" && node.name === "truncate" && node.operand?.type === "Filter";
  return isShortening && node.operand ? withoutDefault(node.operand) : node;
}

function withoutDefault(node: Node): Node {
  return node.type === "Filter" && node.operand && ["string", "default"].includes(node.name)
    ? withoutDefault(node.operand)
    : node;
}

function namesIn(node: Node): string[] | undefined {
  if (node.type === "Name") return node.name === "value_json" ? [] : undefined;
  if (node.type !== "Member" || node.key.type !== "Literal" || typeof node.key.value !== "string") return undefined;
  const before = namesIn(node.object);
  return before && [...before, node.key.value];
}

function pick(json: Json | undefined, path: readonly string[]): Json | undefined {
  let found: Json | undefined = json;
  for (const name of path) found = pickOne(found, name);
  return found;
}

function pickOne(json: Json | undefined, name: string): Json | undefined {
  const held = json as JsonObject | null | undefined;
  if (typeof held !== "object" || held === null || Array.isArray(held)) return undefined;
  return Object.hasOwn(held, name) ? held[name] : undefined;
}
