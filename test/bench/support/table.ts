// The rows as text.
import type { Row } from "./bench.ts";

const HEAD = ["", "hub", "twin", "ratio", "target", ""];

export function formatTable(name: string, rows: readonly Row[]): string {
  const cells = [[name, ...HEAD.slice(1)], ...rows.map(cellsOf)];
  const widths = HEAD.map((_, column) => Math.max(...cells.map((row) => (row[column] ?? "").length)));
  const line = (row: readonly string[]): string =>
    row
      .map((cell, column) =>
        column === 0 || column > 3 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0),
      )
      .join("  ")
      .trimEnd();
  const [head = [], ...body] = cells;
  return [line(head), "-".repeat(widths.reduce((sum, width) => sum + width + 2, -2)), ...body.map(line)].join("\n");
}

function cellsOf({ name, hub, twin, ratio, target, met }: Row): string[] {
  const verdict = met === undefined ? "" : met ? "met" : "MISSED";
  return [name, format(hub), format(twin), ratio === undefined ? "" : ratio.toFixed(2), target ?? "", verdict];
}

function format(value: number | undefined): string {
  if (value === undefined) return "";
  if (Math.abs(value) >= 1000) return Math.round(value).toLocaleString("en");
  return value.toFixed(Math.abs(value) >= 100 ? 0 : 2);
}
