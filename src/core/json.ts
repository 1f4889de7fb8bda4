// JSON from strangers: bounded in depth, and without the keys that reach into JavaScript's prototypes.

export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };
export type JsonObject = { [key: string]: Json };

export type JsonResult = { ok: true; value: Json } | { ok: false; problem: string };

const FORBIDDEN_KEYS = new Set(["__proto__", "constructor", "prototype"]);

/**
 * Parses untrusted JSON text.
 * Keys named `__proto__`, `constructor` or `prototype` are refused, and so is nesting deeper than `maxDepth`.
 */
export function parseJson(text: string, maxDepth = 32): JsonResult {
  if (nestsDeeper(text, maxDepth)) return { ok: false, problem: `nested deeper than ${maxDepth} levels` };
  let value: Json;
  try {
    value = JSON.parse(text) as Json;
  } catch {
    return { ok: false, problem: "not valid JSON" };
  }
  const key = forbiddenKey(value);
  if (key) return { ok: false, problem: `the key "${key}" is not allowed` };
  // 1e999 is read as infinite, and could never be written again.
  return hasFiniteNumbers(value) ? { ok: true, value } : { ok: false, problem: "a number is too large" };
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The first key in `value`, at any depth, that must not become a property. */
export function forbiddenKey(value: unknown): string | undefined {
  if (Array.isArray(value)) return firstOf(value, forbiddenKey);
  if (!isObject(value)) return undefined;
  for (const key of Object.keys(value)) if (FORBIDDEN_KEYS.has(key)) return key;
  return firstOf(Object.values(value), forbiddenKey);
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

function hasFiniteNumbers(value: Json): boolean {
  if (typeof value === "number") return Number.isFinite(value);
  if (typeof value !== "object" || value === null) return true;
  return (Array.isArray(value) ? value : Object.values(value)).every(hasFiniteNumbers);
}

function firstOf<T, R>(items: readonly T[], find: (item: T) => R | undefined): R | undefined {
  for (const item of items) {
    const found = find(item);
    if (found !== undefined) return found;
  }
  return undefined;
}

// Counted before parsing: the parser itself recurses, and so would everything that walks the value afterwards.
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
