// Values with their places in the text. What is made from them keeps the places of what it was made from, so that a problem
// in a translated rule is shown where its author wrote it, and by the name its author gave it.
import { isObject, type Json, type JsonObject } from "../../kit/schema/json.ts";
import type { Mark } from "../../kit/schema/text-places.ts";

/** A mark that knows under which path its author finds it. */
export interface OwnMark extends Mark {
  path: string;
  keys?: Map<string, OwnMark>;
  items?: OwnMark[];
}

export class Placed<T extends Json = Json> {
  readonly value: T;
  readonly mark: OwnMark;

  constructor(value: T, mark: OwnMark) {
    this.value = value;
    this.mark = mark;
  }

  /** Undefined where the key is absent. */
  get(key: string): Placed | undefined {
    if (!isObject(this.value) || !Object.hasOwn(this.value, key)) return undefined;
    return new Placed(this.value[key] ?? null, this.mark.keys?.get(key) ?? this.mark);
  }

  /** As `get`; also undefined where the key has nothing, which is written `()`. */
  some(key: string): Placed | undefined {
    const found = this.get(key);
    return found?.value === null ? undefined : found;
  }

  /** The items of a list; none of anything else. */
  items(): Placed[] {
    const { value, mark } = this;
    return Array.isArray(value) ? value.map((item, index) => new Placed(item, mark.items?.[index] ?? mark)) : [];
  }

  /** Another value in the same place. */
  with<V extends Json>(value: V): Placed<V> {
    return new Placed(value, this.mark);
  }
}

export type PlacedObject = Placed<JsonObject>;

export function isPlacedObject(placed: Placed | undefined): placed is PlacedObject {
  return isObject(placed?.value);
}

/** What an object is made of: a placed value, a plain one that has the place of the whole, or nothing. */
export type Members = Readonly<Record<string, Placed | Json | undefined>>;

/** An object in the place of another one. */
export function objectAt({ mark }: Placed, members: Members): PlacedObject {
  const value: JsonObject = {};
  const keys = new Map<string, OwnMark>();
  for (const [key, member] of Object.entries(members)) {
    if (member === undefined) continue;
    value[key] = member instanceof Placed ? member.value : member;
    keys.set(key, member instanceof Placed ? member.mark : { ...mark });
  }
  return new Placed(value, { ...mark, keys });
}

/** A list in the place of another value. */
export function listAt({ mark }: Placed, items: readonly Placed[]): Placed<Json[]> {
  return new Placed(
    items.map(({ value }) => value),
    { ...mark, items: items.map((item) => item.mark) },
  );
}

/** All members but these, as they are. */
export function othersOf(placed: Placed, known: readonly string[]): Members {
  if (!isObject(placed.value)) return {};
  const keys = Object.keys(placed.value).filter((key) => !known.includes(key));
  return Object.fromEntries(keys.map((key) => [key, placed.get(key)]));
}

/** The mark and all marks in it, each with its path. */
export function ownMark(mark: Mark, path = ""): OwnMark {
  const { keys, items, ...place } = mark;
  const under = (key: string): string => (path === "" ? key : `${path}.${key}`);
  return {
    ...place,
    path,
    ...(keys && { keys: new Map([...keys].map(([key, inner]) => [key, ownMark(inner, under(key))])) }),
    ...(items && { items: items.map((inner, index) => ownMark(inner, `${path}[${index}]`)) }),
  };
}
