// The table of roles in docs/api.md names every route with the role it asks for. After a change to the routes,
// `HUB_WRITE_DOCS=1 bun test test/contract/roles-table.test.ts && bun run fix` writes it anew.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { startTestHub, type TestHub } from "../support/test-hub.ts";

const PAGE = join(import.meta.dir, "../../docs/api.md");
const [BEGIN, END] = ["<!-- roles: begin -->", "<!-- roles: end -->"];
const ORDER = ["public", "viewer", "user", "admin"];

let hub: TestHub;
beforeAll(async () => {
  hub = await startTestHub();
});
afterAll(() => hub[Symbol.asyncDispose]());

async function declared(): Promise<string[][]> {
  const document = (await (await hub.request("GET", "/openapi.json")).json()) as {
    paths: Record<string, Record<string, { summary: string; "x-access": string }>>;
  };
  const rows = Object.entries(document.paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, { summary, "x-access": access }]) => ({
      access,
      path: path.replace("/api/v1", "").replace(/\{(\w+)\}/g, ":$1"),
      method: method.toUpperCase(),
      summary,
    })),
  );
  return rows
    .sort((a, b) => ORDER.indexOf(a.access) - ORDER.indexOf(b.access) || (a.path < b.path ? -1 : 1))
    .map(({ access, method, path, summary }) => [
      `\`${access}\``,
      `\`${method} ${path}\``,
      summary.replaceAll("|", "\\|"),
    ]);
}

function written(page: string): string[][] {
  const table = page
    .slice(page.indexOf(BEGIN) + BEGIN.length, page.indexOf(END))
    .trim()
    .split("\n");
  return table.slice(2).map((line) =>
    line
      .slice(1, -1)
      .split(/(?<!\\)\|/)
      .map((cell) => cell.trim()),
  );
}

test("the table of roles is what the routes declare", async () => {
  const rows = await declared();
  if (process.env.HUB_WRITE_DOCS) {
    const page = readFileSync(PAGE, "utf8");
    const lines = [["role", "request", "what it does"], ["---", "---", "---"], ...rows].map(
      (row) => `| ${row.join(" | ")} |`,
    );
    const text = `${page.slice(0, page.indexOf(BEGIN) + BEGIN.length)}\n\n${lines.join("\n")}\n\n${page.slice(page.indexOf(END))}`;
    await Bun.write(PAGE, text);
  }
  expect(rows.length).toBeGreaterThan(80);
  expect(written(readFileSync(PAGE, "utf8"))).toEqual(rows);
});
