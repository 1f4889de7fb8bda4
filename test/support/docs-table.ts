// Tables of the documentation that are made of the definitions, between `<!-- NAME: begin -->` and `<!-- NAME: end -->`.
// `bun run docs` writes them anew.
import { expect } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const DOCS = join(import.meta.dir, "../../docs");

/** Expects the table to have these rows, the first being its head; writes them first when the environment has HUB_WRITE_DOCS. */
export function expectDocsTable(page: string, name: string, rows: readonly (readonly string[])[]): void {
  const path = join(DOCS, page);
  const [begin, end] = [`<!-- ${name}: begin -->`, `<!-- ${name}: end -->`];
  const [before, table, after] = split(readFileSync(path, "utf8"), begin, end);
  const cells = rows.map((row) => row.map((cell) => cell.replaceAll("|", "\\|")));
  if (process.env.HUB_WRITE_DOCS) {
    const [head = [], ...body] = cells;
    const lines = [head, head.map(() => "---"), ...body].map((row) => `| ${row.join(" | ")} |`);
    writeFileSync(path, `${before}${begin}\n\n${lines.join("\n")}\n\n${end}${after}`);
    return;
  }
  const update = "run `bun run docs`";
  expect({ page, name, update, rows: cellsOf(table) }).toEqual({ page, name, update, rows: cells });
}

function split(text: string, begin: string, end: string): [string, string, string] {
  const [from, to] = [text.indexOf(begin), text.indexOf(end)];
  if (from < 0 || to < from) throw new Error(`the page has no place between ${begin} and ${end}`);
  return [text.slice(0, from), text.slice(from + begin.length, to), text.slice(to + end.length)];
}

function cellsOf(table: string): string[][] {
  const lines = table.trim().split("\n");
  return lines
    .filter((_, index) => index !== 1)
    .map((line) =>
      line
        .slice(1, -1)
        .split(/(?<!\\)\|/)
        .map((cell) => cell.trim()),
    );
}
