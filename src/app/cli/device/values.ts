// What is typed behind `hub device set DEVICE`, read as the device's own schema describes its attributes.
import { didYouMean } from "../../../kit/schema/did-you-mean.ts";
import { HubError } from "../../../kit/schema/errors.ts";
import { isObject, type Json, type JsonObject, parseJson } from "../../../kit/schema/json.ts";
import { printable } from "../../../kit/text/printable.ts";
import type { NamedDevice } from "./named-device.ts";

const SWITCHED: Readonly<Record<string, boolean>> = {
  true: true,
  on: true,
  yes: true,
  false: false,
  off: false,
  no: false,
};
/** By which some devices take commands that are no attribute; it is in no schema. */
const COMMAND = "command";

/** The wanted state. `force`: attributes that look mistyped too. Throws HubError `invalid`. */
export function wantedState(device: NamedDevice, words: readonly string[], force: boolean): JsonObject {
  if (words.length === 0)
    throw new HubError("invalid", "say what to set: hub device set DEVICE ATTRIBUTE=VALUE, such as on=true");
  return Object.fromEntries(
    words.map((word) => {
      const [, attribute, text] = /^([^=]+)=(.*)$/s.exec(word) ?? [];
      if (attribute === undefined || text === undefined)
        throw new HubError("invalid", `"${printable(word)}" is not ATTRIBUTE=VALUE, such as on=true`);
      if (!force) assertKnown(device, attribute);
      return [attribute, valueIn(text, attribute, device)];
    }),
  );
}

/** What it does not describe is sent all the same, unless it describes something that is all but called so. */
function assertKnown({ name, attributes, described }: NamedDevice, attribute: string): void {
  const known = [...Object.keys(described), ...Object.keys(attributes)];
  if (attribute === COMMAND || known.includes(attribute)) return;
  const hint = didYouMean(attribute, known.map(printable));
  if (hint === "") return;
  throw new HubError(
    "invalid",
    `"${printable(name)}" has no attribute "${printable(attribute)}"${hint} With --force it is sent as it is`,
  );
}

function valueIn(text: string, attribute: string, { attributes, described }: NamedDevice): Json {
  const types = typesOf(described[attribute], attributes[attribute]);
  const choice = choicesOf(described[attribute])?.find((one) => String(one) === text);
  if (choice !== undefined) return choice;
  if (types.has("boolean") && Object.hasOwn(SWITCHED, text.toLowerCase())) return SWITCHED[text.toLowerCase()] ?? false;
  if ((types.has("number") || types.has("integer")) && text.trim() !== "" && Number.isFinite(Number(text)))
    return Number(text);
  if (text === "null" && (types.has("null") || !types.has("string"))) return null;
  if (types.has("string")) return text;
  const parsed = parseJson(text);
  const isStructure = parsed.ok && typeof parsed.value === "object";
  if (isStructure && (types.size === 0 || types.has("object") || types.has("array"))) return parsed.value;
  if (types.size === 0) return parsed.ok ? parsed.value : text;
  throw new HubError(
    "invalid",
    `${printable(attribute)} takes ${takenText(described[attribute], types)}, not "${printable(text)}"`,
  );
}

/** Of its schema, or, where that says nothing, of the value that it has now. */
function typesOf(schema: JsonObject | undefined, present: Json | undefined): ReadonlySet<string> {
  const typed = [schema, ...alternativesOf(schema)].flatMap((one) => (isObject(one) ? one.type : undefined));
  const named = typed.flat().filter((type) => typeof type === "string");
  if (named.length > 0) return new Set(named);
  if (choicesOf(schema) !== undefined || present === undefined || present === null) return new Set();
  return new Set([Array.isArray(present) ? "array" : typeof present]);
}

function alternativesOf(schema: JsonObject | undefined): readonly Json[] {
  const found = schema?.anyOf ?? schema?.oneOf;
  return Array.isArray(found) ? found : [];
}

/** All values that it may have, where the schema lists them. */
export function choicesOf(schema: JsonObject | undefined): readonly Json[] | undefined {
  if (Array.isArray(schema?.enum)) return schema.enum;
  const constants = alternativesOf(schema).flatMap((one) =>
    isObject(one) && one.const !== undefined ? [one.const] : [],
  );
  return constants.length > 0 ? constants : undefined;
}

/** `true or false`, `a number from 0 to 254 %`, `one of heat, off`; `-` for what is only reported. */
export function takenText(schema: JsonObject | undefined, types = typesOf(schema, undefined)): string {
  if (schema?.readOnly === true) return "-";
  const choices = choicesOf(schema);
  if (choices) return `one of ${choices.map((one) => printable(String(one))).join(", ")}`;
  if (types.has("boolean")) return "true or false";
  if (types.has("number") || types.has("integer"))
    return `a ${types.has("number") ? "" : "whole "}number${rangeText(schema)}`;
  if (types.has("object") || types.has("array")) return "JSON";
  return types.has("string") ? "text" : "";
}

function rangeText({ minimum, maximum, unit }: JsonObject = {}): string {
  const from = typeof minimum === "number" ? ` from ${minimum}` : "";
  const to = typeof maximum === "number" ? `${from === "" ? " up" : ""} to ${maximum}` : "";
  return `${from}${to}${typeof unit === "string" && unit !== "" ? ` ${printable(unit)}` : ""}`;
}
