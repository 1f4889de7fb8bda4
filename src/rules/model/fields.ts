// Fields that triggers, conditions and actions share. Marks in the schemas say which texts are expressions, what a text
// names, and where there are conditions or actions inside. read/walk.ts finds the marks.
import { type SchemaOptions, type TSchema, type TUnsafe, Type } from "@sinclair/typebox";
import type { Json, JsonObject } from "../../kit/schema/json.ts";
import { WEEKDAYS } from "../schedule/cron.ts";
import type { Typed } from "./define.ts";
import { oncePerSchema } from "./once-per-schema.ts";

export type Kind = "trigger" | "condition" | "action";
/** What a text can name. Moments of the sun have fixed names and need the `location` of the house. */
export type Named = "device" | "area" | "tag" | "device_type" | "mode" | "scene" | "channel" | "rule" | "location";

/** Marks an expression. */
export const CEL = "application/cel";
/** Marks a text that names something. */
export const NAMES = "x-names";
/** Marks a table whose keys name something. */
export const KEYS_NAME = "x-keys-name";
/** Marks the name of an attribute of the device next to it. */
export const ATTRIBUTE = "x-attribute";
/** Marks a table whose keys are attributes of the device next to it. */
export const ATTRIBUTES = "x-attributes";
/** A field with where a picture is: it may name a device and its attribute. */
export const IMAGE = "x-image";
/** Marks a text with placeholders. */
export const TEMPLATE = "x-template";
/** Marks any JSON whose texts may have placeholders. */
export const TEMPLATES = "x-templates";
/** Other names under which a field is read. */
export const ALIASES = "x-aliases";
/** Other ways to write a choice. */
export const SPELLINGS = "x-spellings";
/** Marks a number of seconds, which may be written as a duration such as `5m`. */
export const DURATION = "x-duration";

const MAX_NAME_CHARS = 255;
const MAX_TEXT_CHARS = 10_000;
const MAX_EXPRESSION_CHARS = 4000;
const MAX_DEVICES = 500;
export const YEAR_SECS = 366 * 86_400;

const refOf = (kind: Kind): string => `#/$defs/${kind}`;

/** A place for a trigger, condition or action. Its own schema checks it, not the outer one. */
export function child(kind: Kind): TUnsafe<Typed> {
  return Type.Unsafe<Typed>(Type.Unknown({ $ref: refOf(kind) }));
}

const CHILDREN: ReadonlyMap<string, Kind> = new Map(
  (["trigger", "condition", "action"] as const).map((kind) => [refOf(kind), kind]),
);

export function kindOfChild({ $ref }: TSchema): Kind | undefined {
  return $ref === undefined ? undefined : CHILDREN.get($ref);
}

/** A text that names something of the house. That need not exist yet. */
export function name(names: Named, description: string) {
  return Type.String({ minLength: 1, maxLength: MAX_NAME_CHARS, [NAMES]: names, description });
}

export const deviceId = name("device", "The id of the device");
const deviceIds = Type.Array(deviceId, {
  minItems: 1,
  maxItems: MAX_DEVICES,
  description: "The ids of several devices, instead of `device_id`",
});

function oneOrMore(names: Named, description: string) {
  const one = name(names, description);
  return Type.Optional(
    Type.Union([one, Type.Array(one, { minItems: 1, maxItems: 100 })], {
      [NAMES]: names,
      description: `${description}; or a list of which any will do`,
      expected: "a text or a list of texts",
    }),
  );
}

/** One device, several, or those that are found. model/targets.ts checks and resolves them. */
export const someDevices = {
  device_id: Type.Optional(deviceId),
  device_ids: Type.Optional(deviceIds),
  area: oneOrMore("area", "All devices in this area, instead of ids"),
  tag: oneOrMore("tag", "All devices with this tag; with `area` or `device_type`, those that fit all"),
  device_type: oneOrMore(
    "device_type",
    "All devices of this type, such as light; with `area` or `tag`, those that fit all",
  ),
};

export const attribute = Type.String({
  minLength: 1,
  maxLength: MAX_NAME_CHARS,
  [ATTRIBUTE]: true,
  description: "The name of the device's attribute",
});

export function text(description: string, options: SchemaOptions & { minLength?: number; maxLength?: number } = {}) {
  return Type.String({ minLength: 1, maxLength: MAX_TEXT_CHARS, description, ...options });
}

export function json(description: string, options: SchemaOptions = {}): TUnsafe<Json> {
  return Type.Unsafe<Json>(Type.Unknown({ description, expected: "any value", ...options }));
}

export function table(description: string, options: SchemaOptions = {}): TUnsafe<JsonObject> {
  return Type.Unsafe<JsonObject>(Type.Record(Type.String(), Type.Unknown(), { description, ...options }));
}

/** The wanted state of a device: attributes, or a command. */
export function wantedState(description: string): TUnsafe<JsonObject> {
  const problem = "must be a table with at least one attribute, or with a `command`";
  return table(description, { minProperties: 1, problem, [ATTRIBUTES]: true });
}

export function expression(description: string, options: SchemaOptions = {}) {
  return Type.String({ minLength: 1, maxLength: MAX_EXPRESSION_CHARS, contentMediaType: CEL, description, ...options });
}

interface SecsOptions {
  minimum?: number;
  maximum?: number;
  default?: number;
}

/** A number of seconds; in a file also `"5m"`, which is read as 300. */
export function secs(description: string, { minimum = 0, maximum = YEAR_SECS, ...rest }: SecsOptions = {}) {
  const expected = `a number of seconds from ${minimum} to ${maximum}, or a duration such as "5m" or "1h30m"`;
  return Type.Number({ minimum, maximum, expected, [DURATION]: true, description, ...rest });
}

/** As `secs`, without fractions. */
export function wholeSecs(description: string, { minimum = 0, maximum = YEAR_SECS, ...rest }: SecsOptions = {}) {
  const expected = `a whole number of seconds from ${minimum} to ${maximum}, or a duration such as "5m" or "1h30m"`;
  return Type.Integer({ minimum, maximum, expected, [DURATION]: true, description, ...rest });
}

/** How long a match must last before a trigger fires. */
export const forDurationSecs = Type.Optional({
  ...secs("Fires only after this has lasted for so many seconds; without it, at once"),
  [ALIASES]: ["for"],
});

interface ChoiceOptions<T> {
  default?: T;
  names?: Named;
  spellings?: Readonly<Record<string, T>>;
}

/** One of a few words. When read, upper and lower case, `-` and `_` make no difference. */
export function choice<const T extends string>(
  options: readonly T[],
  description: string,
  { spellings, names, ...rest }: ChoiceOptions<NoInfer<T>> = {},
): TUnsafe<T> {
  const expected = options.length > 2 ? `one of ${options.map((word) => JSON.stringify(word)).join(", ")}` : undefined;
  return Type.Unsafe<T>(
    Type.Union(
      options.map((word) => Type.Literal(word)),
      {
        description,
        ...(expected && { expected }),
        ...(spellings && { [SPELLINGS]: spellings }),
        ...(names && { [NAMES]: names }),
        ...rest,
      },
    ),
  );
}

/** The words of a choice, or undefined for any other schema. */
export function wordsOf(schema: TSchema): readonly string[] | undefined {
  return schema.anyOf === undefined ? undefined : wordsOfUnion(schema);
}

const wordsOfUnion = oncePerSchema((schema): readonly string[] | undefined => {
  const words: unknown[] = schema.anyOf.map((branch: TSchema) => branch.const);
  return words.every((word) => typeof word === "string") ? words : undefined;
});

/** How a rule with several triggers distinguishes them. */
export const triggerId = Type.String({
  minLength: 1,
  maxLength: 100,
  description: "A name for this trigger: `trigger.id` in expressions and messages, and for the condition `trigger_is`",
});

/** values.ts compares by them. */
export const OPS = ["Eq", "Ne", "Gt", "Gte", "Lt", "Lte"] as const;
export const op = choice(OPS, "How to compare: equal, not equal, greater, greater or equal, less, less or equal", {
  default: "Eq",
  spellings: { "==": "Eq", "=": "Eq", "!=": "Ne", ">": "Gt", ">=": "Gte", "<": "Lt", "<=": "Lte" },
});

const [mon, tue, wed, thu, fri, sat, sun] = WEEKDAYS;
export const days = Type.Array(
  choice(WEEKDAYS, "A day of the week", {
    spellings: { monday: mon, tuesday: tue, wednesday: wed, thursday: thu, friday: fri, saturday: sat, sunday: sun },
  }),
  { minItems: 1, maxItems: 7, description: "Only on these days of the week; without it, every day" },
);

const TIME = "^([01]?[0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9])?$";

export function timeOfDay(description: string) {
  return Type.String({ pattern: TIME, problem: 'must be a time of day such as "07:30" or "22:15:30"', description });
}
