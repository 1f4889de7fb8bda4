// Which device of a profile a message is of.
import { valueAtPointer } from "../../../../kit/schema/json-pointer.ts";
import type { Profile } from "./profile.ts";
import { type Occasion, variablesOf } from "./reading.ts";
import { fill, type Values } from "./topic-pattern.ts";

export interface Identified {
  id: string;
  parts: Values;
}

/** Undefined where the message is not meant, or lacks a part of the id. */
export function identify(profile: Profile, occasion: Omit<Occasion, "parts">): Identified | undefined {
  const levels = occasion.topic.split("/");
  for (const pattern of profile.makers) {
    const values = pattern.match(levels);
    if (!values) continue;
    const parts = { ...values, ...partsOfMessage(profile, occasion) };
    const id = fill(profile.id, parts);
    return id !== undefined && isMeant(profile, { ...occasion, parts }) ? { id, parts } : undefined;
  }
  return undefined;
}

export function isMeant({ table: { when }, expressions }: Profile, occasion: Occasion): boolean {
  if (when === undefined) return true;
  const result = expressions.reading(when).run(variablesOf(occasion));
  return result.ok && result.value === true;
}

const MAX_PART = 100;

function partsOfMessage({ table: { placeholders } }: Profile, { message: { json } }: Omit<Occasion, "parts">): Values {
  if (placeholders === undefined || json === undefined) return {};
  const parts: Record<string, string> = {};
  for (const [name, pointer] of Object.entries(placeholders)) {
    const value = valueAtPointer(json, pointer);
    const text = typeof value === "string" || typeof value === "number" ? String(value).trim() : "";
    if (text !== "" && text.length <= MAX_PART) parts[name] = text;
  }
  return parts;
}
