// Folders whose changes the kernel reports: what is noticed at once, what by looking, and when all files are looked at again and
// again instead. Real files; on the system's clock where the kernel has to report them.
// Over 10 s: folders are watched on the system's clock, in rounds of seconds.
import { expect, test } from "bun:test";
import { linkSync, mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { watchFile } from "../../../src/kit/files/file-watch.ts";
import { watchFolder } from "../../../src/kit/files/folder-watch.ts";
import { createKernelNotices, type FolderNotices } from "../../../src/kit/lifecycle/folder-notices.ts";
import { silentLog } from "../../../src/kit/lifecycle/log.ts";
import { type Clock, systemClock } from "../../../src/kit/time/clock.ts";
import { createTemporaryFolder, type TemporaryFolder } from "../../support/temporary-folder.ts";
import { createVirtualClock } from "../../support/virtual-clock.ts";
import { until } from "../../support/wait.ts";

// What polling would need at least, as long as all rounds are late by none.
const AT_ONCE_MS = 600;

interface Given {
  clock?: Clock;
  notices?: FolderNotices;
  files?: number;
  /** Done before it is watched. */
  prepare?: (home: TemporaryFolder) => void;
}

function watched({ clock = systemClock, notices = createKernelNotices(), files = 1, prepare }: Given = {}) {
  const home = createTemporaryFolder();
  const at = (name = ""): string => home.at("rules", name);
  mkdirSync(at());
  for (let index = 0; index < files; index++) writeFileSync(at(`${index}.ron`), "a");
  prepare?.(home);
  const reported: string[] = [];
  const watch = watchFolder({
    ...{ clock, notices, log: silentLog, folder: home.at("rules") },
    accepts: (name) => /^[^.].*\.ron$/.test(name),
    onChange: (name) => reported.push(name),
  });
  return {
    ...{ home, at, watch, clock },
    /** What was reported since the last call. */
    news: () => reported.splice(0),
    /** Milliseconds until exactly these were reported. */
    async reports(...names: string[]): Promise<number> {
      const begun = performance.now();
      await until(`${names} to be reported`, () => reported.length >= names.length);
      expect(reported.splice(0).sort()).toEqual(names);
      return performance.now() - begun;
    },
    [Symbol.dispose]() {
      watch[Symbol.dispose]();
      home[Symbol.dispose]();
    },
  };
}

test("every way of saving is noticed at once", async () => {
  using rules = watched();
  const took: number[] = [];
  writeFileSync(rules.at("0.ron"), "in place");
  took.push(await rules.reports("0.ron"));
  writeFileSync(rules.at(".0.ron.tmp"), "by renaming");
  renameSync(rules.at(".0.ron.tmp"), rules.at("0.ron"));
  took.push(await rules.reports("0.ron"));
  writeFileSync(rules.home.at("elsewhere"), "moved in");
  renameSync(rules.home.at("elsewhere"), rules.at("1.ron"));
  took.push(await rules.reports("1.ron"));
  rmSync(rules.at("0.ron"));
  took.push(await rules.reports("0.ron"));
  expect(Math.min(...took)).toBeLessThan(AT_ONCE_MS);
  expect(took.filter((ms) => ms > 2 * AT_ONCE_MS)).toEqual([]);
});

test("a checkout of a thousand files is reported whole, and each once", async () => {
  using rules = watched({ files: 1000 });
  for (let index = 0; index < 1000; index++) writeFileSync(rules.at(`${index}.ron`), "changed");
  rmSync(rules.at("7.ron"));
  const names = Array.from({ length: 1000 }, (_, index) => `${index}.ron`).sort();
  await rules.reports(...names);
});

test("a folder that was removed and made again is followed again, also beside another watch of it", async () => {
  const notices = createKernelNotices();
  using rules = watched({ notices });
  using beside = { count: 0, ...notices.follow(rules.home.at("rules"), () => beside.count++) };
  rmSync(rules.at(), { recursive: true });
  mkdirSync(rules.at());
  writeFileSync(rules.at("1.ron"), "new");
  await until("the file that went and the one that came", () => rules.news().includes("1.ron"));
  rules.news();
  beside.count = 0;
  writeFileSync(rules.at("2.ron"), "newer");
  expect(await rules.reports("2.ron")).toBeLessThan(2 * AT_ONCE_MS);
  expect(beside.count).toBeGreaterThan(0);
});

test("a folder that is made later is followed", async () => {
  using home = createTemporaryFolder();
  const news: string[] = [];
  using watch = watchFolder({
    ...{ clock: systemClock, notices: createKernelNotices(), log: silentLog, folder: home.at("blueprints") },
    accepts: () => true,
    onChange: (name) => news.push(name),
  });
  expect(watch.fault()).toBe("ENOENT");
  mkdirSync(home.at("blueprints"));
  writeFileSync(home.at("blueprints", "a.ron"), "a");
  await until("the file to be found", () => news.includes("a.ron"));
});

test("a link to a file is looked at again and again: its folder reports nothing", async () => {
  using rules = watched();
  writeFileSync(rules.home.at("target.ron"), "a");
  symlinkSync(rules.home.at("target.ron"), rules.at("link.ron"));
  await rules.reports("link.ron");
  writeFileSync(rules.home.at("target.ron"), "behind the link");
  await rules.reports("link.ron");
});

test("what the kernel does not report is found within a minute, and from then on looked for again and again", async () => {
  const clock = createVirtualClock();
  using rules = watched({ clock, prepare: (home) => linkSync(home.at("rules", "0.ron"), home.at("other-name")) });
  writeFileSync(rules.home.at("other-name"), "by its other name");
  await clock.advance(30_000);
  expect(rules.news()).toEqual([]);
  await clock.advance(32_000);
  expect(rules.news()).toEqual(["0.ron"]);
  writeFileSync(rules.home.at("other-name"), "by its other name again");
  await clock.advance(1000);
  expect(rules.news()).toEqual(["0.ron"]);
});

test("where no more can be watched, all is found within a second by looking", async () => {
  const notices: FolderNotices = {
    follow() {
      throw Object.assign(new Error("no space left on device, watch"), { code: "ENOSPC" });
    },
  };
  const clock = createVirtualClock();
  using rules = watched({ clock, notices, files: 3 });
  writeFileSync(rules.at("1.ron"), "aa");
  await clock.advance(1000);
  expect(rules.news()).toEqual(["1.ron"]);
});

test("where the kernel reports nothing, what a folder shows is found within seconds, and then all within one", async () => {
  const notices: FolderNotices = { follow: () => ({ isCurrent: () => true, [Symbol.dispose]() {} }) };
  const clock = createVirtualClock();
  using rules = watched({ clock, notices, files: 3 });
  writeFileSync(rules.at(".new"), "aa");
  renameSync(rules.at(".new"), rules.at("1.ron"));
  await clock.advance(3000);
  expect(rules.news()).toEqual(["1.ron"]);
  writeFileSync(rules.at("2.ron"), "aa");
  await clock.advance(1000);
  expect(rules.news()).toEqual(["2.ron"]);
});

test("an idle folder is left alone between two sweeps", async () => {
  const clock = createVirtualClock();
  using rules = watched({ clock, files: 1000 });
  await clock.advance(50_000);
  // Neither slices of a look nor anything to settle.
  expect(clock.pending()).toEqual([`watch ${rules.home.at("rules")}`]);
});

test("a file system that others write to as well is not followed", () => {
  expect(() => createKernelNotices().follow("/proc", () => {})).toThrow("does not report all changes");
});

test("a file is noticed at once, whichever way it is saved, and when its folder was made again", async () => {
  using home = createTemporaryFolder();
  mkdirSync(home.at("config"));
  const path = home.at("config", "modes.toml");
  let changes = 0;
  const notices = createKernelNotices();
  using _ = watchFile({ clock: systemClock, notices, log: silentLog, path, onChange: () => changes++ });
  const isNoticed = async (nth: number): Promise<number> => {
    const begun = performance.now();
    await until(`change ${nth}`, () => changes === nth);
    return performance.now() - begun;
  };
  writeFileSync(path, "a");
  expect(await isNoticed(1)).toBeLessThan(1500);
  writeFileSync(`${path}.tmp`, "b");
  renameSync(`${path}.tmp`, path);
  expect(await isNoticed(2)).toBeLessThan(1500);
  rmSync(home.at("config"), { recursive: true });
  mkdirSync(home.at("config"));
  writeFileSync(path, "c");
  await isNoticed(3);
});
