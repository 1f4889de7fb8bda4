// Removes a channel's secrets from everything it says. `secret: true` in its schema is the only mark of a secret. Servers echo what
// they were sent, so the encoded forms of a secret are removed as well.
import { Kind, type TSchema } from "@sinclair/typebox";
import { isObject } from "../core/json.ts";

/** Shorter ones would black out ordinary words. */
const SHORTEST = 4;

/** Values of all fields that are marked `secret: true`, in objects at any depth; lists, unions and records are not searched. */
export function secretsOf(schema: TSchema, value: unknown): string[] {
  if (schema.secret === true) return typeof value === "string" && value.length >= SHORTEST ? [value] : [];
  if (schema[Kind] !== "Object" || !isObject(value)) return [];
  return Object.entries((schema.properties ?? {}) as Record<string, TSchema>).flatMap(([key, inner]) =>
    Object.hasOwn(value, key) ? secretsOf(inner, value[key]) : [],
  );
}

/** Returns a function that replaces every secret in a text, in any of its forms. */
export function createScrubber(secrets: readonly string[]): (text: string) => string {
  const forms = [...new Set(secrets.flatMap(formsOf))].sort((a, b) => b.length - a.length);
  return (text) => forms.reduce((clean, form) => clean.replaceAll(form, "[redacted]"), text);
}

function formsOf(secret: string): string[] {
  const forms = [secret, encodeURIComponent(secret), JSON.stringify(secret).slice(1, -1), ...base64FormsOf(secret)];
  return forms.filter((form) => form.length >= SHORTEST);
}

// A login sends user and password in one base64 text, where the password takes one of three forms, depending on its offset.
function base64FormsOf(secret: string): string[] {
  return [0, 1, 2].map((offset) => {
    const bytes = Buffer.concat([Buffer.alloc(offset), Buffer.from(secret)]);
    const whole = bytes.toString("base64").replace(/=+$/, "");
    // The outermost characters also encode bits of the neighbours.
    return whole.slice(offset === 0 ? 0 : offset + 1, bytes.length % 3 === 0 ? undefined : -1);
  });
}
