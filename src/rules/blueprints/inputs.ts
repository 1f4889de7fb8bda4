// The inputs of a blueprint: reading their declarations, and checking the values that a rule gives for them.
import { type TObject, Type } from "@sinclair/typebox";
import { didYouMean } from "../../kit/schema/did-you-mean.ts";
import { isObject, type Json, type JsonObject } from "../../kit/schema/json.ts";
import { checkValue, type Problem } from "../../kit/schema/schema.ts";
import { isSecretName } from "../../kit/text/masking.ts";
import { json, text } from "../model/fields.ts";
import { inputTypes } from "./input-types.ts";

export interface BlueprintInput {
  readonly id: string;
  readonly type: string;
  /** For people. */
  readonly name: string;
  readonly description: string;
  readonly required: boolean;
  /** As written; absent where there is none. */
  readonly default?: Json;
  /** Only administrators see its value. */
  readonly secret: boolean;
  /** Everything the declaration says. */
  readonly declared: JsonObject;
  /** JSON Schema of a value. */
  readonly schema: JsonObject;
}

/** Values as the rule gets them; without a key where an optional input is not given. */
export type InputValues = ReadonlyMap<string, Json>;

const MAX_INPUTS = 50;
const ID = /^[a-z][a-z0-9_]{0,63}$/;
const TYPES = Object.keys(inputTypes);

const declarations: ReadonlyMap<string, TObject> = new Map(
  Object.entries(inputTypes).map(([type, { fields }]) => [
    type,
    Type.Object(
      {
        type: Type.Literal(type),
        name: text("What it is called, for people", { maxLength: 100 }),
        description: Type.Optional(text("What it does, for people", { maxLength: 1000 })),
        required: Type.Optional(
          Type.Boolean({ description: "Whether a rule must give it; without it, if there is no default" }),
        ),
        default: Type.Optional(json("The value where a rule gives none")),
        secret: Type.Optional(Type.Boolean({ description: "Only administrators see its value" })),
        ...fields,
      },
      { additionalProperties: false },
    ),
  ]),
);

/** In the order of the file. */
export function readInputs(value: Json | undefined, problems: Problem[]): BlueprintInput[] {
  if (!isObject(value) || Object.keys(value).length === 0) {
    problems.push({
      path: "inputs",
      message: "must be a table with at least one input: [inputs.lamp], with `type` and `name`",
    });
    return [];
  }
  const ids = Object.keys(value);
  if (ids.length > MAX_INPUTS) {
    problems.push({ path: "inputs", message: `a blueprint has at most ${MAX_INPUTS} inputs` });
    return [];
  }
  return ids.flatMap((id) => readInput(id, value[id] as Json, problems) ?? []);
}

function readInput(id: string, given: Json, problems: Problem[]): BlueprintInput | undefined {
  const path = `inputs.${id}`;
  const refuse = (message: string, key?: string): undefined => {
    problems.push({ path: key === undefined ? path : `${path}.${key}`, message });
  };
  if (!ID.test(id)) return refuse("an input is named with small letters, digits and _, beginning with a letter");
  if (!isObject(given)) return refuse("must be a table with at least `type` and `name`");
  const written = typeof given.type === "string" ? given.type.toLowerCase() : given.type;
  const schema = typeof written === "string" ? declarations.get(written) : undefined;
  const type = typeof written === "string" ? inputTypes[written] : undefined;
  if (!schema || !type || typeof written !== "string") {
    const meant = typeof written === "string" ? didYouMean(written, TYPES) : "";
    return refuse(`must be one of ${TYPES.map((one) => JSON.stringify(one)).join(", ")}${meant}`, "type");
  }
  const checked = checkValue(schema, { ...given, type: written }, path);
  if (!checked.ok) {
    problems.push(...checked.problems);
    return undefined;
  }
  const declared = checked.value as JsonObject;
  const { default: fallback } = declared;
  const wrong =
    fallback === undefined
      ? undefined
      : valueProblems({ type: written, declared, value: fallback, path: `${path}.default` });
  if (wrong && wrong.length > 0) {
    problems.push(...wrong);
    return undefined;
  }
  return {
    ...{ id, type: written, declared, schema: JSON.parse(JSON.stringify(type.schema(declared))) as JsonObject },
    ...{ name: String(declared.name), description: String(declared.description ?? "") },
    required: fallback === undefined && declared.required !== false,
    ...(fallback !== undefined && { default: fallback }),
    secret: declared.secret === true || isSecretName(id),
  };
}

interface Given {
  type: string;
  declared: JsonObject;
  value: Json;
  path: string;
}

function valueProblems({ type, declared, value, path }: Given): Problem[] {
  const input = inputTypes[type];
  if (!input) return [];
  const checked = checkValue(input.schema(declared), value, path);
  if (!checked.ok) return checked.problems;
  const message = input.problem?.(value, declared);
  return message === undefined ? [] : [{ path, message }];
}

/** The values a rule gives, with the defaults of the others. Adds what is wrong with them to `problems`. */
export function readValues(
  inputs: readonly BlueprintInput[],
  given: Json | undefined,
  problems: Problem[],
): InputValues {
  const values = new Map<string, Json>();
  const table = given ?? {};
  if (!isObject(table)) {
    problems.push({ path: "inputs", message: "must be a table with a value for each input" });
    return values;
  }
  const ids = inputs.map(({ id }) => id);
  for (const key of Object.keys(table)) {
    if (ids.includes(key)) continue;
    const meant = didYouMean(key, ids);
    problems.push({
      path: `inputs.${key}`,
      message: `the blueprint has no input "${key}"${meant === "" ? `; there are ${ids.join(", ")}` : meant}`,
    });
  }
  for (const input of inputs) {
    const { id, type, declared, required, name } = input;
    const path = `inputs.${id}`;
    const isGiven = Object.hasOwn(table, id) && table[id] !== null;
    const value = isGiven ? table[id] : input.default;
    if (value === undefined) {
      if (required) problems.push({ path, message: `missing: ${name}` });
      continue;
    }
    const wrong = isGiven ? valueProblems({ type, declared, value, path }) : [];
    problems.push(...wrong);
    if (wrong.length === 0) values.set(id, inputTypes[type]?.read?.(value) ?? value);
  }
  return values;
}
