// What an edit of hub.toml means for its values: where a value goes, and the single values that a whole table is made of.
import { HubError } from "../../kit/schema/errors.ts";
import { isObject, type Json, type JsonObject } from "../../kit/schema/json.ts";

/** One value, anywhere: `["plugins", 0, "env"]`. An index behind the last entry adds one; without `value` it is taken away. */
export interface PathEdit {
  readonly path: readonly (string | number)[];
  readonly value?: Json | undefined;
}

/** A table that is there is changed key by key, so that its comments stay; the last entry takes its list with it. */
export function expandEdit(table: JsonObject, { path, value }: PathEdit): PathEdit[] {
  const held = valueAt(table, path);
  if (value === undefined && typeof path.at(-1) === "number") {
    const list = path.slice(0, -1);
    const entries = valueAt(table, list);
    if (held !== undefined && Array.isArray(entries) && entries.length === 1) return [{ path: list }];
  }
  if (!isObject(value) || !isObject(held)) return [{ path, value }];
  const keys = [...new Set([...Object.keys(held), ...Object.keys(value)])];
  return keys.flatMap((key) => {
    const next = Object.hasOwn(value, key) ? value[key] : undefined;
    return Bun.deepEquals(held[key], next) ? [] : expandEdit(table, { path: [...path, key], value: next });
  });
}

/** The table with the value there. Throws HubError `conflict` where something else is in the way. */
export function withValueAt(
  table: JsonObject,
  [key, ...rest]: PathEdit["path"],
  value: Json | undefined,
  at: PathEdit["path"] = [],
): JsonObject {
  if (typeof key !== "string") throw noSuchPlace([...at, key ?? 0]);
  const { [key]: old, ...others } = table;
  const here = [...at, key];
  const next = rest.length === 0 ? value : inside(old, rest, value, here);
  return next === undefined ? others : { ...table, [key]: next };
}

function inside(
  old: Json | undefined,
  path: PathEdit["path"],
  value: Json | undefined,
  at: PathEdit["path"],
): Json | undefined {
  const [index, ...rest] = path;
  if (typeof index === "string") {
    if (old !== undefined && !isObject(old)) throw noSuchPlace(at);
    return old === undefined && value === undefined ? undefined : withValueAt(old ?? {}, path, value, at);
  }
  const list = old ?? [];
  if (index === undefined || !Array.isArray(list)) throw noSuchPlace(at);
  const isNew = index === list.length && rest.length === 0 && value !== undefined;
  if (index > list.length || (index === list.length && !isNew)) throw noSuchEntry(at);
  if (rest.length > 0) {
    const next = inside(list[index], rest, value, [...at, index]);
    return next === undefined ? list : list.with(index, next);
  }
  if (isNew) return [...list, value];
  return value === undefined ? list.toSpliced(index, 1) : list.with(index, value);
}

/** `plugins[0].env` */
export function nameOfPath(path: PathEdit["path"]): string {
  return path.reduce<string>(
    (name, part) => (typeof part === "number" ? `${name}[${part}]` : name === "" ? part : `${name}.${part}`),
    "",
  );
}

/** Undefined where there is none. */
export function valueAt(table: JsonObject, path: PathEdit["path"]): Json | undefined {
  return path.reduce<Json | undefined>(memberOf, table);
}

function memberOf(value: Json | undefined, part: string | number): Json | undefined {
  if (Array.isArray(value)) return typeof part === "number" ? value[part] : undefined;
  return isObject(value) && Object.hasOwn(value, part) ? value[part] : undefined;
}

function noSuchEntry(path: PathEdit["path"]): HubError {
  return new HubError("conflict", `hub.toml has no such entry of [[${nameOfPath(path)}]] any more`);
}

function noSuchPlace(path: PathEdit["path"]): HubError {
  return new HubError("conflict", `${nameOfPath(path)} is something else in hub.toml: edit its text`);
}
