// The configuration as one JSON Schema, from which forms for it are made.
import type { TSchema } from "@sinclair/typebox";
import { isObject, type Json, type JsonObject } from "../../kit/schema/json.ts";
import { kinds } from "../../reach/notify/channels/index.ts";
import { HubConfig } from "./sections.ts";

/** Keywords that only the hub itself reads. */
const OWN_KEYWORDS = new Set(["expected", "problem", "file", "secret"]);

/**
 * The schema of hub.toml: secrets are `writeOnly`, and the entries of `notify.channels` are of one of several kinds, each with
 * the name of its service as `title`.
 */
export function configFormSchema(): JsonObject {
  const whole = plain(HubConfig);
  const channels = memberAt(whole, ["properties", "notify", "properties", "channels"]);
  channels.items = {
    anyOf: kinds.map(({ schema, service, doc }) => ({ ...plain(schema), title: service, description: doc })),
  };
  return whole;
}

function plain(schema: TSchema): JsonObject {
  // TypeBox keeps what it knows besides in symbols, which JSON leaves out.
  return withoutOwn(JSON.parse(JSON.stringify(schema)) as JsonObject) as JsonObject;
}

function withoutOwn(value: Json): Json {
  if (Array.isArray(value)) return value.map(withoutOwn);
  if (!isObject(value)) return value;
  const isSecret = value.secret === true;
  const kept = Object.entries(value).filter(([key, inner]) => !OWN_KEYWORDS.has(key) || isObject(inner));
  return {
    ...Object.fromEntries(kept.map(([key, inner]) => [key, withoutOwn(inner)])),
    ...(isSecret && { writeOnly: true }),
  };
}

function memberAt(schema: JsonObject, path: readonly string[]): JsonObject {
  return path.reduce<JsonObject>((inside, key) => inside[key] as JsonObject, schema);
}
