// Compiled hubs of other versions (test/interop/other-hub.ts), each compiled once for the bin/hub there is, and used by all tests.
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, statSync } from "node:fs";
import { join, resolve } from "node:path";

const ROOT = resolve(import.meta.dir, "..", "..");
const FOLDER = join(ROOT, "dist", "other-hubs");

export type OtherKind =
  | "plain"
  | "converting"
  | "late"
  | "overwriting"
  | "emptying"
  | "hanging"
  | "confused"
  | "curious";

/** Its path. It must stay as it is. */
export async function otherHub(version: string, kind: OtherKind = "plain"): Promise<string> {
  const { mtimeMs, size } = statSync(join(ROOT, "bin", "hub"));
  const folder = join(FOLDER, `${Math.trunc(mtimeMs)}-${size}`);
  const path = join(folder, `${version}-${kind}`);
  if (existsSync(path)) return path;
  mkdirSync(folder, { recursive: true });
  for (const name of readdirSync(FOLDER)) {
    if (join(FOLDER, name) !== folder) rmSync(join(FOLDER, name), { recursive: true, force: true });
  }
  const begun = `${path}.${process.pid}`;
  const script = join(ROOT, "test", "interop", "other-hub.ts");
  const child = Bun.spawn([process.execPath, script, begun, version, kind], { stdout: "inherit", stderr: "inherit" });
  if ((await child.exited) !== 0) throw new Error(`the hub of version ${version} (${kind}) was not compiled`);
  renameSync(begun, path);
  return path;
}
