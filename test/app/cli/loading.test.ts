// What a command loads before it does anything. A static import of one of these libraries costs every start milliseconds and
// megabytes: see docs/decisions/0131-what-a-start-loads.md.
import { expect, test } from "bun:test";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import { configText } from "../../support/hub-place.ts";
import { createTemporaryFolder } from "../../support/temporary-folder.ts";

const root = resolve(import.meta.dir, "..", "..", "..");

/** Loaded when they are first needed: libraries, and rooms of the hub's own. */
const LATER = [
  /^node_modules\/(@marcbachmann\/cel-js|fflate|nodemailer|age-encryption|ical\.js|@elysiajs\/(openapi|jwt)|jose|@modelcontextprotocol|zod|@nats-io)\//,
  /^src\/app\/import\//,
  /^src\/api\/mcp\/(?!config)/,
  /^src\/api\/http\/(openapi\/|routes\/(?!health))/,
  /^src\/app\/cli\/(?!run|index|process-io|usage|version|serve|command|prepare|assets|profile-assets|credentials|restartable)/,
  /^src\/rules\/expression\/(cel|compile|environment)\.ts$/,
  /^src\/copies\/backup\/(restore|stage|archive|save-archive|encryption|worker|zip\/(container|wide-container|unpack))\.ts$/,
  /^src\/house\/calendars\/read\.ts$/,
  /^src\/reach\/export\/(?!config|running)/,
  /^src\/copies\/standby\/lease\//,
  /^src\/reach\/notify\/outbox\/(adopt|left-behind|recent)/,
  /worker\.ts$/,
];
/** Modules of the runtime that take as long to load as the smallest program. */
const LARGE = /^import (?!type).*from "node:(http|https|http2|tls|zlib|worker_threads|readline)";$/m;

interface Start {
  /** Paths from the root. */
  modules: string[];
  zoneAsked: boolean;
}

async function startOf(...args: string[]): Promise<Start> {
  const child = Bun.spawn([process.execPath, join(import.meta.dir, "loaded-modules.ts"), ...args], {
    cwd: root,
    stdout: "pipe",
    stderr: "pipe",
  });
  const [text, errors, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited]);
  expect({ errors, code }).toEqual({ errors: "", code: 0 });
  const { modules, zoneAsked } = JSON.parse(text) as Start;
  return { modules: modules.map((path) => relative(root, path)), zoneAsked };
}

async function loadedBy(...args: string[]): Promise<string[]> {
  return (await startOf(...args)).modules;
}

test.each(["version", "--help"])("`hub %s` loads next to nothing", async (word) => {
  const loaded = await loadedBy(word);
  expect(loaded).toContain("src/app/cli/run.ts");
  expect(loaded.length).toBeLessThan(12);
});

test("a hub with an empty home starts without what it may never need", async () => {
  const folder = createTemporaryFolder();
  const home = folder.at("home");
  mkdirSync(join(home, "config"), { recursive: true });
  writeFileSync(join(home, "config", "hub.toml"), configText(), { mode: 0o600 });
  await loadedBy("serve", "--home", home);
  const { modules: loaded, zoneAsked } = await startOf("serve", "--home", home);
  expect(loaded).toContain("src/app/hub.ts");
  expect(loaded.filter((path) => LATER.some((pattern) => pattern.test(path)))).toEqual([]);
  const own = loaded.filter((path) => path.startsWith("src/") && path.endsWith(".ts") && existsSync(join(root, path)));
  // The first question about a time zone takes 5 ms.
  expect(zoneAsked).toBe(false);
  expect(own.filter((path) => LARGE.test(readFileSync(join(root, path), "utf8")))).toEqual([]);
});
