// The help out of the compiled hub: all documents, for whoever can reach the hub, with links that lead somewhere and a search.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { Glob } from "bun";
import { Parser } from "htmlparser2";
import MiniSearch from "minisearch";
import { type Findable, SEARCH } from "../../src/page/help/search-options.ts";
import { createHubPlace } from "../support/hub-place.ts";

const ROOT = resolve(import.meta.dir, "../..");
const place = createHubPlace();
let origin: string;
let pages: ReadonlyMap<string, Shown>;
beforeAll(async () => {
  origin = new URL((await place.start()).api).origin;
  pages = await everyPage();
});
afterAll(() => place[Symbol.asyncDispose]());

interface Shown {
  status: number;
  headings: string[];
  ids: Set<string>;
  links: string[];
  /** What the browser fetches by itself. */
  files: string[];
  html: string;
}

/** Without a login, as a browser asks. */
const ask = (path: string, headers: Record<string, string> = {}) =>
  fetch(origin + path, { headers: { accept: "text/html", ...headers } });

async function show(path: string): Promise<Shown> {
  const answer = await ask(path);
  const html = await answer.text();
  const shown: Shown = { status: answer.status, headings: [], ids: new Set(), links: [], files: [], html };
  let isHeading = false;
  const parser = new Parser({
    onopentag(name, { id, href, src, "data-index": index }) {
      if (id !== undefined) shown.ids.add(id);
      if (href !== undefined) (name === "a" ? shown.links : shown.files).push(href);
      shown.files.push(...[src, index].filter((one) => one !== undefined));
      if (name === "h1" || name === "h2") shown.headings.push("");
      isHeading ||= name === "h1" || name === "h2";
    },
    ontext(text) {
      if (isHeading) shown.headings.push((shown.headings.pop() ?? "") + text);
    },
    onclosetag(name) {
      if (name === "h1" || name === "h2") isHeading = false;
    },
  });
  parser.end(html);
  return shown;
}

const isHelp = (path: string): boolean => path === "/help" || path.startsWith("/help/");

/** From its beginning, by its links. */
async function everyPage(): Promise<ReadonlyMap<string, Shown>> {
  const seen = new Map<string, Shown>();
  const ahead = ["/help"];
  for (let path = ahead.pop(); path !== undefined; path = ahead.pop()) {
    if (seen.has(path)) continue;
    const shown = await show(path);
    seen.set(path, shown);
    ahead.push(...shown.links.map((link) => link.split("#")[0] ?? "").filter(isHelp));
  }
  return seen;
}

test("it answers without a login, as the page does: compressed, and with its ETag and its policy", async () => {
  const answer = await ask("/help", { "accept-encoding": "gzip" });
  const { headers } = answer;
  expect(answer.status).toBe(200);
  expect(headers.get("content-type")).toBe("text/html; charset=utf-8");
  expect(headers.get("content-encoding")).toBe("gzip");
  expect(headers.get("content-security-policy")).toBe((await ask("/")).headers.get("content-security-policy"));
  expect((await ask("/help", { "if-none-match": headers.get("etag") ?? "" })).status).toBe(304);
  expect(await (await ask("/help/")).text()).toBe(await answer.text());
});

test("a program that takes nothing compressed reads it, too", async () => {
  const answer = await ask("/help/rules/time", { "accept-encoding": "identity" });
  expect(answer.headers.get("content-encoding")).toBeNull();
  expect(await answer.text()).toBe(pages.get("/help/rules/time")?.html ?? "");
});

test("every link in it leads to a page, and to a heading that is there", () => {
  const broken = [...pages].flatMap(([path, { links, ids }]) =>
    links
      .filter((link) => {
        const [to = "", anchor] = link.split("#");
        if (/^https?:/.test(link) || to === "/") return false;
        const target = to === "" ? ids : pages.get(to)?.ids;
        return target === undefined || (anchor !== undefined && !target.has(anchor));
      })
      .map((link) => `${path}: ${link}`),
  );
  expect(broken).toEqual([]);
  // An address that is none gets the page of the house, which has no such frame.
  const others = [...pages].filter(([, { status, html }]) => status !== 200 || !html.includes('role="search"'));
  expect(others.map(([path]) => path)).toEqual([]);
});

test("every document is in it", () => {
  const headings = new Set([...pages.values()].flatMap((page) => page.headings));
  const plain = (markdown: string): string => markdown.replaceAll("`", "");
  const documents = [...new Glob("docs/**/*.md").scanSync({ cwd: ROOT }), "plugins/README.md"];
  expect(documents.length).toBeGreaterThan(200);
  const missing = documents.filter((document) => {
    const [, title = ""] = /^# (.*)$/m.exec(readFileSync(join(ROOT, document), "utf8")) ?? [];
    return !headings.has(plain(title));
  });
  expect(missing).toEqual([]);
});

test("a browser fetches nothing for it but the hub's own files", async () => {
  const files = new Set([...pages.values()].flatMap((page) => page.files));
  expect([...files].filter((file) => !file.startsWith("/"))).toEqual([]);
  for (const file of files) expect([file, (await ask(file, { accept: "*/*" })).status]).toEqual([file, 200]);
  for (const { html } of pages.values()) expect(html).not.toMatch(/<script(?![^>]*src=)|<style|\sstyle=|<img/);
});

test("what is searched is found, at a heading that is there", async () => {
  const [index = ""] = pages.get("/help")?.files.filter((file) => file.endsWith(".json")) ?? [];
  const search = MiniSearch.loadJSON<Findable>(await (await ask(index, { accept: "*/*" })).text(), SEARCH);
  const found = (asked: string): string => String(search.search(asked)[0]?.id);
  expect(found("quiet hours")).toStartWith("/help/notifications");
  expect(found("run_mode")).toBe("/help/rules/fields#run_mode");
  expect(found("webhoks")).toContain("webhooks");
  expect(found("max_reading_ms_per_second")).toStartWith("/help/");
  const ids = ["rule", "the", "a", "device", "mqtt"].flatMap((word) => search.search(word).map(({ id }) => String(id)));
  expect(ids.length).toBeGreaterThan(300);
  const nowhere = ids.filter((id) => {
    const [path = "", anchor] = id.split("#");
    return !(anchor === undefined ? pages.has(path) : pages.get(path)?.ids.has(anchor));
  });
  expect(nowhere).toEqual([]);
});
