// Takes a channel's secrets out of everything it says. Servers echo what they were sent, so the forms a secret takes on
// its way are looked for as well.
import { Kind, type TSchema } from "@sinclair/typebox";
import { isObject } from "../core/json.ts";

/** Shorter ones would black out ordinary words. */
const SHORTEST = 4;

/** Values of all fields that are marked `secret: true`. */
export function secretsOf(schema: TSchema, value: unknown): string[] {
  if (schema.secret === true) return typeof value === "string" && value.length >= SHORTEST ? [value] : [];
  if (schema[Kind] !== "Object" || !isObject(value)) return [];
  return Object.entries((schema.properties ?? {}) as Record<string, TSchema>).flatMap(([key, inner]) =>
    Object.hasOwn(value, key) ? secretsOf(inner, value[key]) : [],
  );
}

/** Makes a function that replaces every secret in a text, in any of its forms. */
export function createScrubber(secrets: readonly string[]): (text: string) => string {
  const forms = [...new Set(secrets.flatMap(formsOf))].sort((a, b) => b.length - a.length);
  return (text) => {
    const clean = forms.reduce((text, form) => text.replaceAll(form, "[redacted]"), text);
    return forms.reduce(withoutBeginning, clean);
  };
}

/** Texts are shortened before they come here: the beginning of a secret may be left at their end, or before an ellipsis. */
function withoutBeginning(text: string, form: string): string {
  let clean = text;
  for (let length = form.length - 1; length >= SHORTEST; length--) {
    const beginning = form.slice(0, length);
    clean = clean.replaceAll(`${beginning}…`, "[redacted]…");
    if (clean.endsWith(beginning)) clean = `${clean.slice(0, -length)}[redacted]`;
  }
  return clean;
}

function formsOf(secret: string): string[] {
  const inForm = new URLSearchParams({ "": secret }).toString().slice(1);
  const encoded = [encodeURIComponent(secret), inForm, JSON.stringify(secret).slice(1, -1)];
  const forms = [secret, ...encoded, ...base64FormsOf(secret)];
  return forms.filter((form) => form.length >= SHORTEST);
}

// A login sends user and password in one base64 text: there the password takes one of three forms, by where it begins.
function base64FormsOf(secret: string): string[] {
  return [0, 1, 2].map((offset) => {
    const bytes = Buffer.concat([Buffer.alloc(offset), Buffer.from(secret)]);
    const whole = bytes.toString("base64").replace(/=+$/, "");
    // The outermost characters also hold bits of the neighbours.
    return whole.slice(offset === 0 ? 0 : offset + 1, bytes.length % 3 === 0 ? undefined : -1);
  });
}
