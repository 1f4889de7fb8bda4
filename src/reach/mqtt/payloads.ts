// Schemas of what plugins send, and reading payloads. Lenient: unknown keys are allowed, null counts as absent, a wrong type is a
// problem.
import { type Static, type TSchema, Type } from "@sinclair/typebox";
import { TypeCompiler } from "@sinclair/typebox/compiler";
import { isObject, type Json, type JsonObject, parseJson } from "../../kit/schema/json.ts";
import { type Checked, checkValue } from "../../kit/schema/schema.ts";

const Name = Type.String({ maxLength: 1024 });
const AnyObject = Type.Unsafe<JsonObject>(Type.Object({}));

/** `register`: one device. Absent fields keep their value; a name is only needed the first time. */
export const Registration = Type.Object({
  device_id: Type.String({ minLength: 1, maxLength: 255 }),
  plugin_id: Type.Optional(Name),
  name: Type.Optional(Name),
  area: Type.Optional(Name),
  device_type: Type.Optional(Name),
  /** JSON Schema of its attributes. */
  capabilities: Type.Optional(AnyObject),
  manufacturer: Type.Optional(Name),
  model: Type.Optional(Name),
  sw_version: Type.Optional(Name),
  hw_version: Type.Optional(Name),
  serial_number: Type.Optional(Name),
  configuration_url: Type.Optional(Type.String({ maxLength: 1024, pattern: "^https?://" })),
  connections: Type.Optional(Type.Array(Type.Tuple([Name, Name]), { maxItems: 20 })),
  parent_device_id: Type.Optional(Name),
});
export type Registration = Static<typeof Registration>;

export const Unregistration = Type.Object({ device_id: Type.String({ minLength: 1, maxLength: 255 }) });

const Notice = Type.Object({
  level: Type.Union([Type.Literal("info"), Type.Literal("warning"), Type.Literal("error")]),
  code: Type.String(),
  message: Type.String(),
  remedy: Type.Optional(Type.Union([Type.String(), Type.Null()])),
});

export const Heartbeat = Type.Object({
  timestamp: Type.Optional(Type.Union([Type.String(), Type.Number()])),
  version: Type.Optional(Name),
  sdk_version: Type.Optional(Name),
  protocol_version: Type.Optional(Type.Union([Type.String(), Type.Number()])),
  uptime_secs: Type.Optional(Type.Number()),
  device_count: Type.Optional(Type.Number()),
  notices: Type.Optional(Type.Array(Notice, { maxItems: 100 })),
});
export type Heartbeat = Static<typeof Heartbeat>;

export const LogLine = Type.Object({
  level: Type.Optional(Type.String()),
  target: Type.Optional(Type.String()),
  message: Type.String(),
  fields: Type.Optional(AnyObject),
});

export type Read<T> = { ok: true; value: T } | { ok: false; problem: string };

/** A payload that must be a JSON object. */
export function readObject(payload: Uint8Array): Read<JsonObject> {
  const parsed = parseJson(textOf(payload));
  if (!parsed.ok) return parsed;
  return isObject(parsed.value) ? { ok: true, value: parsed.value } : { ok: false, problem: "not a JSON object" };
}

/** A payload that must match a schema. */
export function readMessage<T>(check: (value: unknown) => Checked<T>, payload: Uint8Array): Read<T> {
  const read = readObject(payload);
  if (!read.ok) return read;
  const checked = check(withoutNulls(read.value));
  if (checked.ok) return checked;
  const [first] = checked.problems;
  return { ok: false, problem: first ? `${first.path} ${first.message}`.trim() : "not of the expected form" };
}

/** A compiled check; only a value that fails it is checked again, for the messages. */
export function createCheck<S extends TSchema>(schema: S): (value: unknown) => Checked<Static<S>> {
  const compiled = TypeCompiler.Compile(schema);
  return (value) => (compiled.Check(value) ? { ok: true, value } : checkValue(schema, value));
}

export function textOf(payload: Uint8Array): string {
  const bytes = Buffer.isBuffer(payload)
    ? payload
    : Buffer.from(payload.buffer, payload.byteOffset, payload.byteLength);
  return bytes.toString("utf8");
}

function withoutNulls(object: JsonObject): JsonObject {
  const kept: [string, Json][] = Object.entries(object).filter(([, value]) => value !== null);
  return Object.fromEntries(kept);
}
