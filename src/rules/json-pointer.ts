// JSON pointers (RFC 6901): `/sensor/0/temperature`.
import { isObject, type Json } from "../core/json.ts";
import { refusal } from "./values.ts";

/** For `check`. */
export function checkPointer(path: string, pointer: string): void {
  if (pointer !== "" && !pointer.startsWith("/")) {
    throw refusal(
      path,
      `must be empty or start with "/", such as "/${pointer.replace(/^\$?\.?/, "").replaceAll(".", "/")}"`,
    );
  }
  if (/~(?![01])/.test(pointer)) throw refusal(path, 'a "~" in a key is written "~0", and a "/" in a key "~1"');
}

/** Undefined where there is nothing. */
export function pointedAt(value: Json, pointer: string): Json | undefined {
  let found: Json | undefined = value;
  for (const part of pointer.split("/").slice(1)) {
    const key = part.replaceAll("~1", "/").replaceAll("~0", "~");
    if (Array.isArray(found)) found = /^(0|[1-9]\d*)$/.test(key) ? found[Number(key)] : undefined;
    else found = isObject(found) && Object.hasOwn(found, key) ? found[key] : undefined;
  }
  return found;
}
