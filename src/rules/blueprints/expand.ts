// Makes the rule of a blueprint: every placeholder is replaced by the value of its input, a table with `if_input` is left out
// where that input is not given, and one with `for_each_input` comes once for each item of a list.
import type { TSchema } from "@sinclair/typebox";
import { isObject, type Json, type JsonObject } from "../../kit/schema/json.ts";
import type { Problem } from "../../kit/schema/schema.ts";
import { ALIASES, CEL, kindOfChild, TEMPLATE } from "../model/fields.ts";
import { FORBIDDEN_KEYS } from "../parse/shape.ts";
import { WrittenRule } from "../read/rule.ts";
import { members, TYPE_ALIASES } from "../read/schemas.ts";
import { branchOf, schemaOfKey, under } from "../read/walk.ts";
import { FOR_EACH, INPUT_KEYS, isIncluded } from "./if-input.ts";
import type { BlueprintInput, InputValues } from "./inputs.ts";
import { isQuoted, type Piece, partOfMessage, piecesOf, wholeName } from "./placeholders.ts";

export interface Expanded {
  /** Without `id` and `name`. */
  value: JsonObject;
  /** Paths in the rule whose value an input gave → that input's path: `actions[0].device_id` → `inputs.lamps[0]`. */
  origins: ReadonlyMap<string, string>;
  /** Paths in the rule that are others in the blueprint, since something before them was left out or repeated. */
  moved: ReadonlyMap<string, string>;
  /** Of values that do not go where the blueprint puts them; their paths are those of inputs. */
  problems: Problem[];
}

export interface Expansion {
  rule: JsonObject;
  inputs: readonly BlueprintInput[];
  values: InputValues;
  /** What `${rule.id}` and `${rule.name}` stand for. */
  names: { id: string; name: string };
}

/** Of all texts and values of the rule together. */
const MAX_CHARS = 1024 * 1024;
const MAX_VALUES = 50_000;
const TOO_LARGE = "these inputs make a rule of more than a megabyte: choose fewer devices, or shorter texts";

class TooLarge extends Error {}

interface At {
  schema: TSchema | undefined;
  /** In the rule that is made. */
  path: string;
  /** In the blueprint. */
  source: string;
  values: InputValues;
  /** Paths of items that `for_each_input` has chosen, by input. */
  items: ReadonlyMap<string, string>;
}

/** A value that is left out is undefined. */
export function expand({ rule, inputs, values, names }: Expansion): Expanded {
  const origins = new Map<string, string>();
  const moved = new Map<string, string>();
  const problems: Problem[] = [];
  const messages = new Set(inputs.filter(({ type }) => type === "message").map(({ id }) => id));
  const left = { chars: MAX_CHARS, values: MAX_VALUES };

  function count(value: Json): Json {
    left.values -= Array.isArray(value) ? value.length + 1 : 1;
    left.chars -= typeof value === "string" ? value.length : Array.isArray(value) ? JSON.stringify(value).length : 8;
    if (left.chars < 0 || left.values < 0) throw new TooLarge();
    return value;
  }

  function find(name: string, { values }: At): Insertable {
    if (name === "rule.id") return { value: names.id, isMessage: false };
    if (name === "rule.name") return { value: names.name, isMessage: false };
    return { value: values.get(name), isMessage: messages.has(name) };
  }

  function originOf(name: string, { items }: At): string {
    return items.get(name) ?? (name.startsWith("rule.") ? "use" : `inputs.${name}`);
  }

  function text(written: string, at: At): Json | undefined {
    const pieces = piecesOf(written);
    if (!pieces) return count(written);
    const [first] = pieces.filter((piece): piece is Exclude<Piece, string> => typeof piece === "object");
    if (first) origins.set(at.path, originOf(first.name, at));
    const kind = kindOfText(at.schema ?? ({} as TSchema));
    const misplaced = placeProblem({ kind, text: written, pieces });
    if (misplaced !== undefined) {
      problems.push({ path: at.path, message: misplaced });
      return written;
    }
    const name = wholeName(pieces);
    if (name !== undefined && kind !== "cel") {
      const { value, isMessage } = find(name, at);
      if (value === undefined) return undefined;
      const isSafe = kind !== "message" || isMessage || typeof value !== "string" || !value.includes("{{");
      if (isSafe) return count(withItems(value, at.path));
    }
    const inserted = insert({ kind, text: written, pieces }, (name) => find(name, at));
    if (inserted.ok) return count(inserted.text);
    problems.push({ path: originOf(inserted.name, at), message: inserted.message });
    return undefined;
  }

  /** Each item of a list comes from an item of the input's. */
  function withItems(value: Json, path: string): Json {
    const origin = origins.get(path);
    if (Array.isArray(value) && origin !== undefined) {
      for (const index of value.keys()) origins.set(`${path}[${index}]`, `${origin}[${index}]`);
    }
    return value;
  }

  function list(items: Json[], at: At): Json[] {
    const result: Json[] = [];
    for (const [index, item] of items.entries()) {
      const inner: TSchema | undefined = at.schema?.items;
      for (const turn of turnsOf(item, at)) {
        const path = `${at.path}[${result.length}]`;
        const source = `${at.source}[${index}]`;
        const made = expandValue(item, { ...at, ...turn, schema: inner, path, source });
        if (made === undefined) continue;
        // In a list of ids, a list of ids stands for each of them.
        const spread = typeof item === "string" && Array.isArray(made) ? made : [made];
        if (spread !== made) noteMove(path, source);
        else noteItems(path, { of: at.path, first: result.length, count: spread.length });
        result.push(...spread);
      }
    }
    return result;
  }

  function noteMove(path: string, source: string): void {
    if (path !== source) moved.set(path, source);
  }

  function noteItems(path: string, { of, first, count }: { of: string; first: number; count: number }): void {
    const origin = origins.get(path);
    for (let item = 0; item < count && origin !== undefined; item++)
      origins.set(`${of}[${first + item}]`, `${origin}[${item}]`);
  }

  /** Once, or for each item of the list that `for_each_input` names. */
  function turnsOf(item: Json, { values, items }: At): Pick<At, "values" | "items">[] {
    const name = isObject(item) ? item[FOR_EACH] : undefined;
    if (typeof name !== "string") return [{ values, items }];
    const all = values.get(name);
    return (Array.isArray(all) ? all : []).map((one, index) => ({
      values: new Map([...values, [name, one]]),
      items: new Map([...items, [name, `inputs.${name}[${index}]`]]),
    }));
  }

  function object(value: JsonObject, at: At): JsonObject | undefined {
    if (!isIncluded(value, at.values)) return undefined;
    const schema = objectSchema(at.schema, value);
    const made = new Map<string, Json>();
    for (const [written, item] of Object.entries(value)) {
      if (INPUT_KEYS.has(written)) continue;
      const pieces = piecesOf(written);
      const inserted = pieces ? insert({ kind: "plain", text: written, pieces }, (name) => find(name, at)) : undefined;
      const key = inserted?.ok ? inserted.text : written;
      if (key === "") continue;
      const path = under(at.path, key);
      const source = under(at.source, written);
      const [name] = (pieces ?? []).flatMap((piece) => (typeof piece === "object" ? [piece.name] : []));
      if (name !== undefined) origins.set(path, originOf(name, at));
      if (name !== undefined && (made.has(key) || FORBIDDEN_KEYS.has(key))) {
        problems.push({
          path: originOf(name, at),
          message: `"${key}" cannot be used here twice, or not at all: choose another`,
        });
        continue;
      }
      count(key);
      noteMove(path, source);
      const inner = expandValue(item, { ...at, schema: schema && keySchema(schema, key), path, source });
      if (inner !== undefined) made.set(key, inner);
    }
    return Object.fromEntries(made);
  }

  function expandValue(value: Json, at: At): Json | undefined {
    if (typeof value === "string") return text(value, { ...at, schema: at.schema && branchOf(at.schema, value) });
    if (Array.isArray(value)) return list(value, { ...at, schema: at.schema && branchOf(at.schema, value) });
    return isObject(value) ? object(value, at) : count(value);
  }

  try {
    const value = object(rule, { schema: WrittenRule, path: "", source: "", values, items: new Map() }) ?? {};
    return { value, origins, moved, problems };
  } catch (error) {
    if (!(error instanceof TooLarge)) throw error;
    return { value: {}, origins, moved, problems: [{ path: "inputs", message: TOO_LARGE }] };
  }
}

/** That of its type, for a trigger, a condition or an action. */
function objectSchema(schema: TSchema | undefined, value: JsonObject): TSchema | undefined {
  const kind = schema && kindOfChild(schema);
  if (!kind) return schema && branchOf(schema, value);
  const type = String(value.type);
  return members[kind].get(TYPE_ALIASES.get(type) ?? type)?.schema;
}

function keySchema(schema: TSchema, key: string): TSchema | undefined {
  const known = schemaOfKey(schema, key);
  if (known) return known;
  const fields: TSchema[] = Object.values(schema.properties ?? {});
  return fields.find((field) => (field[ALIASES] as string[] | undefined)?.includes(key));
}

type TextKind = "plain" | "cel" | "message";

interface Placed {
  kind: TextKind;
  /** The text with its placeholders. */
  text: string;
  pieces: readonly Piece[];
}

/** A value, and whether it may hold placeholders of messages. */
interface Insertable {
  /** Undefined for an optional input that is not given. */
  value: Json | undefined;
  isMessage: boolean;
}

type Inserted = { ok: true; text: string } | { ok: false; name: string; message: string };

function kindOfText({ contentMediaType, ...schema }: TSchema): TextKind {
  if (contentMediaType === CEL) return "cel";
  return schema[TEMPLATE] ? "message" : "plain";
}

/** What is wrong with where a placeholder stands. */
function placeProblem({ kind, text, pieces }: Placed): string | undefined {
  if (kind !== "cel") return undefined;
  const quoted = pieces.find((piece) => typeof piece === "object" && isQuoted(text, piece.offset));
  return typeof quoted === "object"
    ? `\${${quoted.name}} stands in quotes: leave the quotes away, in an expression it becomes a text by itself`
    : undefined;
}

function insert({ kind, text, pieces }: Placed, find: (name: string) => Insertable): Inserted {
  let result = "";
  for (const [at, piece] of pieces.entries()) {
    if (typeof piece === "string") {
      result += piece;
      continue;
    }
    const { name, offset } = piece;
    const { value, isMessage } = find(name);
    const part = kind === "message" ? partOfMessage(text, offset) : "text";
    if (kind === "cel" || part === "cel") {
      const literal = celLiteral(value);
      if (part === "cel" && /[{}]/.test(literal)) return { ok: false, name, message: NO_BRACES };
      result += literal;
      continue;
    }
    const shown = plainText(value);
    const next = pieces[at + 1];
    const around = result.slice(-1) + shown + (typeof next === "string" ? next.slice(0, 1) : "");
    if (part === "placeholder" && /[{}]/.test(shown)) return { ok: false, name, message: NO_BRACES };
    if (kind === "message" && !isMessage && around.includes("{{")) return { ok: false, name, message: NO_PLACEHOLDER };
    result += shown;
  }
  return { ok: true, text: result };
}

const NO_BRACES = "must not hold { or }, as it becomes part of a placeholder";
const NO_PLACEHOLDER = "must not hold {{, which begins a placeholder in messages";

/** CEL that gives the value and does nothing else. */
function celLiteral(value: Json | undefined): string {
  if (value === undefined) return "null";
  if (typeof value === "number") return value < 0 ? `(${value})` : String(value);
  if (Array.isArray(value)) return `[${value.map(celLiteral).join(", ")}]`;
  // The escapes of JSON are escapes of CEL.
  return JSON.stringify(value);
}

function plainText(value: Json | undefined): string {
  if (value === undefined || value === null) return "";
  return Array.isArray(value) ? value.map(plainText).join(", ") : String(value);
}
