// The types an input can have: what its declaration may say, the schema of a value for it, and how a written value is read.
import { type TProperties, type TSchema, Type } from "@sinclair/typebox";
import type { Json, JsonObject } from "../../kit/schema/json.ts";
import { parseDuration } from "../../kit/time/duration.ts";
import { days, name as named, text, timeOfDay, YEAR_SECS } from "../model/fields.ts";

export interface InputType {
  /** What a declaration of this type may say beside what all may. */
  readonly fields: TProperties;
  /** JSON Schema of a value, with `x-…` keys for what only editors need. */
  schema(declared: JsonObject): TSchema;
  /** The value as the rule gets it; as it is where absent. */
  read?(value: Json): Json;
  /** What the schema cannot say. */
  problem?(value: Json, declared: JsonObject): string | undefined;
  /** A value to try the blueprint with. */
  sample(declared: JsonObject): Json;
}

const words = (description: string) =>
  Type.Optional(
    Type.Union(
      [text(description, { maxLength: 100 }), Type.Array(text(description, { maxLength: 100 }), { maxItems: 20 })],
      {
        problem: "must be a text, or a list of texts",
        description,
      },
    ),
  );
const deviceFields = {
  device_type: words("Only devices of this type, or of one of these; an editor offers no others"),
  attribute: words("Only devices with this attribute, or with one of these; an editor offers no others"),
};
const limit = (description: string) => Type.Optional(Type.Number({ description }));

const listOf = (value: unknown): Json[] => (value === undefined ? [] : ([value].flat() as Json[]));

function deviceHints({ device_type, attribute }: JsonObject): object {
  return { "x-device-types": listOf(device_type), "x-device-attributes": listOf(attribute) };
}

function thing(kind: "area" | "mode" | "scene" | "channel", what: string): InputType {
  return { fields: {}, schema: () => named(kind, what), sample: () => `a ${kind}` };
}

const device: InputType = {
  fields: deviceFields,
  schema: (declared) => ({ ...named("device", "The id of a device"), ...deviceHints(declared) }),
  sample: () => "a_device",
};

const devices: InputType = {
  fields: deviceFields,
  schema: (declared) =>
    Type.Array(named("device", "The id of a device"), {
      ...{ minItems: 1, maxItems: 100, uniqueItems: true },
      ...{ problem: "must be a list of ids of devices, each once", ...deviceHints(declared) },
    }),
  sample: () => ["a_device", "another_device"],
};

const number: InputType = {
  fields: {
    min: limit("The smallest value"),
    max: limit("The largest value"),
    step: Type.Optional(Type.Number({ exclusiveMinimum: 0, description: "Only multiples of this" })),
    unit: Type.Optional(text("Its unit, for people", { maxLength: 20 })),
  },
  schema: ({ min, max, step, unit }) =>
    Type.Number({
      ...(typeof min === "number" && { minimum: min }),
      ...(typeof max === "number" && { maximum: max }),
      ...(step !== undefined && { "x-step": step }),
      ...(unit !== undefined && { "x-unit": unit }),
    }),
  problem(value, { step, min = 0 }) {
    if (typeof value !== "number" || typeof step !== "number") return undefined;
    const steps = (value - Number(min)) / step;
    return Math.abs(steps - Math.round(steps)) < 1e-6 ? undefined : `must be in steps of ${step}`;
  },
  sample: ({ min, max }) => Number(min ?? max ?? 1),
};

const writtenText = (maxLength: Json | undefined) =>
  Type.String({ minLength: 1, maxLength: Number(maxLength ?? 2000) });
const textFields = {
  max_length: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 10_000, description: "The most characters it may have" }),
  ),
};
const plainText: InputType = {
  fields: textFields,
  schema: ({ max_length }) => writtenText(max_length),
  // Longer than a secret has to be.
  sample: ({ max_length }) => "a text as people write it".slice(0, Number(max_length ?? 2000)),
};

const MAX_DURATION = YEAR_SECS;

/** Seconds, of a number or a text such as `5m`; undefined for what is no duration. */
function durationSecs(value: Json): number | undefined {
  if (typeof value === "string") return parseDuration(value);
  return typeof value === "number" && value >= 0 ? value : undefined;
}

const duration: InputType = {
  fields: {
    min: Type.Optional(durationField("The shortest")),
    max: Type.Optional(durationField("The longest")),
  },
  schema: ({ min, max }) =>
    Type.Union([Type.Number(), Type.String()], {
      "x-duration": true,
      problem: 'must be a duration such as "5m" or "1h30m", or a number of seconds',
      ...(min !== undefined && { "x-min-secs": durationSecs(min) ?? 0 }),
      ...(max !== undefined && { "x-max-secs": durationSecs(max) ?? MAX_DURATION }),
    }),
  read: (value) => durationSecs(value) ?? value,
  problem(value, { min = 0, max = MAX_DURATION }) {
    const secs = durationSecs(value);
    if (secs === undefined) return 'must be a duration such as "5m" or "1h30m", or a number of seconds';
    const isWithin = secs >= (durationSecs(min) ?? 0) && secs <= (durationSecs(max) ?? MAX_DURATION);
    return isWithin ? undefined : `must be from ${min} to ${max === MAX_DURATION ? "366d" : max}`;
  },
  sample: ({ min, max }) => min ?? max ?? 60,
};

function durationField(description: string) {
  return Type.Union([Type.Number(), Type.String({ maxLength: 50 })], {
    description,
    problem: 'must be a duration such as "5m", or a number of seconds',
  });
}

const Option = Type.Object(
  { value: text("What the rule gets", { maxLength: 200 }), name: text("What people read", { maxLength: 200 }) },
  { additionalProperties: false },
);
const choice: InputType = {
  fields: {
    options: Type.Array(Type.Union([text("A text", { maxLength: 200 }), Option]), {
      ...{ minItems: 1, maxItems: 30, description: "What can be chosen: texts, or each with `value` and `name`" },
    }),
  },
  schema: ({ options }) =>
    Type.Union(
      optionsOf(options).map(({ value, name }) => Type.Literal(value, { title: name })),
      {
        expected: `one of ${optionsOf(options)
          .map(({ value }) => JSON.stringify(value))
          .join(", ")}`,
      },
    ),
  sample: ({ options }) => optionsOf(options)[0]?.value ?? "",
};

/** The options of a choice, each with its name. */
export function optionsOf(options: Json | undefined): { value: string; name: string }[] {
  return listOf(options).map((option) =>
    typeof option === "string" ? { value: option, name: option } : (option as { value: string; name: string }),
  );
}

/** By the `type` of a declaration. */
export const inputTypes: Readonly<Record<string, InputType>> = {
  device,
  devices,
  area: thing("area", "The name of an area"),
  mode: thing("mode", "The id of a mode"),
  scene: thing("scene", "The id of a scene"),
  channel: thing("channel", "The name of a channel for messages"),
  number,
  duration,
  time: { fields: {}, schema: () => timeOfDay("`HH:MM` or `HH:MM:SS`"), sample: () => "12:00" },
  weekdays: { fields: {}, schema: () => days, sample: () => ["mon"] },
  boolean: { fields: {}, schema: () => Type.Boolean(), sample: () => true },
  choice,
  text: plainText,
  message: plainText,
};
