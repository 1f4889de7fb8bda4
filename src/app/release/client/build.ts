// Makes the TypeScript client in dist/client from the OpenAPI document of a hub, and packs it as dist/client/hub-client.tgz:
// bun src/app/release/client/build.ts [HUB], of bin/hub where no executable is named.
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { ts } from "@ts-morph/common";
import manifest from "../../../../package.json" with { type: "json" };

const root = resolve(import.meta.dir, "..", "..", "..", "..");
const executable = resolve(process.argv[2] ?? join(root, "bin", "hub"));
const STARTS_WITHIN_MS = 60_000;

/** The document of the hub, which is started for it. */
async function readDocument(): Promise<string> {
  const home = mkdtempSync(join(tmpdir(), "hub-client-"));
  mkdirSync(join(home, "config"));
  const config = `[server]\nhost = "127.0.0.1"\nport = 0\n[auth]\njwt_secret = "${crypto.randomUUID()}"\n[mqtt]\nhost = "127.0.0.1"\nport = 0\nanonymous = true\n`;
  writeFileSync(join(home, "config", "hub.toml"), config, { mode: 0o600 });
  const hub = Bun.spawn([executable, "serve", "--home", home], {
    env: { PATH: process.env.PATH ?? "" },
    stdout: "pipe",
    stderr: "inherit",
    timeout: STARTS_WITHIN_MS,
  });
  try {
    let said = "";
    for await (const bytes of hub.stdout) {
      said += new TextDecoder().decode(bytes);
      const [, port] = /the API answers .*\bport=(\d+)/.exec(said) ?? [];
      if (port === undefined) continue;
      const response = await fetch(`http://127.0.0.1:${port}/api/v1/openapi.json`);
      if (!response.ok) throw new Error(`the hub gave no document: ${response.status}`);
      return await response.text();
    }
    throw new Error(`${executable} did not start:\n${said}`);
  } finally {
    hub.kill();
    await hub.exited;
    rmSync(home, { recursive: true, force: true });
  }
}

// The generator writes with the compiler's own functions, which TypeScript has no more since it is a native program.
async function typesOf(document: string): Promise<string> {
  Bun.plugin({
    name: "the compiler as a library",
    setup: (build) => void build.module("typescript", () => ({ exports: { default: ts, ...ts }, loader: "object" })),
  });
  const { default: generate, astToString } = await import("openapi-typescript");
  return astToString(await generate(document));
}

async function run(...command: string[]): Promise<void> {
  const child = Bun.spawn(command, { cwd: join(root, "dist", "client"), stdout: "pipe", stderr: "inherit" });
  const said = await new Response(child.stdout).text();
  if ((await child.exited) !== 0) throw new Error(`${command.join(" ")} failed:\n${said}`);
}

const folder = join(root, "dist", "client");
rmSync(folder, { recursive: true, force: true });
mkdirSync(folder, { recursive: true });
writeFileSync(join(folder, "schema.d.ts"), await typesOf(await readDocument()));
for (const file of ["index.ts", "README.md"]) copyFileSync(join(import.meta.dir, file), join(folder, file));
copyFileSync(join(root, "LICENSE"), join(folder, "LICENSE"));
const { version, license, devDependencies } = manifest;
const about = {
  ...{ name: "hub-client", version, license, description: "The API of the hub, with types", type: "module" },
  exports: { ".": { types: "./index.d.ts", default: "./index.js" } },
  files: ["index.js", "index.d.ts", "schema.d.ts"],
  dependencies: { "openapi-fetch": devDependencies["openapi-fetch"] },
};
writeFileSync(join(folder, "package.json"), `${JSON.stringify(about, undefined, 2)}\n`);
const target = ["--target", "ES2022", "--module", "NodeNext", "--lib", "ES2022,DOM,DOM.Iterable", "--types", ""];
await run(
  join(root, "node_modules", ".bin", "tsc"),
  "index.ts",
  "--ignoreConfig",
  "--strict",
  "--declaration",
  ...target,
);
rmSync(join(folder, "index.ts"));
await run(process.execPath, "pm", "pack", "--filename", join(folder, "hub-client.tgz"), "--quiet");
process.stdout.write(`${folder}: hub-client ${version}\n`);
