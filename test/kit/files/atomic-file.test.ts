import { describe, expect, test } from "bun:test";
import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import {
  createFile,
  exchangeFiles,
  replaceFile,
  sweepTemporaryFiles,
  writeFileAtomic,
} from "../../../src/kit/files/atomic-file.ts";
import { createTemporaryFolder } from "../../support/temporary-folder.ts";

function place() {
  const folder = createTemporaryFolder();
  const path = folder.at("a.toml");
  return { folder, path, read: () => readFileSync(path, "utf8"), [Symbol.dispose]: () => folder[Symbol.dispose]() };
}

test("two files are exchanged", () => {
  using at = place();
  writeFileSync(at.path, "one");
  writeFileSync(at.folder.at("b"), "two");
  expect(exchangeFiles(at.path, at.folder.at("b"))).toBe(true);
  expect([at.read(), readFileSync(at.folder.at("b"), "utf8")]).toEqual(["two", "one"]);
  expect(exchangeFiles(at.path, at.folder.at("not there"))).toBe(false);
  expect(at.read()).toBe("two");
});

test("a file is replaced only if it has the content that was read", () => {
  using at = place();
  writeFileSync(at.path, "read");
  expect(replaceFile(at.path, { expected: "read", content: "mine", mode: 0o640 })).toBe(true);
  expect(at.read()).toBe("mine");
  expect(statSync(at.path).mode & 0o777).toBe(0o640);
  expect(replaceFile(at.path, { expected: "read", content: "again", mode: 0o640 })).toBe(false);
  expect(at.read()).toBe("mine");
  expect(replaceFile(at.folder.at("gone"), { expected: "", content: "x", mode: 0o600 })).toBe(false);
  expect(readdirSync(at.folder.path)).toEqual(["a.toml"]);
});

test("a new file does not replace an existing one", () => {
  using at = place();
  expect(createFile(at.path, "mine", 0o600)).toBe(true);
  expect(createFile(at.path, "other", 0o600)).toBe(false);
  expect(at.read()).toBe("mine");
  expect(statSync(at.path).nlink).toBe(1);
  expect(readdirSync(at.folder.path)).toEqual(["a.toml"]);
});

test("a file is complete or unchanged, and nothing is left beside it", () => {
  using folder = createTemporaryFolder();
  writeFileAtomic(folder.at("a"), "one");
  writeFileAtomic(folder.at("a"), "two", 0o600);
  expect(readFileSync(folder.at("a"), "utf8")).toBe("two");
  expect(() => writeFileAtomic(folder.at("missing", "a"), "x")).toThrow("ENOENT");
  expect(() => writeFileAtomic("/dev/full/x", "x")).toThrow();
  expect(readdirSync(folder.path)).toEqual(["a"]);
});

describe("two quick saves of an editor around a write", () => {
  for (const how of ["rename", "in place", "remove"])
    test(`no last save is lost: ${how}`, async () => {
      using at = place();
      let [marked, refused] = [0, 0];
      // On a busy machine the two meet less often: more rounds, until they have met often enough.
      for (let run = 0; run < 10 && (marked <= 100 || refused === 0); run++) {
        const met = await markWhileSaving(at.path, how);
        expect(met.lost).toBe(0);
        marked += met.marked;
        refused += met.refused;
      }
      expect(marked).toBeGreaterThan(100);
      expect(refused).toBeGreaterThan(0);
      expect(readdirSync(at.folder.path)).toEqual(["a.toml"]);
    }, 120_000);
});

/** Marks the saves of an editor (saver.ts) while it saves. */
async function markWhileSaving(path: string, how: string): Promise<{ lost: number; marked: number; refused: number }> {
  const editor = Bun.spawn([process.execPath, join(import.meta.dir, "saver.ts"), path, how, "200"], { stdout: "pipe" });
  let refused = 0;
  while (editor.exitCode === null) {
    const text = await Bun.file(path)
      .text()
      .catch(() => "");
    if (text.endsWith("save\n")) {
      const replacement = { expected: text, content: `${text}marked\n`, mode: 0o644 };
      if (!replaceFile(path, replacement)) refused++;
    }
    await Bun.sleep(0);
  }
  const { lost, marked } = (await new Response(editor.stdout).json()) as { lost: number; marked: number };
  return { lost, marked, refused };
}

test("the temporary files of a process that is gone are removed, and nothing else", () => {
  using at = place();
  // Greater than any process id on Linux.
  const gone = 4_194_309;
  const kept = ["a.toml", "a.toml.tmp", "a.tmp", `b.${process.ppid}.tmp`, "c.0.tmp"];
  for (const name of [...kept, `a.toml.${gone}.tmp`, `.hub-probe.${gone}.tmp`, `d.${process.pid}.tmp`])
    writeFileSync(at.folder.at(name), "");
  sweepTemporaryFiles(at.folder.path);
  expect(readdirSync(at.folder.path).sort()).toEqual(kept.sort());
  sweepTemporaryFiles(at.folder.at("not there"));
});
