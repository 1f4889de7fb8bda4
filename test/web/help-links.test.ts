// Where the page leads to the help, there is something to read.
import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Glob } from "bun";
import "./browser.ts";
import { helpOf } from "../../src/page/model/config/config-words.ts";

const ROOT = join(import.meta.dir, "../..");
// These know of files, of which the page's project knows nothing.
const { renderHelp } = (await import(join(ROOT, "src/page/help/render.ts"))) as {
  renderHelp: (root: string) => readonly { path: string; html: string }[];
};
const { configFormSchema } = (await import(join(ROOT, "src/app/config/form-schema.ts"))) as {
  configFormSchema: () => { properties?: object };
};

const pages = new Map(renderHelp(ROOT).map(({ path, html }) => [path, html]));

function isThere(link: string): boolean {
  const [path = "", anchor] = link.split("#");
  const html = pages.get(`/help/${path}`);
  return html !== undefined && (anchor === undefined || html.includes(`id="${anchor}"`));
}

test("every section of hub.toml has its place in the help", () => {
  const sections = Object.keys(configFormSchema().properties ?? {});
  expect(sections.length).toBeGreaterThan(15);
  expect(sections.map(helpOf).filter((link) => !isThere(link))).toEqual([]);
});

test("views lead to pages of it that there are", () => {
  const sources = join(ROOT, "src/page");
  const links = [...new Glob("**/*.tsx").scanSync({ cwd: sources })].flatMap((file) =>
    [...readFileSync(join(sources, file), "utf8").matchAll(/<HelpLink to="([^"]+)"/g)].map(([, to = ""]) => to),
  );
  expect(links.length).toBeGreaterThan(3);
  expect(links.filter((link) => !isThere(link))).toEqual([]);
});
