// The files that came with the hub, as later versions find them.
import { expect, test } from "bun:test";
import { existsSync, linkSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import type { Asset } from "../../../src/server/home/layout.ts";
import { homeAt } from "../../../src/server/home/paths.ts";
import { refreshAssets } from "../../../src/server/home/refresh.ts";
import { createTemporaryFolder, type TemporaryFolder } from "../../support/temporary-folder.ts";

const EXAMPLE = "rules/examples/lamp.ron";
const BUNDLE = "plugins/sysmon/bin/sysmon.js";
const CONFIG = "plugins/sysmon/config/config.toml";

function version(number: number): Asset[] {
  return [EXAMPLE, BUNDLE, CONFIG].map((path) => ({ path, content: `${path} of version ${number}` }));
}

/** A home as version 1 laid it out; with `listed` false as one did that kept no list. */
function oldHome(folder: TemporaryFolder, listed = true) {
  const home = homeAt(folder.path);
  mkdirSync(home.data, { recursive: true });
  for (const { path, content } of version(1)) {
    mkdirSync(folder.at(path, ".."), { recursive: true });
    writeFileSync(folder.at(path), content);
  }
  if (listed) expect(refreshAssets(home, version(1))).toEqual({ renewed: [], kept: [], failed: [] });
  return { home, read: (path: string) => readFileSync(folder.at(path), "utf8") };
}

test("what nobody changed becomes the new version's, forth and back; configuration never", () => {
  using folder = createTemporaryFolder();
  const { home, read } = oldHome(folder);
  expect(refreshAssets(home, version(2))).toEqual({ renewed: [EXAMPLE, BUNDLE], kept: [], failed: [] });
  expect([EXAMPLE, BUNDLE, CONFIG].map(read)).toEqual([
    `${EXAMPLE} of version 2`,
    `${BUNDLE} of version 2`,
    `${CONFIG} of version 1`,
  ]);
  expect(refreshAssets(home, version(2))).toEqual({ renewed: [], kept: [], failed: [] });
  expect(refreshAssets(home, version(1)).renewed).toEqual([EXAMPLE, BUNDLE]);
  expect(read(BUNDLE)).toBe(`${BUNDLE} of version 1`);
});

test("what a person changed stays, and is reported once a version; once restored it is the hub's again", () => {
  using folder = createTemporaryFolder();
  const { home, read } = oldHome(folder);
  const original = read(EXAMPLE);
  writeFileSync(folder.at(EXAMPLE), "mine");
  expect(refreshAssets(home, version(1))).toEqual({ renewed: [], kept: [EXAMPLE], failed: [] });
  expect(refreshAssets(home, version(2))).toEqual({ renewed: [BUNDLE], kept: [EXAMPLE], failed: [] });
  expect(refreshAssets(home, version(2)).kept).toEqual([]);
  expect(refreshAssets(home, version(3)).kept).toEqual([EXAMPLE]);
  expect(read(EXAMPLE)).toBe("mine");
  writeFileSync(folder.at(EXAMPLE), original);
  expect(refreshAssets(home, version(3)).renewed).toEqual([EXAMPLE]);
});

test("what a person deleted stays deleted, and what is new in a version comes", () => {
  using folder = createTemporaryFolder();
  const { home } = oldHome(folder);
  rmSync(folder.at(EXAMPLE));
  const added = { path: "rules/examples/new.ron", content: "new" };
  expect(refreshAssets(home, [...version(2), added])).toEqual({ renewed: [BUNDLE, added.path], kept: [], failed: [] });
  expect(existsSync(folder.at(EXAMPLE))).toBe(false);
  rmSync(folder.at(added.path));
  expect(refreshAssets(home, [...version(3), added]).renewed).toEqual([BUNDLE]);
});

test("in a home without a list only what is the new version's already counts as the hub's", () => {
  using folder = createTemporaryFolder();
  const { home, read } = oldHome(folder, false);
  rmSync(folder.at(EXAMPLE));
  expect(refreshAssets(home, version(2))).toEqual({ renewed: [], kept: [BUNDLE], failed: [] });
  expect(read(BUNDLE)).toBe(`${BUNDLE} of version 1`);
  // Moved away, as the message says, it is created again: here by hand.
  writeFileSync(folder.at(BUNDLE), `${BUNDLE} of version 2`);
  refreshAssets(home, version(2));
  expect(refreshAssets(home, version(3)).renewed).toEqual([BUNDLE]);
});

const RENAMED = "rules/examples/lamp.toml";

/** Version 2, in which the example has another name. */
function renamed(content = `${EXAMPLE} of version 2`): Asset[] {
  return version(2).map((asset) => (asset.path === EXAMPLE ? { path: RENAMED, formerly: EXAMPLE, content } : asset));
}

test("a file with a new name is there once: what nobody changed gets the name", () => {
  for (const content of [`${EXAMPLE} of version 1`, `${EXAMPLE} of version 2`]) {
    using folder = createTemporaryFolder();
    const { home, read } = oldHome(folder);
    expect(refreshAssets(home, renamed(content)).renewed.sort()).toEqual([BUNDLE, RENAMED]);
    expect([existsSync(folder.at(EXAMPLE)), read(RENAMED)]).toEqual([false, content]);
    expect(refreshAssets(home, renamed(content))).toEqual({ renewed: [], kept: [], failed: [] });
    // The version before lays its own out again; after the next upgrade there is one once more.
    expect(refreshAssets(home, version(2)).renewed).toEqual([EXAMPLE]);
    refreshAssets(home, renamed(content));
    expect([existsSync(folder.at(EXAMPLE)), read(RENAMED)]).toEqual([false, content]);
  }
});

test("what a person did to a file holds under its new name", () => {
  using folder = createTemporaryFolder();
  const { home, read } = oldHome(folder);
  const original = read(EXAMPLE);
  writeFileSync(folder.at(EXAMPLE), "mine");
  expect(refreshAssets(home, renamed())).toEqual({ renewed: [BUNDLE], kept: [EXAMPLE], failed: [] });
  expect(refreshAssets(home, renamed()).kept).toEqual([]);
  expect([existsSync(folder.at(RENAMED)), read(EXAMPLE)]).toEqual([false, "mine"]);
  writeFileSync(folder.at(EXAMPLE), original);
  expect(refreshAssets(home, renamed()).renewed).toEqual([RENAMED]);
  expect([existsSync(folder.at(EXAMPLE)), read(RENAMED)]).toEqual([false, `${EXAMPLE} of version 2`]);
});

test("a file that was deleted stays deleted under its new name, and one that a person renamed is renewed", () => {
  using folder = createTemporaryFolder();
  const { home, read } = oldHome(folder);
  const original = read(EXAMPLE);
  rmSync(folder.at(EXAMPLE));
  expect(refreshAssets(home, renamed()).renewed).toEqual([BUNDLE]);
  expect(refreshAssets(home, renamed()).renewed).toEqual([]);
  expect(existsSync(folder.at(RENAMED))).toBe(false);
  writeFileSync(folder.at(RENAMED), original);
  expect(refreshAssets(home, renamed()).renewed).toEqual([RENAMED]);
  expect(read(RENAMED)).toBe(`${EXAMPLE} of version 2`);
});

test("in a home without a list a file gets its new name only where it is this version's to the byte", () => {
  for (const [content, moved] of [
    [`${EXAMPLE} of version 1`, true],
    [`${EXAMPLE} of version 2`, false],
  ] as const) {
    using folder = createTemporaryFolder();
    const { home } = oldHome(folder, false);
    const { kept } = refreshAssets(home, renamed(content));
    expect(kept.includes(EXAMPLE)).toBe(!moved);
    expect([existsSync(folder.at(EXAMPLE)), existsSync(folder.at(RENAMED))]).toEqual([!moved, moved]);
  }
});

test("a damaged list counts as none, and nothing is written when nothing is to be noted", () => {
  using folder = createTemporaryFolder();
  const { home } = oldHome(folder);
  const before = statSync(home.assetManifest, { bigint: true }).mtimeNs;
  refreshAssets(home, version(1));
  expect(statSync(home.assetManifest, { bigint: true }).mtimeNs).toBe(before);
  for (const text of ["", "[]", "null", '{"laid":3}', "\u0000"]) {
    writeFileSync(home.assetManifest, text);
    expect(refreshAssets(home, version(2)).renewed).toEqual([]);
    writeFileSync(home.assetManifest, "");
  }
});

test("reads no file while neither the executable nor a file has changed, and compares all once one has", () => {
  using folder = createTemporaryFolder();
  const { home, read } = oldHome(folder);
  const executable = folder.at("hub");
  writeFileSync(executable, "version 1");
  let reads = 0;
  const counted = (number: number): Asset[] =>
    version(number).map(({ path, content }) => ({
      path,
      get content() {
        reads++;
        return content;
      },
    }));
  const start = (number = 1) => {
    reads = 0;
    return refreshAssets(home, counted(number), executable);
  };
  start();
  expect(reads).toBeGreaterThan(0);
  // As a backup of hard links does.
  linkSync(executable, folder.at("another-name"));
  expect(start()).toEqual({ renewed: [], kept: [], failed: [] });
  expect(reads).toBe(0);

  // As long as the old text, and a moment later.
  writeFileSync(folder.at(EXAMPLE), read(EXAMPLE).replace("lamp", "LAMP"));
  expect(start().kept).toEqual([EXAMPLE]);
  expect(start().kept).toEqual([]);
  expect(reads).toBe(0);
  rmSync(folder.at(BUNDLE));
  expect(start().kept).toEqual([]);
  expect(reads).toBeGreaterThan(0);

  writeFileSync(folder.at(BUNDLE), `${BUNDLE} of version 1`);
  writeFileSync(executable, "version 2");
  expect(start(2).renewed).toEqual([BUNDLE]);
  expect(read(BUNDLE)).toBe(`${BUNDLE} of version 2`);
});

test("says what to do where it cannot write", () => {
  using folder = createTemporaryFolder();
  const { home } = oldHome(folder);
  rmSync(folder.at(BUNDLE, ".."), { recursive: true });
  writeFileSync(folder.at("plugins/sysmon/bin"), "a file in the way");
  rmSync(home.assetManifest);
  mkdirSync(home.assetManifest);
  expect(() => refreshAssets(home, version(2))).toThrow(/cannot update .*: .*right to write/);
});
