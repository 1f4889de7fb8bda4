// `if_input`, `unless_input` and `for_each_input`: keys of blueprints that leave a table out, or repeat it.

import { didYouMean } from "../../kit/schema/did-you-mean.ts";
import { isObject, type Json, type JsonObject } from "../../kit/schema/json.ts";
import type { Problem } from "../../kit/schema/schema.ts";
import { optionsOf } from "./input-types.ts";
import type { BlueprintInput, InputValues } from "./inputs.ts";

/** `"lamp"`: where it is given and not false; `{ when = "dark" }`, `{ when = ["dark", "night"] }`: where it has this value. */
export const IF_INPUT = "if_input";
/** The opposite of `if_input`. */
export const UNLESS_INPUT = "unless_input";
/** The id of an input with a list: inside, its placeholder stands for one item. */
export const FOR_EACH = "for_each_input";

const MUST_BE = 'must be the name of an input, or a table of inputs and values, such as { when = "dark" }';

export const INPUT_KEYS: ReadonlySet<string> = new Set([IF_INPUT, UNLESS_INPUT, FOR_EACH]);

/** Whether a table is part of the rule with these values. */
export function isIncluded(table: JsonObject, values: InputValues): boolean {
  const unless = table[UNLESS_INPUT];
  return holds(table[IF_INPUT], values) && (unless === undefined || !holds(unless, values));
}

/** All that it names must hold. */
function holds(wanted: Json | undefined, values: InputValues): boolean {
  if (typeof wanted === "string") return isGiven(values.get(wanted));
  if (!isObject(wanted)) return true;
  return Object.entries(wanted).every(([name, value]) => [value].flat().includes(values.get(name) ?? null));
}

function isGiven(value: Json | undefined): boolean {
  return value !== undefined && value !== false && !(Array.isArray(value) && value.length === 0);
}

export function conditionProblems(wanted: Json, path: string, inputs: readonly BlueprintInput[]): Problem[] {
  const ids = inputs.map(({ id }) => id);
  const unknown = (name: string): Problem[] =>
    ids.includes(name) ? [] : [{ path, message: `there is no input "${name}"${didYouMean(name, ids)}` }];
  if (typeof wanted === "string") return unknown(wanted);
  if (!isObject(wanted) || Object.keys(wanted).length === 0) return [{ path, message: MUST_BE }];
  return Object.entries(wanted).flatMap(([name, value]) => {
    const input = inputs.find(({ id }) => id === name);
    if (!input) return unknown(name);
    const options = input.type === "choice" ? optionsOf(input.declared.options).map((one) => one.value) : undefined;
    const wrong = [value].flat().find((one) => options && !options.includes(String(one)));
    if (wrong === undefined) return [];
    return [{ path, message: `"${name}" is never "${String(wrong)}"${didYouMean(String(wrong), options ?? [])}` }];
  });
}

export function forEachProblems(name: Json, path: string, inputs: readonly BlueprintInput[]): Problem[] {
  const lists = inputs.filter(({ type }) => type === "devices" || type === "weekdays").map(({ id }) => id);
  if (typeof name === "string" && lists.includes(name)) return [];
  const message =
    lists.length === 0 ? "there is no input with a list" : `must be one of the inputs with a list: ${lists.join(", ")}`;
  return [{ path, message }];
}
