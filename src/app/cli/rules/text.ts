// How rules and evaluations are written for people: times in the house's zone, colours on terminals only.
import type { Output, Platform } from "../../../kit/lifecycle/platform.ts";
import { printable } from "../../../kit/text/printable.ts";

export type Paint = (color: "red" | "green" | "dim", text: string) => string;

const CODES = { red: 31, green: 32, dim: 2 } as const;

/** Leaves texts as they are unless they go to a terminal, and NO_COLOR is not set. */
export function createPaint(output: Output, env: Platform["env"]): Paint {
  if (!output.isTerminal || env.NO_COLOR) return (_, text) => text;
  return (color, text) => `\u001b[${CODES[color]}m${text}\u001b[0m`;
}

export interface Clockface {
  /** `2026-11-22 14:03:07`, in the house's zone; the text itself where it is no time. */
  at(iso: string): string;
}

export function createClockface(timezone: string): Clockface {
  return {
    at(iso) {
      const ms = Date.parse(iso);
      if (Number.isNaN(ms)) return printable(iso);
      const { year, month, day, hour, minute, second } =
        Temporal.Instant.fromEpochMilliseconds(ms).toZonedDateTimeISO(timezone);
      const two = (part: number): string => String(part).padStart(2, "0");
      return `${year}-${two(month)}-${two(day)} ${two(hour)}:${two(minute)}:${two(second)}`;
    },
  };
}

/** After how long: `+0.2 s`, `+5 min`, `+1 h 30 min`. */
export function afterText(ms: number): string {
  const secs = ms / 1000;
  if (secs < 60) return `+${Number.isInteger(secs) ? secs : secs.toFixed(secs < 10 ? 1 : 0)} s`;
  const minutes = Math.floor(secs / 60);
  const rest = Math.round(secs % 60);
  if (minutes < 60) return rest === 0 ? `+${minutes} min` : `+${minutes} min ${rest} s`;
  return minutes % 60 === 0 ? `+${minutes / 60} h` : `+${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

/** Columns as wide as their longest text; the last one is not filled up. */
export function table(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => [...(row[column] ?? "")].length)));
  const line = (row: readonly string[]): string =>
    row
      .map((text, column) => text + " ".repeat(Math.max(0, (widths[column] ?? 0) - [...text].length)))
      .join("  ")
      .trimEnd();
  return rows.map((row) => `${line(row)}\n`).join("");
}
