// Hubs of other versions (test/interop/other-hub.ts): compiled once for the bin/hub there is, stamped once each, and used by all tests.
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { stampHub } from "./stamped-hub.ts";

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
  return make(join(folder, `${version}-${kind}`), async (begun) => {
    stampHub(await anyHub(folder), begun, { version, kind });
  });
}

/** The one that can become each of them. Test files that run side by side may compile it twice; that is rare, and no harm. */
function anyHub(folder: string): Promise<string> {
  mkdirSync(folder, { recursive: true });
  for (const name of readdirSync(FOLDER)) {
    if (join(FOLDER, name) !== folder) rmSync(join(FOLDER, name), { recursive: true, force: true });
  }
  return make(join(folder, "any"), async (begun) => {
    const script = join(ROOT, "test", "interop", "other-hub.ts");
    const child = Bun.spawn([process.execPath, script, begun], { stdout: "inherit", stderr: "inherit" });
    if ((await child.exited) !== 0) throw new Error("the hub of other versions was not compiled");
  });
}

/** A file is there whole or not at all. */
async function make(path: string, write: (begun: string) => Promise<void>): Promise<string> {
  if (existsSync(path)) return path;
  const begun = `${path}.${process.pid}`;
  await write(begun);
  renameSync(begun, path);
  return path;
}
