// What runs in the machine that escape-kernel.ts boots: the scene that its kernel gives, as a user and as root. Bundled into one file.
// Usage: guest.js BOOT, in that machine.
import { mkdirSync, readFileSync } from "node:fs";
import { OWNER } from "../../support/home-owner.ts";
import { broke, compare, print, printTotals } from "../checks.ts";
import { type Boot, MARK, type Row } from "./machine.ts";
import { HOLDERS, play, type Scene } from "./scene.ts";

const [boot = ""] = process.argv.slice(2);
const work = "/tmp/work";
const LIMIT = /sysctl user\.max_user_namespaces/;

const KINDS: Readonly<Record<Boot, Pick<Scene, "heldBy" | "held">>> = {
  namespaces: { heldBy: "namespaces", held: HOLDERS.view },
  calls: { heldBy: "system_calls", held: HOLDERS.calls },
  landlock: { heldBy: "landlock", held: HOLDERS.view },
};

try {
  const kind = KINDS[boot as Boot];
  mkdirSync(work, { mode: 0o711 });
  const modules = readFileSync("/sys/kernel/security/lsm", "utf8").trim();
  print(`     ${readFileSync("/proc/version", "utf8").trim()}; ${modules}`);
  compare(`${boot}: whether this kernel has Landlock`, modules.split(",").includes("landlock"), boot === "landlock");
  for (const [user, uid] of [["a user", OWNER] as const, ["root", 0] as const]) {
    const scene = { name: `${boot}, ${user}`, before: [], uid, ...kind };
    const outcome = await play(scene, { binary: "/srv/hub", ways: "/srv/ways", work });
    if (boot === "calls") compare(`${scene.name}: the record names the limit`, LIMIT.test(outcome.detail), true);
    print(MARK + JSON.stringify({ boot, user, held_by: kind.heldBy, ...outcome } satisfies Row));
  }
} catch (error) {
  broke(error);
}
process.exitCode = printTotals();
