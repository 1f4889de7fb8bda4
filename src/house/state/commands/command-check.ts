// Checks a command against what its device says of itself: the JSON Schema in its `schema` or `capabilities`. What a device does not
// describe is passed on: only the device knows whether it takes that.
import { isObject, type Json, type JsonObject } from "../../../kit/schema/json.ts";
import type { Problem } from "../../../kit/schema/schema.ts";
import { dateProblem } from "../../../kit/time/date-formats.ts";
import type { Device, DeviceDetails } from "../device.ts";

const MAX_OPTIONS = 50;
const MAX_PROBLEMS = 20;

/** The schema of one attribute; its own `schema` goes before its `capabilities`. */
export function describedAttribute(details: DeviceDetails, name: string): JsonObject | undefined {
  for (const described of [details.schema, details.capabilities]) {
    const properties = described?.properties;
    const found = isObject(properties) && Object.hasOwn(properties, name) ? properties[name] : undefined;
    if (isObject(found)) return found as JsonObject;
  }
  return undefined;
}

/** The schemas of all attributes that it describes, by name; undefined where it describes none. */
export function describedAttributes(details: DeviceDetails): Record<string, JsonObject> | undefined {
  const names = [details.schema, details.capabilities].flatMap((described) =>
    isObject(described?.properties) ? Object.keys(described.properties) : [],
  );
  if (names.length === 0) return undefined;
  return Object.fromEntries(names.map((name) => [name, describedAttribute(details, name) ?? {}]));
}

/** Attributes that are only reported, values out of range, values that are none of the options, and dates that are none. */
export function commandProblems({ details }: Pick<Device, "details">, wanted: JsonObject): Problem[] {
  const problems = Object.entries(wanted).flatMap(([path, value]): Problem[] => {
    const attribute = describedAttribute(details, path);
    const message = attribute && problemOf(attribute, value as Json);
    return message === undefined ? [] : [{ path, message }];
  });
  return problems.slice(0, MAX_PROBLEMS);
}

function problemOf(attribute: JsonObject, value: Json): string | undefined {
  if (attribute.readOnly === true) return "the device only reports it";
  const options = optionsOf(attribute);
  const { accepts } = attribute;
  if (options)
    return options.includes(String(value)) || (Array.isArray(accepts) && accepts.includes(value))
      ? undefined
      : `must be one of ${listed(options)}`;
  return typeof value === "number" ? rangeProblem(attribute, value) : dateProblem(attribute.format, value);
}

function rangeProblem({ minimum, maximum, unit }: JsonObject, value: number): string | undefined {
  const [min, max] = [numberIn(minimum), numberIn(maximum)];
  if (!((min !== undefined && value < min) || (max !== undefined && value > max))) return undefined;
  const range = max === undefined ? `at least ${min}` : min === undefined ? `at most ${max}` : `from ${min} to ${max}`;
  return `must be ${range}${typeof unit === "string" && unit !== "" ? ` ${unit}` : ""}, not ${value}`;
}

const numberIn = (value: unknown): number | undefined => (typeof value === "number" ? value : undefined);

/** From `enum`, or from `anyOf` or `oneOf` of constants. As texts: some devices take the number for its text. */
function optionsOf({ enum: listed, anyOf, oneOf }: JsonObject): string[] | undefined {
  const choices = Array.isArray(anyOf) ? anyOf : oneOf;
  const constants =
    Array.isArray(choices) && choices.every((one) => isObject(one) && Object.hasOwn(one, "const"))
      ? choices.map((one) => (one as JsonObject).const)
      : undefined;
  const options = Array.isArray(listed) ? listed : constants;
  if (!options || options.length === 0 || options.some((one) => typeof one === "object")) return undefined;
  return options.map(String);
}

function listed(options: readonly string[]): string {
  const more = options.length > MAX_OPTIONS ? `, … (${options.length} in all)` : "";
  return options.slice(0, MAX_OPTIONS).join(", ") + more;
}
