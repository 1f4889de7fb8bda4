// One change of one attribute, as it is stored: an SQLite value, and its type where the value does not show it.
import { bytesHeldBy } from "../../kit/schema/memory-size.ts";

/** Values of `type`; null for numbers and texts. */
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
  /** Distinguishes the samples of one series within one millisecond; negative until it is assigned. */
  n: number;
}

/** Longer texts are not recorded. */
export const MAX_TEXT_BYTES = 8192;

/** The memory of its text; 0 for numbers. */
export function textBytes({ value }: Stored): number {
  return typeof value === "string" ? bytesHeldBy(value) : 0;
}

/** The value as it is stored (undefined: removed), or why it cannot be. */
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

// Counts bytes only where the number of characters does not decide.
function isLong(text: string): boolean {
  return text.length > MAX_TEXT_BYTES || (text.length * 3 > MAX_TEXT_BYTES && Buffer.byteLength(text) > MAX_TEXT_BYTES);
}

/** The value in JSON; null where the attribute was removed. */
export function jsonOf({ value, type }: Stored): string {
  if (type === BOOLEAN) return value === 1 ? "true" : "false";
  return type === JSON_TEXT ? String(value) : JSON.stringify(value);
}

/** Numbers, and booleans as 0 and 1; undefined for other values. */
export function numberOf({ value, type }: Stored): number | undefined {
  return typeof value === "number" && (type === null || type === BOOLEAN) ? value : undefined;
}
