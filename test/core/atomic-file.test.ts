import { describe, expect, test } from "bun:test";
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import {
  createFile,
  exchangeFiles,
  replaceFile,
  sweepTemporaryFiles,
  writeFileAtomic,
} from "../../src/core/atomic-file.ts";
import { createTemporaryFolder } from "../support/temporary-folder.ts";

function place() {
  const folder = createTemporaryFolder();
  const path = folder.at("a.toml");
  return { folder, path, read: () => readFileSync(path, "utf8"), [Symbol.dispose]: () => folder[Symbol.dispose]() };
}

test("two files change places", () => {
  using at = place();
  writeFileSync(at.path, "one");
  writeFileSync(at.folder.at("b"), "two");
  expect(exchangeFiles(at.path, at.folder.at("b"))).toBe(true);
  expect([at.read(), readFileSync(at.folder.at("b"), "utf8")]).toEqual(["two", "one"]);
  expect(exchangeFiles(at.path, at.folder.at("not there"))).toBe(false);
  expect(at.read()).toBe("two");
});

test("a file is replaced where it has what was read, and only there", () => {
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

test("a new file does not take the place of one that is there", () => {
  using at = place();
  expect(createFile(at.path, "mine", 0o600)).toBe(true);
  expect(createFile(at.path, "other", 0o600)).toBe(false);
  expect(at.read()).toBe("mine");
  expect(statSync(at.path).nlink).toBe(1);
  expect(readdirSync(at.folder.path)).toEqual(["a.toml"]);
});

test("a write that fails leaves the old file, and nothing beside it", () => {
  using at = place();
  const missing = join(at.folder.path, "no folder", "a");
  expect(() => writeFileAtomic(missing, "x")).toThrow("ENOENT");
  expect(existsSync(missing)).toBe(false);
});

describe("two quick saves of an editor around a write", () => {
  for (const how of ["rename", "in place", "remove"])
    test(`no last save is lost: ${how}`, async () => {
      using at = place();
      const script = join(import.meta.dir, "saver.ts");
      const editor = Bun.spawn([process.execPath, script, at.path, how, "200"], { stdout: "pipe" });
      let refused = 0;
      while (editor.exitCode === null) {
        const found = existsSync(at.path)
          ? await Bun.file(at.path)
              .text()
              .catch(() => "")
          : "";
        if (found.endsWith("save\n")) {
          const replacement = { expected: found, content: `${found}marked\n`, mode: 0o644 };
          if (!replaceFile(at.path, replacement)) refused++;
        }
        await Bun.sleep(0);
      }
      const { lost, marked } = (await new Response(editor.stdout).json()) as { lost: number; marked: number };
      expect(lost).toBe(0);
      // It was at work all the time, and in the way now and then.
      expect(marked).toBeGreaterThan(100);
      expect(refused).toBeGreaterThan(0);
      expect(readdirSync(at.folder.path)).toEqual(["a.toml"]);
    }, 60_000);
});

test("what a process that is gone was writing is taken away, and nothing else", () => {
  using at = place();
  // Above what Linux gives to any process.
  const gone = 4_194_309;
  const kept = ["a.toml", "a.toml.tmp", "a.tmp", `b.${process.ppid}.tmp`, "c.0.tmp"];
  for (const name of [...kept, `a.toml.${gone}.tmp`, `.hub-probe.${gone}.tmp`, `d.${process.pid}.tmp`])
    writeFileSync(at.folder.at(name), "");
  sweepTemporaryFiles(at.folder.path);
  expect(readdirSync(at.folder.path).sort()).toEqual(kept.sort());
  sweepTemporaryFiles(at.folder.at("not there"));
});
