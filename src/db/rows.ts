// Rows of the state database, read one by one: what cannot be read of one keeps neither the others out nor the hub down.
import { messageOf } from "../core/errors.ts";
import { isObject, type JsonObject } from "../core/json.ts";

/** Something in the database that is no longer what the hub wrote there. */
export interface Unreadable {
  table: string;
  /** The row's own, for people. */
  key: string;
  problem: string;
}

export interface RowFaults {
  /** Told in the log and in the status by whoever has the database. */
  unreadable(found: Unreadable): void;
}

/** What `read` makes of the rows; those it throws at are left out, and stay in the database as they are. */
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

/** SQLite keeps what it is given, whatever type the column has. Throws where it is no text. */
export function textIn(value: unknown, column: string): string {
  if (typeof value === "string") return value;
  throw new TypeError(`${column} is no text`);
}

/** For lists that people read: what is no text is said to be none, and keeps nobody from reading the rest. */
export function textOrMark(value: unknown): string {
  return typeof value === "string" ? value : "(unreadable)";
}

/** Throws where it is no JSON object. */
export function objectIn(value: unknown, column: string): JsonObject {
  const parsed = jsonIn(value, column);
  if (isObject(parsed)) return parsed;
  throw new TypeError(`${column} is no JSON object`);
}

/** Throws where it is no JSON. */
export function jsonIn(value: unknown, column: string): unknown {
  try {
    return JSON.parse(textIn(value, column));
  } catch (error) {
    throw new TypeError(`${column} is no JSON`, { cause: error });
  }
}

/** A whole number or time; the other one where it is none. */
export function numberIn<T>(value: unknown, otherwise: T): number | T {
  return typeof value === "number" && Number.isFinite(value) ? value : otherwise;
}
