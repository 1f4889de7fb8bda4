// A plugin in C that tries three hundred ways out against the compiled hub, another plugin, the kernel and the files: with Landlock, on
// a kernel that seems to have none, and where there are no namespaces either. None may work that is held there, and the host is looked at afterwards.
// Usage: bun test/interop/escape.ts [HUB], as root. Needs gcc with libc6-dev, and setpriv.
import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { OWNER } from "../support/home-owner.ts";
import { broke, printTotals } from "./checks.ts";
import { compile, compileWays } from "./escape/compile.ts";
import { HOLDERS, play, type Scene } from "./escape/scene.ts";

const [binary = resolve(import.meta.dir, "..", "..", "bin", "hub")] = process.argv.slice(2);
const work = mkdtempSync(join(tmpdir(), "hub-escape-"));
chmodSync(work, 0o711);

try {
  const ways = compileWays(work);
  const withoutLandlock = compile(join(work, "no-landlock"), ["no-landlock.c"]);
  const users = [
    ["a user", OWNER],
    ["root", 0],
  ] as const;
  for (const [user, uid] of users) {
    const scenes: Scene[] = [
      { name: `Landlock, ${user}`, heldBy: "landlock", before: [], uid, held: HOLDERS.view },
      { name: `namespaces, ${user}`, heldBy: "namespaces", before: [withoutLandlock], uid, held: HOLDERS.view },
      {
        name: `calls alone, ${user}`,
        heldBy: "system_calls",
        before: [withoutLandlock, "--no-namespaces"],
        uid,
        held: HOLDERS.calls,
      },
    ];
    for (const scene of scenes) await play(scene, { binary, ways, work });
  }
} catch (error) {
  broke(error);
} finally {
  rmSync(work, { recursive: true, force: true });
}
process.exitCode = printTotals();
