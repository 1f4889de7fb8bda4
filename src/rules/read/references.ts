// What a rule names: devices, modes, scenes, channels and other rules; and which of its values are secrets.
import type { Static, TSchema } from "@sinclair/typebox";
import { isObject, type JsonObject } from "../../kit/schema/json.ts";
import { MASK, masked } from "../../kit/text/masking.ts";
import { KEYS_NAME, kindOfChild, NAMES, type Named, wordsOf } from "../model/fields.ts";
import { Rule } from "./rule.ts";
import { members } from "./schemas.ts";
import { type Place, rewrite, under, walk } from "./walk.ts";

export interface Reference {
  kind: Named;
  name: string;
  /** Dotted path of the key that names it. */
  path: string;
}

/** In the order of the rule, with repetitions. Names in expressions are not included. */
export function referencesOf(rule: Rule): Reference[] {
  const found: Reference[] = [];
  walkRule({ schema: Rule, value: rule, path: "" }, (place) => {
    if (place.schema[NAMES] !== undefined || place.schema[KEYS_NAME] !== undefined) found.push(...named(place));
  });
  return found;
}

/** As `walk`, also into all triggers, conditions and actions. */
function walkRule(place: Place, visit: (place: Place) => void): void {
  walk(place, (at) => {
    const schema = schemaOfChild(at);
    if (schema) walkRule({ ...at, schema }, visit);
    else visit(at);
  });
}

function named({ schema, value, path }: Place): Reference[] {
  // Of a text or a list of texts, the branch is visited as well.
  const isEither = schema.anyOf !== undefined && wordsOf(schema) === undefined;
  const kind: Named | undefined = isEither ? undefined : schema[NAMES];
  if (kind !== undefined && typeof value === "string") return [{ kind, name: value, path }];
  const ofKeys: Named | undefined = schema[KEYS_NAME];
  if (ofKeys === undefined || !isObject(value)) return [];
  return Object.keys(value).map((name) => ({ kind: ofKeys, name, path: under(path, name) }));
}

/** The rule with masked secrets: values that are declared secret, and keys that sound like one. */
export function withoutSecrets(rule: Rule): Rule {
  const declared = rewriteRule({ schema: Rule, value: rule, path: "" }, ({ schema, value }) =>
    schema.writeOnly === true && value !== undefined ? MASK : value,
  ) as Static<typeof Rule>;
  return masked(declared);
}

/** As `rewrite`, also into all triggers, conditions and actions. */
export function rewriteRule(place: Place, change: (place: Place) => unknown): unknown {
  return rewrite(place, (at) => {
    const schema = schemaOfChild(at);
    return schema ? rewriteRule({ ...at, schema }, change) : change(at);
  });
}

function schemaOfChild({ schema, value }: Place): TSchema | undefined {
  const kind = kindOfChild(schema);
  return kind && members[kind].get(String((value as JsonObject).type))?.schema;
}
