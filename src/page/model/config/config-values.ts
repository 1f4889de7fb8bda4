// Values of hub.toml as forms change them: what an edit makes of them, and the edits between two of them.

import type { Json } from "../device/json.ts";

export type ConfigValues = Record<string, Json>;

export type ConfigPath = readonly (string | number)[];

/** Without `value` the key or entry is taken away. */
export interface ConfigEdit {
  path: ConfigPath;
  value?: Json | undefined;
}

type Table = Record<string, Json>;

export function isTable(value: Json | undefined): value is Table {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function valueAt(values: Json | undefined, path: ConfigPath): Json | undefined {
  return path.reduce<Json | undefined>((inside, part) => {
    if (Array.isArray(inside)) return typeof part === "number" ? inside[part] : undefined;
    return isTable(inside) && Object.hasOwn(inside, part) ? inside[part] : undefined;
  }, values);
}

/** The values as the edit will make them. */
export function withEdit(values: ConfigValues, { path, value }: ConfigEdit): ConfigValues {
  return replaced(values, path, value) as ConfigValues;
}

function replaced(inside: Json | undefined, [part, ...rest]: ConfigPath, value: Json | undefined): Json | undefined {
  if (part === undefined) return value;
  if (typeof part === "number") {
    const list = Array.isArray(inside) ? inside : [];
    const next = replaced(list[part], rest, value);
    return next === undefined ? list.toSpliced(part, 1) : list.toSpliced(part, 1, next);
  }
  const table = isTable(inside) ? inside : {};
  const { [part]: old, ...others } = table;
  const next = replaced(old, rest, value);
  return next === undefined ? others : { ...table, [part]: next };
}

/** What makes one table of another, key by key, so that the comments between them stay. */
export function editsBetween(path: ConfigPath, before: Table, after: Table): ConfigEdit[] {
  const keys = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  return keys.flatMap((key) => {
    const [old, next] = [before[key], after[key]];
    if (JSON.stringify(old) === JSON.stringify(next)) return [];
    if (isTable(old) && isTable(next)) return editsBetween([...path, key], old, next);
    if (isTables(old) && Array.isArray(next) && next.every(isTable)) return listEdits([...path, key], old, next);
    return [{ path: [...path, key], value: next }];
  });
}

/** Entries keep their lines, and their secrets, when others come and go. */
function listEdits(path: ConfigPath, before: readonly Table[], after: readonly Table[]): ConfigEdit[] {
  if (after.length === 0) return [{ path }];
  const gone = before.findIndex((entry, index) => JSON.stringify(entry) !== JSON.stringify(after[index]));
  if (gone >= 0 && JSON.stringify(before.toSpliced(gone, 1)) === JSON.stringify(after))
    return [{ path: [...path, gone] }];
  return [
    ...after.flatMap((entry, index) => {
      const old = before[index];
      return old ? editsBetween([...path, index], old, entry) : [{ path: [...path, index], value: entry }];
    }),
    ...before.slice(after.length).map((_, index) => ({ path: [...path, before.length - 1 - index] })),
  ];
}

function isTables(value: Json | undefined): value is Table[] {
  return Array.isArray(value) && value.length > 0 && value.every(isTable);
}

/** `notify.channels[1].smtp`, as the hub's problems name it. */
export function nameOfPath(path: ConfigPath): string {
  return path.reduce<string>(
    (name, part) => (typeof part === "number" ? `${name}[${part}]` : name === "" ? part : `${name}.${part}`),
    "",
  );
}
