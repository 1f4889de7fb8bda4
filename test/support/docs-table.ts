// Parts of the documentation that are made of the definitions, between `<!-- NAME: begin -->` and `<!-- NAME: end -->`.
// `bun run docs` writes them anew.
import { expect } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const DOCS = join(import.meta.dir, "../../docs");
const UPDATE = "run `bun run docs`";

/** Expects the part to be a table with these rows, the first being its head. */
export function expectDocsTable(page: string, name: string, rows: readonly (readonly string[])[]): void {
  const cells = rows.map((row) => row.map((cell) => cell.replaceAll("|", "\\|")));
  const [head = [], ...body] = cells;
  const lines = [head, head.map(() => "---"), ...body].map((row) => `| ${row.join(" | ")} |`);
  const written = partOf(page, name, lines.join("\n"));
  expect({ page, name, UPDATE, rows: cellsOf(written) }).toEqual({ page, name, UPDATE, rows: cells });
}

/** Expects the part to be this Markdown. */
export function expectDocsText(page: string, name: string, text: string): void {
  expect({ page, name, UPDATE, text: partOf(page, name, text) }).toEqual({ page, name, UPDATE, text });
}

/** What stands there; with HUB_WRITE_DOCS in the environment, after `text` was written there. */
function partOf(page: string, name: string, text: string): string {
  const path = join(DOCS, page);
  const [begin, end] = [`<!-- ${name}: begin -->`, `<!-- ${name}: end -->`];
  const whole = readFileSync(path, "utf8");
  const [from, to] = [whole.indexOf(begin), whole.indexOf(end)];
  if (from < 0 || to < from) throw new Error(`docs/${page} has no lines ${begin} and ${end}`);
  if (!process.env.HUB_WRITE_DOCS) return whole.slice(from + begin.length, to).trim();
  writeFileSync(path, `${whole.slice(0, from)}${begin}\n\n${text}\n\n${whole.slice(to)}`);
  return text;
}

function cellsOf(table: string): string[][] {
  return table
    .split("\n")
    .filter((_, index) => index !== 1)
    .map((line) =>
      line
        .slice(1, -1)
        .split(/(?<!\\)\|/)
        .map((cell) => cell.trim()),
    );
}
