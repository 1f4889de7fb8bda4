// What rules can contain, for editors and for the RON parser: JSON Schemas of the rule and of each trigger, condition and
// action, made from the definitions.
import type { TSchema } from "@sinclair/typebox";
import { isObject, type Json, type JsonObject } from "../../kit/schema/json.ts";
import { DURATION_PATTERN } from "../../kit/time/duration.ts";
import { lazy } from "../../kit/time/lazy.ts";
import { DURATION, type Kind, kindOfChild } from "../model/fields.ts";
import { type RuleShape, WRAPPERS } from "../parse/shape.ts";
import { Rule } from "./rule.ts";
import { type Member, members, TYPE_ALIASES } from "./schemas.ts";

export interface Word {
  type: string;
  doc: string;
  /** JSON Schema. For inner conditions and actions, `$ref` points into `$defs` of the rule's schema. */
  schema: JsonObject;
}

export interface Vocabulary {
  triggers: Word[];
  conditions: Word[];
  actions: Word[];
  /** JSON Schema of a rule, with `$defs` for `trigger`, `condition` and `action`. */
  rule: JsonObject;
}

export function vocabulary(): Vocabulary {
  const words = (kind: Kind): Word[] =>
    [...members[kind].values()].map(({ type, doc, schema }) => ({ type, doc, schema: jsonSchema(schema) }));
  const [triggers, conditions, actions] = [words("trigger"), words("condition"), words("action")];
  const $defs = { trigger: oneOf(triggers), condition: oneOf(conditions), action: oneOf(actions) };
  const rule: JsonObject = { $schema: "https://json-schema.org/draft/2020-12/schema", ...jsonSchema(Rule), $defs };
  return { triggers, conditions, actions, rule };
}

function oneOf(words: readonly Word[]): JsonObject {
  return { oneOf: words.map(({ schema }) => schema) };
}

function jsonSchema(schema: TSchema): JsonObject {
  return asWritten(JSON.parse(JSON.stringify(schema)) as JsonObject) as JsonObject;
}

/**
 * TypeBox describes the value after reading: fields with a default are required, and durations are numbers. In a file the
 * former are optional, and the latter may be texts.
 */
function asWritten(schema: Json): Json {
  if (Array.isArray(schema)) return schema.map(asWritten);
  if (!isObject(schema)) return schema;
  const changed = Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, asWritten(value)]));
  if (changed[DURATION] === true)
    return { ...changed, type: [String(changed.type), "string"], pattern: DURATION_PATTERN };
  const { properties, required } = changed;
  if (!isObject(properties) || !Array.isArray(required)) return changed;
  const needed = required.filter((key) => {
    const property = properties[String(key)];
    return !isObject(property) || !Object.hasOwn(property, "default");
  });
  return { ...changed, required: needed };
}

/**
 * What the RON parser needs to know. A value in parentheses without a key is the first field: `Delay(5)`. Made when the first text is
 * read: it takes 5 ms, and a start hands it on before.
 */
export function ruleShape(): RuleShape {
  const made = lazy(shapeOfRules);
  return {
    get variants() {
      return made().variants;
    },
    get branches() {
      return made().branches;
    },
    get contents() {
      return made().contents;
    },
  };
}

function shapeOfRules(): RuleShape {
  const all = [...Object.values(members)].flatMap((kind) => [...kind.values()]);
  const own = (member: Member): [string, TSchema][] =>
    Object.entries(member.schema.properties).filter(([key]) => !COMMON.has(key));
  const fields = [...Object.entries(Rule.properties), ...all.flatMap(own)];
  const contents = all.flatMap((member): [string, string][] => {
    const [first] = own(member);
    return first ? [[member.type, first[0]]] : [];
  });
  const aliased = [...TYPE_ALIASES].flatMap(([alias, type]): [string, string][] =>
    contents.filter(([of]) => of === type).map(([, key]) => [alias, key]),
  );
  return {
    variants: new Set([
      ...WRAPPERS.values(),
      ...fields.filter(([, schema]) => holdsChildren(schema)).map(([key]) => key),
    ]),
    branches: new Set(fields.filter(([, schema]) => holdsBranches(schema)).map(([key]) => key)),
    contents: new Map([...contents, ...aliased]),
  };
}

const COMMON: ReadonlySet<string> = new Set(["type", "id", "enabled", "comment"]);

function holdsChildren(schema: TSchema): boolean {
  return kindOfChild(schema) !== undefined || (schema.items !== undefined && holdsChildren(schema.items));
}

function holdsBranches({ items }: TSchema): boolean {
  return Object.values((items?.properties ?? {}) as Record<string, TSchema>).some(holdsChildren);
}
