// Comparing values and showing them as text, for triggers, conditions and actions. Nothing is converted: the text "21" is
// not the number 21, but 21.0 is 21.
import { type Json, jsonEqual } from "../../kit/schema/json.ts";
import { invalid } from "./checks.ts";
import type { OPS } from "./fields.ts";

export type Op = (typeof OPS)[number];

const OP_TEXTS: Record<Op, string> = {
  Eq: "is",
  Ne: "is not",
  Gt: "is above",
  Gte: "is at least",
  Lt: "is below",
  Lte: "is at most",
};
const ORDERED: Partial<Record<Op, (actual: number, wanted: number) => boolean>> = {
  Gt: (actual, wanted) => actual > wanted,
  Gte: (actual, wanted) => actual >= wanted,
  Lt: (actual, wanted) => actual < wanted,
  Lte: (actual, wanted) => actual <= wanted,
};
const MAX_SHOWN_CHARS = 200;

export interface Comparison {
  op: Op;
  value: Json;
}

/** `is above 21`. */
export function comparisonText({ op, value }: Comparison): string {
  return `${OP_TEXTS[op]} ${show(value)}`;
}

export function compare(actual: Json, { op, value }: Comparison): { passed: boolean; error?: string } {
  const isOrdered = ORDERED[op];
  if (isOrdered === undefined) return { passed: jsonEqual(actual, value) === (op === "Eq") };
  if (typeof actual === "number" && typeof value === "number") return { passed: isOrdered(actual, value) };
  return { passed: false, error: `only numbers can be compared by ${op}, and this is ${kindOf(actual)}` };
}

/** For `check`: only numbers can be ordered. */
export function checkComparison({ op, value }: Comparison): void {
  if (ORDERED[op] !== undefined && typeof value !== "number") {
    throw invalid("value", `must be a number for the op ${op}; only Eq and Ne compare anything else`);
  }
}

function kindOf(value: Json): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "a list";
  return typeof value === "object"
    ? "an object"
    : `the ${typeof value === "string" ? "text" : typeof value} ${show(value)}`;
}

/** Whether a value is the wanted one; with a list, whether it is in the list. */
export function matchesValue(value: Json, wanted: Json): boolean {
  return Array.isArray(wanted) ? wanted.some((one) => jsonEqual(value, one)) : jsonEqual(value, wanted);
}

/** Whether `fields` contains all of these, with the same values. */
export function hasFields(fields: object, wanted: Readonly<Record<string, Json>> | undefined): boolean {
  return Object.entries(wanted ?? {}).every(
    ([key, value]) => Object.hasOwn(fields, key) && jsonEqual(fields[key as never], value),
  );
}

/** JSON for people, shortened. */
export function show(value: unknown): string {
  return shortened(JSON.stringify(value) ?? "nothing");
}

/** `21`, or `21 or 22`. */
export function showChoice(wanted: Json): string {
  return Array.isArray(wanted) ? wanted.map(show).join(" or ") : show(wanted);
}

export function shortened(text: string, maxChars = MAX_SHOWN_CHARS): string {
  if (text.length <= maxChars) return text;
  const chars = [...text];
  return chars.length <= maxChars ? text : `${chars.slice(0, maxChars).join("")}…`;
}

export function msOf(secs: number): number {
  return Math.round(secs * 1000);
}
