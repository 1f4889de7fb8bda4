// JSON values, and JSON text from untrusted sources: bounded in depth, and without keys that reach into JavaScript's
// prototypes.

export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };
export type JsonObject = { [key: string]: Json };

export type JsonResult = { ok: true; value: Json } | { ok: false; problem: string };

// Comparing is cheaper than looking up: most keys differ in length already.
const isForbidden = (key: string): boolean => key === "__proto__" || key === "constructor" || key === "prototype";

/**
 * Parses untrusted JSON text.
 * Keys named `__proto__`, `constructor` or `prototype` are refused, and so is nesting deeper than `maxDepth`. Halves of surrogate
 * pairs become U+FFFD.
 */
export function parseJson(text: string, maxDepth = 32): JsonResult {
  if (nestsDeeper(text, maxDepth)) return { ok: false, problem: `nested deeper than ${maxDepth} levels` };
  let value: Json;
  try {
    value = JSON.parse(withoutHalves(text)) as Json;
  } catch {
    return { ok: false, problem: "not valid JSON" };
  }
  const flaw = flawOf(value);
  return flaw === undefined ? { ok: true, value } : { ok: false, problem: flaw };
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Structural equality of two JSON values; the order of keys does not matter. */
export function jsonEqual(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (Array.isArray(a))
    return Array.isArray(b) && a.length === b.length && a.every((item, index) => jsonEqual(item, b[index]));
  if (!isObject(a) || !isObject(b)) return false;
  const keys = Object.keys(a);
  return (
    keys.length === Object.keys(b).length && keys.every((key) => Object.hasOwn(b, key) && jsonEqual(a[key], b[key]))
  );
}

/** Freezes a JSON value with everything in it, in place, and returns it: it can then be shared without a copy. */
export function deepFreeze<T>(value: T): T {
  if (typeof value !== "object" || value === null) return value;
  for (const item of Object.values(value)) deepFreeze(item);
  return Object.freeze(value);
}

// One walk that allocates nothing: every message of every device passes here.
function flawOf(value: Json): string | undefined {
  // 1e999 is parsed as infinity, which JSON cannot express.
  if (typeof value === "number") return Number.isFinite(value) ? undefined : "a number is too large";
  if (typeof value !== "object" || value === null) return undefined;
  if (Array.isArray(value)) {
    for (const item of value) {
      const flaw = flawOf(item);
      if (flaw !== undefined) return flaw;
    }
    return undefined;
  }
  for (const key in value) {
    if (isForbidden(key)) return `the key "${key}" is not allowed`;
    const item = value[key] as Json;
    const flaw = typeof item === "string" || typeof item === "boolean" ? undefined : flawOf(item);
    if (flaw !== undefined) return flaw;
  }
  return undefined;
}

const ESCAPES = /\\(?:u[dD][89abAB][\da-fA-F]{2}\\u[dD][c-fC-F][\da-fA-F]{2}|u[dD][89a-fA-F][\da-fA-F]{2}|.)/g;
const HALF_LENGTH = "\\ud800".length;

/** Half a surrogate pair is no character: strict readers refuse the whole answer that it would stand in. */
function withoutHalves(text: string): string {
  if (!text.includes("\\ud") && !text.includes("\\uD")) return text;
  return text.replace(ESCAPES, (one) => (one.length === HALF_LENGTH && /^.u[dD]/.test(one) ? "\\ufffd" : one));
}

// Counted before parsing: the parser recurses, and so does everything that walks the value afterwards.
function nestsDeeper(text: string, maxDepth: number): boolean {
  let depth = 0;
  let inString = false;
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    if (inString) {
      if (code === 92) index++;
      else if (code === 34) inString = false;
    } else if (code === 34) inString = true;
    else if (code === 91 || code === 123) {
      if (++depth > maxDepth) return true;
    } else if (code === 93 || code === 125) depth--;
  }
  return false;
}
