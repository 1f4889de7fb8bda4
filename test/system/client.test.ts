// The TypeScript client made from the hub's document: what its README shows compiles, mistakes do not, and it talks to a hub.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { createHubPlace } from "../support/hub-place.ts";
import type { HubProcess } from "../support/hub-process.ts";
import { createTemporaryFolder } from "../support/temporary-folder.ts";

const root = resolve(import.meta.dir, "..", "..");
const folder = createTemporaryFolder();
const place = createHubPlace();
let hub: HubProcess;

async function run(command: string[], cwd: string): Promise<{ code: number; text: string }> {
  const child = Bun.spawn(command, { cwd, stdout: "pipe", stderr: "pipe" });
  const texts = [new Response(child.stdout).text(), new Response(child.stderr).text()];
  return { text: (await Promise.all(texts)).join(""), code: await child.exited };
}

beforeAll(async () => {
  hub = await place.start();
  expect(await run([process.execPath, "src/app/release/client/build.ts"], root)).toMatchObject({ code: 0 });
  // As npm installs it.
  const modules = folder.at("node_modules");
  mkdirSync(join(modules, "hub-client"), { recursive: true });
  const packed = join(root, "dist", "client", "hub-client.tgz");
  const unpacked = await run(["tar", "xzf", packed, "-C", join(modules, "hub-client"), "--strip-components=1"], root);
  expect(unpacked).toEqual({ code: 0, text: "" });
  for (const name of ["openapi-fetch", "openapi-typescript-helpers"])
    symlinkSync(join(root, "node_modules", name), join(modules, name));
  writeFileSync(folder.at("package.json"), '{"type":"module"}');
});
afterAll(async () => {
  await place[Symbol.asyncDispose]();
  folder[Symbol.dispose]();
});

test("what its README shows compiles, and what is not in the API does not", async () => {
  const readme = readFileSync(join(root, "src", "app", "release", "client", "README.md"), "utf8");
  const [, example = ""] = /```ts\n([\s\S]+?)```/.exec(readme) ?? [];
  expect(example).toContain("createHubClient");
  writeFileSync(folder.at("example.ts"), `declare const process: { env: Record<string, string> };\n${example}`);
  writeFileSync(
    folder.at("wrong.ts"),
    `import { createHubClient } from "hub-client";
const hub = createHubClient({ url: "http://hub.local" });
await hub.GET("/api/v1/toasters");
await hub.POST("/api/v1/areas", { body: { title: "Kitchen" } });
`,
  );
  const flags = ["--ignoreConfig", "--noEmit", "--strict", "--target", "ES2022", "--module", "NodeNext"];
  const env = ["--lib", "ES2022,DOM,DOM.Iterable", "--types", ""];
  const tsc = join(root, "node_modules", ".bin", "tsc");
  const { code, text } = await run([tsc, "example.ts", "wrong.ts", ...flags, ...env], folder.path);
  expect(code).not.toBe(0);
  const places = [...text.matchAll(/^(\S+\(\d+),/gm)].map(([, place]) => place);
  expect({ text, places: [...new Set(places)] }).toEqual({ text, places: ["wrong.ts(3", "wrong.ts(4"] });
});

test("it talks to a hub: what it sends arrives, and refusals are reported", async () => {
  const { createHubClient } = (await import(folder.at("node_modules", "hub-client", "index.js"))) as {
    createHubClient(options: object): Record<"GET" | "POST", (path: string, init?: object) => Promise<Talk>>;
  };
  interface Talk {
    data?: unknown;
    error?: unknown;
    response: Response;
  }
  const url = new URL(hub.api).origin;
  const client = createHubClient({ url, token: () => hub.adminToken() });
  const made = await client.POST("/api/v1/areas", { body: { name: "Kitchen" } });
  expect(made.data).toMatchObject({ id: "kitchen", name: "Kitchen" });
  const found = await client.GET("/api/v1/areas/{id}", { params: { path: { id: "kitchen" } } });
  expect(found.data).toEqual(made.data);
  const missing = await client.GET("/api/v1/areas/{id}", { params: { path: { id: "attic" } } });
  expect(missing.error).toMatchObject({ status: 404, detail: expect.stringContaining("attic") });
  const stranger = await createHubClient({ url: `${url}/` }).GET("/api/v1/areas");
  expect(stranger.response.status).toBe(401);
});
