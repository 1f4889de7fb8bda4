// Reads rows of the state database one by one: a row that cannot be read affects neither the others nor the start of the hub.
import { messageOf } from "../../kit/schema/errors.ts";
import { isObject, type JsonObject } from "../../kit/schema/json.ts";

/** A row that is not what the hub wrote. */
export interface Unreadable {
  table: string;
  /** The row's key, for people. */
  key: string;
  problem: string;
}

export interface RowFaults {
  /** Reports it in the log and in the status. */
  unreadable(found: Unreadable): void;
}

/** The results of `read`. A row for which it throws is left out and reported, and stays in the database as it is. */
export function readEach<Row, T>(
  rows: Iterable<Row>,
  read: (row: Row) => T,
  { faults, table, keyOf }: { faults: RowFaults; table: string; keyOf: (row: Row) => unknown },
): T[] {
  const all: T[] = [];
  for (const row of rows) {
    try {
      all.push(read(row));
    } catch (error) {
      faults.unreadable({ table, key: String(keyOf(row)), problem: `it is left out: ${messageOf(error)}` });
    }
  }
  return all;
}

/** Throws if it is no text: SQLite stores any type in any column. */
export function textIn(value: unknown, column: string): string {
  if (typeof value === "string") return value;
  throw new TypeError(`${column} is not text`);
}

/** For lists that people read: a value that is not text is shown as a mark, so that the rest can be read. */
export function textOrMark(value: unknown): string {
  return typeof value === "string" ? value : "(unreadable)";
}

/** Throws if it is not a JSON object. */
export function objectIn(value: unknown, column: string): JsonObject {
  const parsed = jsonIn(value, column);
  if (isObject(parsed)) return parsed;
  throw new TypeError(`${column} is not a JSON object`);
}

/** Throws if it is not JSON. */
export function jsonIn(value: unknown, column: string): unknown {
  try {
    return JSON.parse(textIn(value, column));
  } catch (error) {
    throw new TypeError(`${column} is not JSON`, { cause: error });
  }
}

/** A finite number, or `otherwise`. */
export function numberIn<T>(value: unknown, otherwise: T): number | T {
  return typeof value === "number" && Number.isFinite(value) ? value : otherwise;
}
