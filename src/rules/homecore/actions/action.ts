// What the translations of actions share.
import { objectAt, type Placed, type PlacedObject } from "../place.ts";
import type { Translating } from "../translating.ts";

export interface ActionTools {
  readonly to: Translating;
  /** Translates the actions inside this one. */
  inner(actions: Placed | undefined): Placed | undefined;
}

export type TranslateAction = (part: PlacedObject, tools: ActionTools) => PlacedObject;

/** In place of an action that does nothing, and that we would refuse for it. */
export function nothing(part: Placed, text: string): PlacedObject {
  return objectAt(part, { type: "comment", text, ...enabledOf(part) });
}

/** Of the struct around the action. */
export function enabledOf(part: Placed): { enabled?: Placed } {
  const enabled = part.get("enabled");
  return enabled ? { enabled } : {};
}

export function isEmptyList(list: Placed | undefined): boolean {
  return list === undefined || (Array.isArray(list.value) && list.value.length === 0);
}

/** The list without what is not there, such as `else_actions: []`. */
export function unlessEmpty(list: Placed | undefined): Placed | undefined {
  return isEmptyList(list) ? undefined : list;
}
