// A folder that is watched: what is reported, when, and what that costs.
import { expect, test } from "bun:test";
import { mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { watchFolder } from "../../../src/kit/files/folder-watch.ts";
import { silentLog } from "../../../src/kit/lifecycle/log.ts";
import { isRuleFileName } from "../../../src/rules/store/disk.ts";
import { createTemporaryFolder } from "../../support/temporary-folder.ts";
import { createVirtualClock } from "../../support/virtual-clock.ts";

function watched(files: Record<string, string>) {
  const home = createTemporaryFolder();
  const folder = home.at("rules");
  mkdirSync(folder);
  const put = (name: string, text: string): void => writeFileSync(home.at("rules", name), text);
  for (const [name, text] of Object.entries(files)) put(name, text);
  const clock = createVirtualClock();
  const reported: string[] = [];
  const watch = watchFolder({
    clock,
    log: silentLog,
    folder,
    accepts: isRuleFileName,
    onChange: (name) => reported.push(name),
  });
  return {
    home,
    folder,
    clock,
    watch,
    put,
    at: (name: string) => home.at("rules", name),
    /** What was reported since the last call. */
    news: () => reported.splice(0),
    [Symbol.dispose]() {
      watch[Symbol.dispose]();
      home[Symbol.dispose]();
    },
  };
}

test("a file that is changed, appears or goes is reported once, within a second", async () => {
  using rules = watched({ "a.ron": "a", "b.toml": "b" });
  expect(rules.watch.names).toEqual(["a.ron", "b.toml"]);
  await rules.clock.advance(5000);
  expect(rules.news()).toEqual([]);
  rules.put("a.ron", "aa");
  await rules.clock.advance(1000);
  expect(rules.news()).toEqual(["a.ron"]);
  rules.put("c.ron", "c");
  await rules.clock.advance(1000);
  expect(rules.news()).toEqual(["c.ron"]);
  rmSync(rules.at("b.toml"));
  await rules.clock.advance(1000);
  expect(rules.news()).toEqual(["b.toml"]);
  await rules.clock.advance(60_000);
  expect(rules.news()).toEqual([]);
});

test("a change at any moment of a round is reported within a second", async () => {
  using rules = watched({ "a.ron": "" });
  for (let offset = 0; offset < 14; offset++) {
    await rules.clock.advance(1000 + 53 * offset);
    rules.put("a.ron", "x".repeat(offset + 1));
    await rules.clock.advance(1000);
    expect(rules.news()).toEqual(["a.ron"]);
  }
});

test("a file still being written is waited for", async () => {
  using rules = watched({ "a.ron": "a" });
  let text = "a";
  for (let write = 0; write < 20; write++) {
    text += "a";
    rules.put("a.ron", text);
    await rules.clock.advance(150);
  }
  expect(rules.news()).toEqual([]);
  await rules.clock.advance(1000);
  expect(rules.news()).toEqual(["a.ron"]);
});

test("the ways editors save: by renaming over it, and by removing it first", async () => {
  using rules = watched({ "a.ron": "a" });
  rules.put(".a.ron.swp", "b");
  renameSync(rules.at(".a.ron.swp"), rules.at("a.ron"));
  await rules.clock.advance(1000);
  expect(rules.news()).toEqual(["a.ron"]);
  await rules.clock.advance(700);
  renameSync(rules.at("a.ron"), rules.at("a.ron~"));
  await rules.clock.advance(100);
  rules.put("a.ron", "c");
  await rules.clock.advance(1000);
  expect(rules.news()).toEqual(["a.ron"]);
});

test("what is no rule file is not looked at", async () => {
  using rules = watched({});
  for (const name of ["a.ron~", ".a.ron", ".a.ron.swp", "#a.ron#", "a.ron.tmp", "~a.ron", "notes.txt", "ron"])
    rules.put(name, "x");
  mkdirSync(rules.at("folder.ron"));
  symlinkSync(rules.at("nowhere"), rules.at("broken-link.ron"));
  mkdirSync(rules.at("examples"));
  rules.put("examples/a.ron", "x");
  rules.put("Küche 1.RON", "x");
  await rules.clock.advance(1000);
  expect(rules.news()).toEqual(["Küche 1.RON"]);
});

test("a folder that cannot be seen has lost nothing", async () => {
  using rules = watched({ "a.ron": "a" });
  renameSync(rules.folder, rules.home.at("elsewhere"));
  await rules.clock.advance(10_000);
  expect(rules.news()).toEqual([]);
  expect(rules.watch.fault()).toBe("ENOENT");
  writeFileSync(rules.home.at("elsewhere", "a.ron"), "ab");
  renameSync(rules.home.at("elsewhere"), rules.folder);
  await rules.clock.advance(1000);
  expect(rules.news()).toEqual(["a.ron"]);
  expect(rules.watch.fault()).toBeUndefined();
});

test("thousands of files that change at once are reported a few at a time, and none is missed", async () => {
  using rules = watched(Object.fromEntries(Array.from({ length: 1200 }, (_, index) => [`r${index}.ron`, "a"])));
  for (let index = 0; index < 1200; index++) rules.put(`r${index}.ron`, "ab");
  await rules.clock.advance(1000);
  const first = rules.news();
  expect(first.length).toBeGreaterThan(50);
  await rules.clock.advance(3000);
  expect(new Set([...first, ...rules.news()]).size).toBe(1200);
});

test("5,000 files are looked at again and again in bounded time", async () => {
  using rules = watched(Object.fromEntries(Array.from({ length: 5000 }, (_, index) => [`rule_${index}.ron`, "a"])));
  await rules.clock.advance(4000);
  expect(rules.news()).toEqual([]);
});

test("disposing ends it", async () => {
  using rules = watched({ "a.ron": "a" });
  rules.put("a.ron", "ab");
  await rules.clock.advance(750);
  rules.watch[Symbol.dispose]();
  await rules.clock.advance(5000);
  expect(rules.news()).toEqual([]);
  expect(rules.clock.pending()).toEqual([]);
});

test("many files that are written twice, as a checkout may, hold nothing up", async () => {
  using rules = watched({});
  const names = Array.from({ length: 300 }, (_, index) => `many-${index}.ron`);
  for (const name of names) rules.put(name, "a");
  await rules.clock.advance(750);
  for (const name of names) rules.put(name, "ab");
  await rules.clock.advance(2000);
  expect(rules.news().sort()).toEqual(names.sort());
});
