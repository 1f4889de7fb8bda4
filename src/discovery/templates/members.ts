// What templates pick of a value: `a.b`, `a["b"]`, `a[0]`; and what a loop says of itself.
import { parseFloatText } from "./arguments.ts";
import { partOfMoment } from "./time.ts";
import {
  type Dict,
  entryOf,
  hasKey,
  listOf,
  Moment,
  Namespace,
  PyTuple,
  str,
  TemplateError,
  typeName,
  type Value,
} from "./values.ts";

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

/** `a[from:to]`. Throws TemplateError. */
export function sliceOf(owner: Value, { from, to, by }: Readonly<Record<"from" | "to" | "by", Value>>): Value {
  const bound = (value: Value): number | undefined =>
    value === undefined || value === null ? undefined : parseFloatText(value);
  const items = typeof owner === "string" ? [...owner] : listOf(owner);
  if (!items || (bound(by) ?? 1) !== 1)
    throw new TemplateError(`a value of the kind ${typeName(owner)} cannot be sliced so`);
  const part = items.slice(bound(from), bound(to));
  return typeof owner === "string" ? part.join("") : owner instanceof PyTuple ? new PyTuple(part) : part;
}

/** Thrown by `break` and `continue`, for the loop around them. */
export class LoopControl {
  readonly kind: "break" | "continue";
  constructor(kind: "break" | "continue") {
    this.kind = kind;
  }
}
