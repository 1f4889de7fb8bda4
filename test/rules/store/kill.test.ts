// A hub that dies while it writes a rule file: the old text or the new one is there, and nothing else stays for long.
import { expect, test } from "bun:test";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createTemporaryFolder } from "../../support/temporary-folder.ts";
import { openRulesRig, toml } from "./rig.ts";

const ID = "11111111-1111-4111-8111-111111111111";

test(
  "killed at any moment, it leaves a whole text",
  async () => {
    using folder = createTemporaryFolder();
    const path = folder.at("a.toml");
    const texts = [toml("old", { id: ID }), `# ${"°".repeat(50_000)}\n${toml("new", { id: ID })}`];
    writeFileSync(path, texts[0] ?? "");
    const seen = new Set<number>();
    // On a busy machine it is more rounds until it was killed after either.
    for (let round = 0; round < 15 || (round < 60 && seen.size < 2); round++) {
      const writer = Bun.spawn([process.execPath, join(import.meta.dir, "writer.ts"), path, ...texts], {
        stdout: "pipe",
      });
      await writer.stdout.getReader().read();
      // Each round kills it later: before, during and after a write.
      await Bun.sleep(1 + 3 * round);
      writer.kill("SIGKILL");
      await writer.exited;
      const found = texts.indexOf(readFileSync(path, "utf8"));
      expect(found).toBeGreaterThanOrEqual(0);
      seen.add(found);
    }
    expect(seen.size).toBe(2);
  },
  { retry: 0 },
);

test("what it left half written is taken away at the next start, and nothing of the user's is", async () => {
  await using rig = await openRulesRig({ "a.toml": toml("A", { id: ID }) });
  await rig.restart(() => {
    rig.put("a.toml.4711.tmp", "half");
    rig.put("a.toml.bak", "kept");
  });
  expect(readdirSync(rig.folder).sort()).toEqual(["a.toml", "a.toml.bak"]);
  expect(rig.states()).toEqual(["A: enabled"]);
});
