// Who caused the last change of a device, as its events say it.
import { isObject, type Json, type JsonObject } from "../../kit/schema/json.ts";
import { choice, text } from "./fields.ts";

/**
 * `hub`: a command of a person, a rule or a scene. `physical` and `external` are what plugins report: a switch on the wall,
 * or another system.
 */
export const CHANGE_KINDS = ["hub", "physical", "external", "unknown"] as const;
export type ChangeKind = (typeof CHANGE_KINDS)[number];

export const changeKind = choice(CHANGE_KINDS, "What kind of thing caused it", { spellings: { homecore: "hub" } });
export const changeSource = text("Exactly this source, such as `rule`, `api`, or a word of the device's plugin");

/** `change` of an event; undefined where the event has none. */
export function kindOfChange(change: unknown): ChangeKind {
  const kind = isObject(change) ? change.kind : undefined;
  if (kind === "physical" || kind === "external" || kind === "unknown") return kind;
  return typeof kind === "string" ? "hub" : "unknown";
}

export function sourceOfChange(change: unknown): Json {
  return isObject(change) ? (change.source ?? null) : null;
}

/** What `trigger.change` holds; nothing where the event does not say who caused it. */
export function changeContext(change: unknown): { change?: JsonObject } {
  return isObject(change) ? { change: { ...change, kind: kindOfChange(change) } } : {};
}
