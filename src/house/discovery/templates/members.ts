// What templates pick of a value: `a.b`, `a["b"]`, `a[0]`; and what a loop says of itself.
import { parseFloatText } from "./arguments.ts";
import { partOfMoment } from "./time.ts";
import {
  Duration,
  entryOf,
  hasKey,
  LoopState,
  listOf,
  Moment,
  Namespace,
  PyBytes,
  PyTuple,
  str,
  TemplateError,
  typeName,
  type Value,
} from "./values.ts";
import { Version } from "./version.ts";

/** Worked out when it is asked for: most loops ask for none. */
const OF_LOOP: Readonly<Record<string, (loop: LoopState) => Value>> = {
  index: ({ at }) => at + 1,
  index0: ({ at }) => at,
  revindex: ({ items, at }) => items.length - at,
  revindex0: ({ items, at }) => items.length - at - 1,
  first: ({ at }) => at === 0,
  last: ({ items, at }) => at === items.length - 1,
  length: ({ items }) => items.length,
  previtem: ({ items, at }) => items[at - 1],
  nextitem: ({ items, at }) => items[at + 1],
  depth: () => 1,
  depth0: () => 0,
  cycle:
    ({ at }) =>
    (args) =>
      args[at % args.length],
};

/** Undefined where the value has no such member. */
export function memberOf(owner: Value, key: Value): Value {
  if (owner instanceof Map) return hasKey(owner, key) ? entryOf(owner, key) : undefined;
  if (owner instanceof Moment) return partOfMoment(owner, str(key));
  if (owner instanceof Namespace) return owner.fields.get(str(key));
  if (owner instanceof LoopState) return Object.hasOwn(OF_LOOP, str(key)) ? OF_LOOP[str(key)]?.(owner) : undefined;
  if (owner instanceof Version) return owner.part(str(key));
  if (owner instanceof Duration && (key === "days" || key === "seconds" || key === "microseconds")) return owner[key];
  if (owner instanceof PyBytes) return typeof key === "number" ? owner.bytes.at(key) : undefined;
  const items = typeof owner === "string" ? [...owner] : listOf(owner);
  return items && typeof key === "number" ? items.at(key) : undefined;
}

/** `a[from:to:by]`. Throws TemplateError. */
export function sliceOf(owner: Value, { from, to, by }: Readonly<Record<"from" | "to" | "by", Value>>): Value {
  const bound = (value: Value): number | undefined =>
    value === undefined || value === null ? undefined : parseFloatText(value);
  const step = bound(by) ?? 1;
  const items = typeof owner === "string" ? [...owner] : owner instanceof PyBytes ? [...owner.bytes] : listOf(owner);
  if (!items || step === 0) throw new TemplateError(`a value of the kind ${typeName(owner)} cannot be sliced so`);
  const part =
    step === 1 ? items.slice(bound(from), bound(to)) : stepped(items, { from: bound(from), to: bound(to), step });
  if (typeof owner === "string") return part.join("");
  if (owner instanceof PyBytes) return new PyBytes(Uint8Array.from(part as number[]));
  return owner instanceof PyTuple ? new PyTuple(part) : part;
}

function stepped(
  items: readonly Value[],
  { from, to, step }: { from: number | undefined; to: number | undefined; step: number },
): Value[] {
  const { length } = items;
  const [lowest, highest] = step > 0 ? [0, length] : [-1, length - 1];
  const place = (at: number | undefined, otherwise: number): number =>
    at === undefined ? otherwise : Math.min(highest, Math.max(lowest, at < 0 ? at + length : at));
  const [start, end] = [place(from, step > 0 ? 0 : length - 1), place(to, step > 0 ? length : -1)];
  const picked: Value[] = [];
  for (let at = start; step > 0 ? at < end : at > end; at += step) picked.push(items[at]);
  return picked;
}

/** Thrown by `break` and `continue`, for the loop around them. */
export class LoopControl {
  readonly kind: "break" | "continue";
  constructor(kind: "break" | "continue") {
    this.kind = kind;
  }
}
