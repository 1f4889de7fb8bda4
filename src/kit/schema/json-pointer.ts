// JSON pointers of RFC 6901: `/sensor/0/temperature`.
import { isObject, type Json, type JsonObject } from "./json.ts";

/** What is wrong with it, if something is. */
export function pointerProblem(pointer: string): string | undefined {
  if (pointer !== "" && !pointer.startsWith("/")) {
    const example = pointer.replace(/^\$?\.?/, "").replaceAll(".", "/");
    return `must be empty or start with "/", such as "/${example}"`;
  }
  if (/~(?![01])/.test(pointer)) return 'in a key, "~" is written "~0" and "/" is written "~1"';
  return undefined;
}

/** Undefined where there is nothing. */
export function valueAtPointer(value: Json, pointer: string): Json | undefined {
  return valueAt(value, keysOf(pointer));
}

/** The same, for a pointer that is used again and again. */
export function pointerReader(pointer: string): (value: Json) => Json | undefined {
  const keys = keysOf(pointer);
  return (value) => valueAt(value, keys);
}

function valueAt(value: Json, keys: readonly string[]): Json | undefined {
  let found: Json | undefined = value;
  for (const key of keys) {
    if (Array.isArray(found)) found = isIndex(key) ? found[Number(key)] : undefined;
    else found = isObject(found) && Object.hasOwn(found, key) ? found[key] : undefined;
  }
  return found;
}

/** Puts it into the object, and makes the objects and lists around it; a number makes a list. The pointer is not empty. */
export function putAtPointer(target: JsonObject, pointer: string, value: Json): void {
  const keys = keysOf(pointer);
  let around: JsonObject | Json[] = target;
  for (const [at, key] of keys.entries()) {
    const next = keys[at + 1];
    const known: Json | undefined = Array.isArray(around)
      ? around[Number(key)]
      : Object.hasOwn(around, key)
        ? around[key]
        : undefined;
    const made: Json = next === undefined ? value : isContainer(known) ? known : isShort(next) ? [] : {};
    if (Array.isArray(around)) around[Number(key)] = made;
    else around[key] = made;
    if (!isContainer(made)) return;
    around = made;
  }
}

function keysOf(pointer: string): string[] {
  const parts = pointer.split("/").slice(1);
  return parts.map((part) => part.replaceAll("~1", "/").replaceAll("~0", "~"));
}

function isIndex(key: string): boolean {
  return /^(0|[1-9]\d*)$/.test(key);
}

/** No list is made longer than this. */
function isShort(key: string): boolean {
  return isIndex(key) && key.length <= 3;
}

function isContainer(value: Json | undefined): value is JsonObject | Json[] {
  return typeof value === "object" && value !== null;
}
