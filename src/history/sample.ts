// One change of one attribute, as it is kept: a value SQLite holds, and the type it had where that does not tell.
import { bytesHeldBy } from "../core/memory-size.ts";

/** What stands in `type`; null for numbers and texts. */
export const BOOLEAN = 1;
export const JSON_TEXT = 2;
export const REMOVED = 3;

export interface Stored {
  value: number | string | null;
  type: number | null;
}

export interface Sample extends Stored {
  /** Epoch ms. */
  at: number;
  /** Tells apart what one series says within one millisecond; below 0 until it is given out. */
  n: number;
}

/** Longer texts are not recorded. */
export const LONGEST_TEXT_BYTES = 8192;

/** What its text takes in memory; numbers are counted by their number. */
export function textBytes({ value }: Stored): number {
  return typeof value === "string" ? bytesHeldBy(value) : 0;
}

/** The value as it is kept (undefined: removed), or why it is not. */
export function storedOf(value: unknown): Stored | "too_long" | "no_number" {
  switch (typeof value) {
    case "number":
      return Number.isFinite(value) ? { value, type: null } : "no_number";
    case "boolean":
      return { value: Number(value), type: BOOLEAN };
    case "string":
      return isLong(value) ? "too_long" : { value, type: null };
    default:
      return value === undefined || value === null ? { value: null, type: REMOVED } : storedJson(value);
  }
}

function storedJson(value: unknown): Stored | "too_long" {
  const text = JSON.stringify(value);
  return isLong(text) ? "too_long" : { value: text, type: JSON_TEXT };
}

// Measured in bytes only where the characters leave it open.
function isLong(text: string): boolean {
  return (
    text.length > LONGEST_TEXT_BYTES ||
    (text.length * 3 > LONGEST_TEXT_BYTES && Buffer.byteLength(text) > LONGEST_TEXT_BYTES)
  );
}

/** The value in JSON; null where the attribute was removed. */
export function jsonOf({ value, type }: Stored): string {
  if (type === BOOLEAN) return value === 1 ? "true" : "false";
  return type === JSON_TEXT ? String(value) : JSON.stringify(value);
}

/** What can be reckoned with: numbers, and booleans as 0 and 1. */
export function numberOf({ value, type }: Stored): number | undefined {
  return typeof value === "number" && (type === null || type === BOOLEAN) ? value : undefined;
}
