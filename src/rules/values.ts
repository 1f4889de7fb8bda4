// Comparing and showing values of the house, for triggers, conditions and actions alike. Nothing is converted: the text
// "21" is not the number 21, and 21.0 is 21.
import { HubError } from "../core/errors.ts";
import { type Json, jsonEqual } from "../core/json.ts";
import type { OPS } from "./fields.ts";

export type Op = (typeof OPS)[number];

const WORDS: Record<Op, string> = {
  Eq: "is",
  Ne: "is not",
  Gt: "is above",
  Gte: "is at least",
  Lt: "is below",
  Lte: "is at most",
};
const ORDER: Partial<Record<Op, (actual: number, wanted: number) => boolean>> = {
  Gt: (actual, wanted) => actual > wanted,
  Gte: (actual, wanted) => actual >= wanted,
  Lt: (actual, wanted) => actual < wanted,
  Lte: (actual, wanted) => actual <= wanted,
};
const MOST_SHOWN_CHARS = 200;

export interface Comparison {
  op: Op;
  value: Json;
}

/** `is above 21`. */
export function inWords({ op, value }: Comparison): string {
  return `${WORDS[op]} ${show(value)}`;
}

export function compare(actual: Json, { op, value }: Comparison): { passed: boolean; error?: string } {
  const inOrder = ORDER[op];
  if (inOrder === undefined) return { passed: jsonEqual(actual, value) === (op === "Eq") };
  if (typeof actual === "number" && typeof value === "number") return { passed: inOrder(actual, value) };
  return { passed: false, error: `only numbers can be compared by ${op}, and this is ${kindOf(actual)}` };
}

/** For `check`: what is put in order must be a number. */
export function checkComparison({ op, value }: Comparison): void {
  if (ORDER[op] !== undefined && typeof value !== "number") {
    throw refusal("value", `must be a number for the op ${op}; only Eq and Ne compare anything else`);
  }
}

function kindOf(value: Json): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "a list";
  return typeof value === "object"
    ? "an object"
    : `the ${typeof value === "string" ? "text" : typeof value} ${show(value)}`;
}

/** Whether a value is the wanted one, or among those in a list. */
export function fits(value: Json, wanted: Json): boolean {
  return Array.isArray(wanted) ? wanted.some((one) => jsonEqual(value, one)) : jsonEqual(value, wanted);
}

/** Whether all of these are among the fields, with the same values. */
export function hasFields(fields: object, wanted: Readonly<Record<string, Json>> | undefined): boolean {
  return Object.entries(wanted ?? {}).every(
    ([key, value]) => Object.hasOwn(fields, key) && jsonEqual(fields[key as never], value),
  );
}

/** For people: JSON, not too long. */
export function show(value: unknown): string {
  return shortened(JSON.stringify(value) ?? "nothing");
}

/** `21`, or `21 or 22`. */
export function showChoice(wanted: Json): string {
  return Array.isArray(wanted) ? wanted.map(show).join(" or ") : show(wanted);
}

export function shortened(text: string, most = MOST_SHOWN_CHARS): string {
  if (text.length <= most) return text;
  const chars = [...text];
  return chars.length <= most ? text : `${chars.slice(0, most).join("")}…`;
}

/** What `check` throws: which field is wrong, and what would be right. An empty path is the whole. */
export function refusal(path: string, message: string): HubError {
  return new HubError("invalid", path === "" ? message : `${path}: ${message}`, {
    details: { problems: [{ path, message }] },
  });
}

/** For `check`: just one of these fields. */
export function checkOneOf(spec: Readonly<Record<string, unknown>>, keys: readonly string[]): void {
  const given = keys.filter((key) => spec[key] !== undefined);
  if (given.length === 1) return;
  const either = keys.map((key) => `\`${key}\``).join(" or ");
  throw refusal("", given.length === 0 ? `give ${either}` : `give only one of ${either}`);
}

/** For `check`: not both of these fields. */
export function checkNotBoth(spec: Readonly<Record<string, unknown>>, keys: readonly [string, string]): void {
  if (keys.every((key) => spec[key] !== undefined)) throw refusal("", `give either \`${keys[0]}\` or \`${keys[1]}\``);
}

export function msOf(secs: number): number {
  return Math.round(secs * 1000);
}
