// What another version has done to a house in its trial, read from the databases: damage, and users, devices and history that are gone.
import { Database } from "bun:sqlite";
import { existsSync } from "node:fs";
import type { Home } from "../../home/paths.ts";

/** What there was before. A set or a mark is undefined where it cannot be read. */
export interface HouseBefore {
  users: ReadonlySet<string> | undefined;
  devices: ReadonlySet<string> | undefined;
  hasHistory: boolean | undefined;
  layout: number | undefined;
}

export function houseIn({ stateDb, historyDb }: Home): HouseBefore {
  return {
    users: idsIn(stateDb, "users"),
    devices: idsIn(stateDb, "devices"),
    hasHistory: existsSync(historyDb) ? hasRows(historyDb) : undefined,
    layout: layoutOf(stateDb),
  };
}

/** Why that version must go; undefined where nothing speaks against it. Tables that a newer layout calls otherwise are not looked at. */
export function lossesSince(before: HouseBefore, home: Home): string | undefined {
  const flaw = before.layout === undefined ? undefined : flawOf(home.stateDb);
  if (flaw !== undefined) return `it damaged state.redb (${flaw})`;
  const now = houseIn(home);
  const isSameLayout = now.layout === before.layout;
  for (const what of ["users", "devices"] as const) {
    const [had, has] = [before[what] ?? new Set<string>(), now[what]];
    if (!has && !isSameLayout) continue;
    const gone = [...had].filter((id) => !has?.has(id)).length;
    // A person may remove some in that minute.
    if (gone * 2 > had.size) return `${gone} of ${had.size} ${what} were gone with it`;
  }
  if (before.hasHistory && now.hasHistory === false) return "the history was gone with it";
  if (before.hasHistory && now.hasHistory === undefined && isSameLayout) return "it damaged history.db";
  return undefined;
}

function idsIn(path: string, table: "users" | "devices"): ReadonlySet<string> | undefined {
  const rows = rowsOf<{ id: string }>(path, `SELECT id FROM ${table}`);
  return rows && new Set(rows.map(({ id }) => id));
}

function hasRows(path: string): boolean | undefined {
  const rows = rowsOf(path, "SELECT 1 FROM samples LIMIT 1");
  return rows && rows.length > 0;
}

function layoutOf(path: string): number | undefined {
  return rowsOf<{ user_version: number }>(path, "PRAGMA user_version")?.[0]?.user_version;
}

function flawOf(path: string): string | undefined {
  const verdict = rowsOf<{ quick_check: string }>(path, "PRAGMA quick_check(1)")?.[0]?.quick_check;
  return verdict === "ok" ? undefined : (verdict ?? "it cannot be read");
}

function rowsOf<T>(path: string, query: string): T[] | undefined {
  try {
    using db = new Database(path, { readonly: true });
    return db.query<T, []>(query).all();
  } catch {
    return undefined;
  }
}
