// Lists of hub.toml that have more entries than they may: the first ones count, and those behind are named.
import type { TSchema } from "@sinclair/typebox";
import { isObject } from "../../kit/schema/json.ts";

interface Excess {
  /** `people[2].channels` */
  list: string;
  max: number;
  count: number;
}

const MAX_NAMED = 5;

export function excessIn(schema: TSchema, value: unknown, path = ""): Excess[] {
  if (Array.isArray(value)) {
    const alternatives: TSchema[] = schema.anyOf ?? [schema];
    const list = alternatives.find(({ type }) => type === "array");
    if (!list) return [];
    const own = list.maxItems < value.length ? [{ list: path, max: Number(list.maxItems), count: value.length }] : [];
    return [...own, ...value.flatMap((item, index) => excessIn(list.items, item, `${path}[${index}]`))];
  }
  if (!isObject(value) || schema.properties === undefined) return [];
  return Object.entries(schema.properties as Record<string, TSchema>).flatMap(([key, inner]) =>
    excessIn(inner, value[key], path === "" ? key : `${path}.${key}`),
  );
}

/** `names`: of those that are too many, where they have some. */
export function excessMessage({
  max,
  count,
  names,
}: Pick<Excess, "max" | "count"> & { names: (string | undefined)[] }) {
  const known = names.flatMap((name) => (name === undefined ? [] : [`"${name}"`]));
  const shown = known.slice(0, MAX_NAMED).join(", ");
  const which = shown === "" ? "" : `: ${shown}${known.length > MAX_NAMED ? " …" : ""}`;
  return `there are ${count} entries, and at most ${max} count; the last ${count - max} ${count - max === 1 ? "is" : "are"} left out${which}`;
}
