// Valves that are exposed as a mere state of two words: `on` is open, as of those that say ON and OFF.
import type { Property } from "../exposes.ts";
import { type Derived, derive, endsOf } from "./derived.ts";

/** `isOnTaken`: `on` is what turns the device itself on. */
export function valveWords(
  properties: ReadonlyMap<string, Property>,
  { isOnTaken }: { isOnTaken: boolean },
): Derived[] {
  const state = properties.get("state");
  if (isOnTaken || !state || !isValve(state)) return [];
  return [
    derive(state, { word: "on", suffix: "" }),
    // Its two words have become a boolean.
    ...(properties.has("position") ? [] : [endsOf(state, { suffix: "", open: true, close: false })]),
  ];
}

/** A trigger of a garage door says true and false, and is none. */
function isValve({ of, property, attribute, words }: Property): boolean {
  const said = words.map((one) => String(one).toLowerCase()).sort();
  return of === undefined && property === "state" && attribute.writable && said.join() === "close,open";
}
