// What templates pick of a value: `a.b`, `a["b"]`, `a[0]`; and what a loop says of itself.
import { partOfMoment } from "./time.ts";
import { type Dict, entryOf, hasKey, listOf, Moment, Namespace, str, type Value } from "./values.ts";

/** `loop` within a loop. */
export function loopState(items: readonly Value[], at: number): Dict {
  return new Map<Value, Value>([
    ["index", at + 1],
    ["index0", at],
    ["revindex", items.length - at],
    ["revindex0", items.length - at - 1],
    ["first", at === 0],
    ["last", at === items.length - 1],
    ["length", items.length],
    ["previtem", items[at - 1]],
    ["nextitem", items[at + 1]],
  ]);
}

/** Undefined where the value has no such member. */
export function memberOf(owner: Value, key: Value): Value {
  if (owner instanceof Map) return hasKey(owner, key) ? entryOf(owner, key) : undefined;
  if (owner instanceof Moment) return partOfMoment(owner, str(key));
  if (owner instanceof Namespace) return owner.fields.get(str(key));
  const items = typeof owner === "string" ? [...owner] : listOf(owner);
  return items && typeof key === "number" ? items.at(key) : undefined;
}
