// The page as a browser gets it: one file of many, compressed, kept where its name says it cannot change.
import { afterAll, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { brotliCompressSync, brotliDecompressSync, gunzipSync, gzipSync } from "node:zlib";
import { createPage } from "../../../src/api/http/page.ts";
import { type PackedFile, packed } from "../../../src/kit/files/pack.ts";
import { createTemporaryFolder } from "../../support/temporary-folder.ts";

const folder = createTemporaryFolder();
afterAll(() => folder[Symbol.dispose]());
const text = (content: string, more: Partial<PackedFile>): PackedFile => ({
  ...{ path: "/", type: "text/plain", etag: `"${content}"`, hashed: false },
  encodings: { identity: new TextEncoder().encode(content) },
  ...more,
});
const script = "console.log(1)".repeat(20);
writeFileSync(
  folder.at("page.pack"),
  packed([
    text("<html>", { path: "/index.html", type: "text/html; charset=utf-8" }),
    text("<html> of the help", {
      ...{ path: "/help", type: "text/html; charset=utf-8" },
      encodings: { gzip: gzipSync("<html> of the help") },
    }),
    text(script, {
      ...{ path: "/main-abcdefgh.js", hashed: true },
      encodings: {
        identity: new TextEncoder().encode(script),
        br: brotliCompressSync(script),
        gzip: gzipSync(script),
      },
    }),
  ]),
);
const page = createPage(folder.at("page.pack"), ["/api"]);
const ask = (path: string, headers: Record<string, string> = {}, method = "GET") =>
  page.find(new Request(`http://hub${path}`, { method, headers }), path)?.();

test("the start and every view's address are the page", async () => {
  expect(await ask("/")?.text()).toBe("<html>");
  expect(await ask("/devices/hall", { accept: "text/html,*/*" })?.text()).toBe("<html>");
  expect(ask("/", {}, "HEAD")?.headers.get("content-length")).toBe("6");
});

test.each([
  ["the API", "/api/v1/nothing", { accept: "text/html" }, "GET"],
  ["a file that is missing", "/main-00000000.js", { accept: "*/*" }, "GET"],
  ["what would change something", "/", { accept: "text/html" }, "POST"],
])("%s is none of it", (_, path, headers, method) => {
  expect(ask(path, headers as Record<string, string>, method)).toBeUndefined();
});

test("it is sent compressed as the browser takes it", async () => {
  const bytes = async (accepted: string) => {
    const answer = ask("/main-abcdefgh.js", { "accept-encoding": accepted });
    const body = Buffer.from((await answer?.arrayBuffer()) ?? new ArrayBuffer());
    return { as: answer?.headers.get("content-encoding") ?? null, body };
  };
  const br = await bytes("gzip, deflate, br");
  expect([br.as, brotliDecompressSync(br.body).toString()]).toEqual(["br", script]);
  const gzip = await bytes("gzip, br;q=0");
  expect([gzip.as, gunzipSync(gzip.body).toString()]).toEqual(["gzip", script]);
  const plain = await bytes("");
  expect([plain.as, plain.body.toString()]).toEqual([null, script]);
});

test("what is there as gzip alone is unpacked for whoever does not take that", async () => {
  const sent = ask("/help", { "accept-encoding": "br, gzip" });
  expect(sent?.headers.get("content-encoding")).toBe("gzip");
  expect(gunzipSync(await (sent as Response).arrayBuffer()).toString()).toBe("<html> of the help");
  const plain = ask("/help/", { "accept-encoding": "br" });
  expect(plain?.headers.get("content-encoding")).toBeNull();
  expect(await plain?.text()).toBe("<html> of the help");
  expect(await ask("/help", {}, "HEAD")?.text()).toBe("");
});

test("hashed files are kept, all others are asked for again", () => {
  expect(ask("/main-abcdefgh.js")?.headers.get("cache-control")).toContain("immutable");
  const index = ask("/");
  expect(index?.headers.get("cache-control")).toBe("no-cache");
  expect(ask("/", { "if-none-match": index?.headers.get("etag") ?? "" })?.status).toBe(304);
  expect(ask("/", { "if-none-match": '"other"' })?.status).toBe(200);
});

test("nothing but the hub's own files runs in it", () => {
  const policy = ask("/")?.headers.get("content-security-policy") ?? "";
  expect(policy).toContain("default-src 'self'");
  expect(policy).not.toMatch(/unsafe|\*|https?:/);
});
