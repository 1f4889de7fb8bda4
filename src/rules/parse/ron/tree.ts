// What a RON text says, with the place of everything in it, and the JSON that it means. A struct is an object,
// `Some(x)` is x, a key with `None` is absent. A name is the `type` where something with a type is expected (see
// shape.ts); elsewhere it is a label on its content, as in RON itself, and on its own a text: `op: Gt`. Bytes become
// base64.
import { isObject, type Json, type JsonObject } from "../../../kit/schema/json.ts";
import type { Flaw, Mark } from "../../../kit/schema/text-places.ts";
import { FORBIDDEN_KEYS, type Place, placeUnder, type RuleShape, typeOfName, WRAPPERS } from "../shape.ts";

interface Span {
  /** Offset of the first character. */
  start: number;
  /** Offset after the last one. */
  end: number;
}

export type RonNode = Span &
  (
    | { kind: "unit" }
    | { kind: "bool"; value: boolean }
    /** An integer that JavaScript cannot hold exactly never gets here; `inf` and `NaN` do. */
    | { kind: "number"; value: number }
    /** Texts and single characters. */
    | { kind: "string"; value: string }
    | { kind: "bytes"; value: Uint8Array }
    /** A word on its own: a unit struct or a variant without content. */
    | { kind: "name"; name: string }
    /** `Some(x)`, or `None` when there is no value. */
    | { kind: "option"; value?: RonNode }
    | { kind: "list"; items: RonNode[] }
    | { kind: "map"; entries: RonEntry[] }
    | { kind: "struct"; name?: string; fields: RonField[] }
    /** `trailingComma`: `(5,)` is a tuple of one, `(5)` a value in parentheses. */
    | { kind: "tuple"; name?: string; items: RonNode[]; trailingComma: boolean }
  );

export interface RonField {
  name: string;
  /** Offset of the name. */
  at: number;
  value: RonNode;
}

export interface RonEntry {
  key: RonNode;
  value: RonNode;
}

interface Converted {
  /** Undefined for `None`: there is nothing. */
  value: Json | undefined;
  mark: Mark;
}

interface Context {
  shape: RuleShape;
  flaws: Flaw[];
  wrappers: Set<string>;
}

type Node<K extends RonNode["kind"]> = RonNode & { kind: K };
type Pair = { key: string; at: number; value: RonNode };

export interface JsonTree {
  value: JsonObject;
  mark: Mark;
  flaws: Flaw[];
  /** Names of structs that are not in the value: `Rule`, `RuleAction`, … */
  wrappers: ReadonlySet<string>;
}

/** The rule in the tree. Where there are flaws, the value is not to be used. */
export function toJson(tree: RonNode, shape: RuleShape): JsonTree {
  const context: Context = { shape, flaws: [], wrappers: new Set() };
  const { flaws, wrappers } = context;
  const { value, mark } = convert(context, tree, "rule");
  if (isObject(value)) return { value, mark, flaws, wrappers };
  if (flaws.length === 0)
    flaw(
      context,
      tree.start,
      "a rule is written `(name: …, trigger: …, actions: […])`, with or without `Rule` before it",
    );
  return { value: {}, mark, flaws, wrappers };
}

function convert(context: Context, node: RonNode, place: Place): Converted {
  switch (node.kind) {
    case "unit":
      return scalar(node, place === "rule" ? {} : null);
    case "bool":
    case "string":
      return scalar(node, node.value);
    case "number":
      return number(context, node);
    case "bytes":
      return scalar(node, Buffer.from(node.value).toString("base64"));
    case "name":
      return scalar(node, place === "variant" ? { type: typeOfName(node.name) } : node.name);
    case "option":
      return option(context, node, place);
    case "list":
      return list(context, node, place);
    case "tuple":
      return tuple(context, node, place);
    case "map":
      return object(context, { node, pairs: mapPairs(context, node) }, place);
    case "struct":
      return struct(context, node, place);
  }
}

function flaw({ flaws }: Context, offset: number, message: string): void {
  flaws.push({ offset, message });
}

function scalar({ start, end }: RonNode, value: Json | undefined): Converted {
  return { value, mark: { at: start, start, end } };
}

function number(context: Context, node: Node<"number">): Converted {
  if (!Number.isFinite(node.value)) flaw(context, node.start, "a rule cannot hold `inf` or `NaN`: give a number");
  return scalar(node, node.value);
}

function option(context: Context, node: Node<"option">, place: Place): Converted {
  if (node.value === undefined) return scalar(node, undefined);
  const inner = convert(context, node.value, place);
  return { value: inner.value ?? null, mark: { ...inner.mark, at: node.start } };
}

function list(context: Context, node: RonNode & { items: RonNode[] }, place: Place): Converted {
  if (place === "rule")
    flaw(context, node.start, "a file holds one rule, not a list: write each into a file of its own");
  const items = node.items.map((item) => convert(context, item, place));
  return {
    value: items.map(({ value }) => value ?? null),
    mark: { ...scalar(node, null).mark, items: items.map(({ mark }) => mark) },
  };
}

function tuple(context: Context, node: Node<"tuple">, place: Place): Converted {
  if (node.name !== undefined && place === "variant") return variantTuple(context, { ...node, name: node.name });
  const [first] = node.items;
  const isNewtype = node.items.length === 1 && (node.name !== undefined || !node.trailingComma);
  if (place === "rule" && node.name !== undefined) checkRuleName(context, node.start, node.name);
  return isNewtype && first !== undefined ? within(node, convert(context, first, place)) : list(context, node, place);
}

function within({ start }: RonNode, inner: Converted): Converted {
  return { ...inner, mark: { ...inner.mark, at: start } };
}

/** `Delay(5)`, `Not(Motion)`, `Notify((channel: "log"))`: content without a key, for which there is one or it is merged. */
function variantTuple(context: Context, node: Node<"tuple"> & { name: string }): Converted {
  const type = typeOfName(node.name);
  const key = context.shape.contents.get(type);
  const [first] = node.items;
  const single = node.items.length === 1 && first !== undefined;
  if (single && key === undefined && isAnonymous(first))
    return withType(context, { node, type }, convert(context, first, "branch"));
  const place = key === undefined ? "data" : placeUnder(context.shape, { key, place: "variant" });
  const content = single ? convert(context, first, place) : list(context, node, place);
  const member = {
    value: { [key ?? "value"]: content.value ?? null },
    mark: markOf(node, new Map([[key ?? "value", content.mark]])),
  };
  return withType(context, { node, type }, content.value === undefined ? { ...member, value: {} } : member);
}

function isAnonymous(node: RonNode): boolean {
  return node.kind === "map" || (node.kind === "struct" && node.name === undefined);
}

/** The keys are the mark's own from then on. */
function markOf({ start, end }: RonNode, keys: Map<string, Mark>): Mark {
  return { at: start, start, end, keys };
}

function withType(context: Context, { node, type }: { node: RonNode; type: string }, rest: Converted): Converted {
  const keys = rest.mark.keys ?? new Map<string, Mark>();
  const given = keys.get("type");
  if (given !== undefined)
    flaw(context, given.at, `the name before the parentheses is the type already, "${type}": remove this key`);
  const value = { type, ...(isObject(rest.value) ? rest.value : {}) };
  return { value, mark: markOf(node, keys.set("type", scalar(node, null).mark)) };
}

function struct(context: Context, node: Node<"struct">, place: Place): Converted {
  const pairs = node.fields.map(({ name, at, value }) => ({ key: name, at, value }));
  if (place === "rule" && node.name !== undefined) checkRuleName(context, node.start, node.name);
  const made = object(context, { node, pairs }, place);
  if (place !== "variant") return made;
  const unwrapped = unwrap(context, node, made);
  if (unwrapped !== undefined) return unwrapped;
  return node.name === undefined ? made : withType(context, { node, type: typeOfName(node.name) }, made);
}

function checkRuleName(context: Context, offset: number, name: string): void {
  context.wrappers.add(name);
  if (name !== "Rule")
    flaw(context, offset, `a rule is written \`Rule(…)\` or \`(…)\`, not \`${name.slice(0, 40)}(…)\``);
}

/** `RuleAction(enabled: true, action: Notify(…))`, also without its name, is the notify action with `enabled`. */
function unwrap(context: Context, node: Node<"struct">, { value, mark }: Converted): Converted | undefined {
  if (!isObject(value) || Object.hasOwn(value, "type")) return undefined;
  const wanted = node.name === undefined ? [...WRAPPERS.values()] : [WRAPPERS.get(node.name)];
  const key = wanted.find((candidate) => candidate !== undefined && isObject(value[candidate]));
  const inner = key === undefined ? undefined : value[key];
  if (key === undefined || !isObject(inner)) return undefined;
  if (node.name !== undefined) context.wrappers.add(node.name);
  const innerKeys = mark.keys?.get(key)?.keys ?? new Map<string, Mark>();
  const outer = [...(mark.keys ?? [])].filter(([name]) => name !== key);
  const twice = outer.find(([name]) => innerKeys.has(name));
  if (twice !== undefined)
    flaw(context, twice[1].at, `\`${twice[0]}\` is here and again inside \`${key}\`: keep one of them`);
  const { [key]: _, ...rest } = value;
  return { value: { ...inner, ...rest }, mark: markOf(node, new Map([...innerKeys, ...outer])) };
}

function mapPairs(context: Context, node: Node<"map">): Pair[] {
  return node.entries.flatMap(({ key, value }) => {
    const text = keyText(key);
    if (text !== undefined) return [{ key: text, at: key.start, value }];
    flaw(context, key.start, 'a key is a text here: "name": value');
    return [];
  });
}

function keyText(key: RonNode): string | undefined {
  if (key.kind === "string") return key.value;
  if (key.kind === "name") return key.name;
  return key.kind === "number" || key.kind === "bool" ? String(key.value) : undefined;
}

function object(context: Context, { node, pairs }: { node: RonNode; pairs: Pair[] }, place: Place): Converted {
  const value: JsonObject = {};
  const keys = new Map<string, Mark>();
  for (const { key, at, value: child } of pairs) {
    if (FORBIDDEN_KEYS.has(key)) flaw(context, at, `the key \`${key}\` is not allowed: choose another name`);
    else if (keys.has(key)) flaw(context, at, `\`${key.slice(0, 40)}\` is twice in these brackets: keep one of them`);
    else {
      const made = convert(context, child, placeUnder(context.shape, { key, place }));
      // Nobody else has this mark.
      made.mark.at = at;
      keys.set(key, made.mark);
      if (made.value !== undefined) value[key] = made.value;
    }
  }
  return { value, mark: markOf(node, keys) };
}
