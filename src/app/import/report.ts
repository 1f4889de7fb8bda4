// What an import did: one entry for each thing of the old house, and what became of it.
import { printable } from "../../kit/text/printable.ts";

export const KINDS = [
  "device",
  "area",
  "scene",
  "rule",
  "mode",
  "timer",
  "switch",
  "group",
  "schedule",
  "calendar",
  "variable",
  "user",
  "history",
  "setting",
  "plugin",
  "other",
] as const;
export type Kind = (typeof KINDS)[number];

export type Outcome =
  /** It is here now, as it was there. */
  | "moved"
  /** It is here now, but not quite as it was; the note says how. */
  | "changed"
  /** It was here already, and stays as it is. */
  | "there"
  /** It is not here; the note says why, and what to do. */
  | "left";

export interface ReportEntry {
  readonly kind: Kind;
  /** Without control characters. */
  readonly name: string;
  readonly outcome: Outcome;
  /** How many things it stands for. */
  readonly count: number;
  readonly note: string | undefined;
}

export interface Report {
  readonly entries: readonly ReportEntry[];
  add(kind: Kind, name: string, outcome: Outcome, note?: string): void;
  /** Adds one entry for several things. */
  addMany(kind: Kind, many: { name: string; count: number }, outcome: Outcome, note?: string): void;
}

export function createReport(): Report {
  const entries: ReportEntry[] = [];
  const addMany: Report["addMany"] = (kind, { name, count }, outcome, note) =>
    void entries.push({
      kind,
      name: printable(name) || "(without a name)",
      outcome,
      count,
      note: note === undefined ? undefined : printable(note),
    });
  return { entries, addMany, add: (kind, name, ...rest) => addMany(kind, { name, count: 1 }, ...rest) };
}

/** A name that a person can read and type: control characters become spaces. Undefined where nothing is left. */
export function cleanName(text: string): string | undefined {
  const clean = text
    .replace(/\s*[\p{Cc}\p{Zl}\p{Zp}]+\s*/gu, " ")
    .trim()
    .slice(0, 200);
  return clean === "" ? undefined : clean;
}
