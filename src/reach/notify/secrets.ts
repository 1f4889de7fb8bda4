// Removes a channel's secrets from everything it says. `secret: true` in its schema is the only mark of a secret. Servers echo what
// they were sent, so the encoded forms of a secret are removed as well.
import { Kind, type TSchema } from "@sinclair/typebox";
import { isObject } from "../../kit/schema/json.ts";
import { isSecretName } from "../../kit/text/masking.ts";

/** Shorter ones would black out ordinary words. */
const SHORTEST = 4;
/** Of a part of a secret, which may be an ordinary word. */
const MIN_SECRET_PART = 8;
/** Fields of these kinds cannot hold a secret. */
const HARMLESS = new Set(["Boolean", "Integer", "Number", "Null", "Literal"]);

/** Values of all fields that are marked `secret: true`, in tables and lists at any depth; unions and records are not searched. */
export function secretsOf(schema: TSchema, value: unknown): string[] {
  if (schema.secret === true) return typeof value === "string" && value.length >= SHORTEST ? [value] : [];
  if (schema[Kind] === "Array" && Array.isArray(value))
    return value.flatMap((item) => secretsOf(schema.items as TSchema, item));
  if (schema[Kind] !== "Object" || !isObject(value)) return [];
  return Object.entries((schema.properties ?? {}) as Record<string, TSchema>).flatMap(([key, inner]) =>
    Object.hasOwn(value, key) ? secretsOf(inner, value[key]) : [],
  );
}

/** Throws when a secret of this schema would escape `secretsOf`, or a field is named like a secret and not marked as one. */
export function checkSecretMarks(schema: TSchema, path: string, { searched = true, named = false } = {}): void {
  if (schema.secret === true) {
    if (schema[Kind] !== "String") throw new Error(`${path}: a field with \`secret: true\` must be a string`);
    if (!searched) throw new Error(`${path}: a secret inside a union or record is not scrubbed: move it to a table`);
    return;
  }
  const fields = Object.entries((schema.properties ?? {}) as Record<string, TSchema>);
  const nested = nestedSchemas(schema);
  const mayBeSecret = fields.length + nested.length === 0 && !HARMLESS.has(schema[Kind]);
  if (named && mayBeSecret) throw new Error(`${path}: is named like a secret: mark it \`secret: true\`, or rename it`);
  const inside = searched && schema[Kind] === "Object";
  for (const [key, field] of fields)
    checkSecretMarks(field, `${path}.${key}`, { searched: inside, named: named || isSecretField(key) });
  const isList = schema[Kind] === "Array";
  for (const inner of nested) checkSecretMarks(inner, `${path}[]`, { searched: searched && isList, named });
}

function isSecretField(name: string): boolean {
  return isSecretName(name) || /key$/i.test(name);
}

/** Schemas inside this one that are not fields of an object. */
function nestedSchemas({ items, anyOf, allOf, not, patternProperties, additionalProperties }: TSchema): TSchema[] {
  const found: unknown[] = [items, anyOf, allOf, not, Object.values(patternProperties ?? {}), additionalProperties];
  return found.flat().filter((one): one is TSchema => isObject(one));
}

/** Returns a function that replaces every secret in a text, in any of its forms. */
export function createScrubber(secrets: readonly string[]): (text: string) => string {
  const parts = secrets.flatMap((secret) => [secret, ...partsOf(secret)]);
  const forms = [...new Set(parts.flatMap(formsOf))].sort((a, b) => b.length - a.length);
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

/** What a server may reveal of a secret that is an address or a header, and what betrays it. */
function partsOf(secret: string): string[] {
  const url = /^https?:/i.test(secret) ? URL.parse(secret) : null;
  if (url) return [url.href, ...secretPartsOf(url)];
  const [, scheme, credentials = ""] = /^(bearer|basic|token|digest)\s+(\S.*)$/i.exec(secret) ?? [];
  if (scheme?.toLowerCase() !== "basic") return [credentials].filter(isSecretPart);
  const login = Buffer.from(credentials, "base64").toString();
  return [credentials, login, login.slice(login.indexOf(":") + 1)].filter(isSecretPart);
}

function secretPartsOf({ pathname, search, searchParams, password }: URL): string[] {
  // "/api/notifications" is no secret, "/hooks/T0123ABC" is one.
  const segments = pathname.split("/").filter((segment) => segment.length >= 20 || /\d/.test(segment));
  const named = [...searchParams].filter(([key]) => isSecretField(key)).map(([, value]) => value);
  const others = [pathname + search, search.slice(1), ...segments, ...searchParams.values()];
  return [...others.filter(isSecretPart), ...named, password];
}

function isSecretPart(part: string): boolean {
  return part.length >= MIN_SECRET_PART;
}

function formsOf(secret: string): string[] {
  const inForm = new URLSearchParams({ "": secret }).toString().slice(1);
  const encoded = [encodeURIComponent(secret), inForm, JSON.stringify(secret).slice(1, -1)];
  // A server may take the bytes of a header or body for the other of the two.
  const misread = [Buffer.from(secret, "latin1").toString(), Buffer.from(secret).toString("latin1")];
  const forms = [secret, ...encoded, ...misread, ...base64FormsOf(secret)];
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
