import { describe, expect, test } from "bun:test";
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { layOutHome } from "../../../src/server/home/layout.ts";
import { borrowHome, isHomeLocked, lockHome } from "../../../src/server/home/lock.ts";
import { findHome, homeAt } from "../../../src/server/home/paths.ts";
import { createTestPlatform } from "../../support/platform.ts";
import { createTemporaryFolder } from "../../support/temporary-folder.ts";
import { createVirtualClock } from "../../support/virtual-clock.ts";

const { random } = createTestPlatform(createVirtualClock());
const assets = [
  { path: "rules/examples/a.ron", content: "a" },
  { path: "config/modes.toml", content: "" },
];
const hubToml = 'jwt_secret = "@JWT_SECRET@"';

describe("finding the home", () => {
  test("the flag wins over the environment, that over the executable's surroundings, those over the default", () => {
    using folder = createTemporaryFolder();
    mkdirSync(folder.at("house", "bin"), { recursive: true });
    writeFileSync(folder.at("house", "bin", "hub"), "");
    const program = folder.at("house", "bin", "hub");
    const where = { flag: undefined, env: { HOME: "/home/ann" }, program, isRoot: false };
    expect(findHome(where).root).toBe("/home/ann/hub");
    expect(findHome({ ...where, isRoot: true }).root).toBe("/opt/hub");
    mkdirSync(folder.at("house", "config"));
    writeFileSync(folder.at("house", "config", "hub.toml"), "");
    expect(findHome(where).root).toBe(folder.at("house"));
    expect(findHome({ ...where, env: { HUB_HOME: "/srv/hub" } }).root).toBe("/srv/hub");
    expect(findHome({ ...where, env: { HUB_HOME: "/srv/hub" }, flag: "/elsewhere" }).root).toBe("/elsewhere");
  });
});

test("an executable copied to ~/hub gets its home beside it", () => {
  using folder = createTemporaryFolder();
  writeFileSync(folder.at("hub"), "");
  const where = { flag: undefined, env: { HOME: folder.path }, program: folder.at("hub"), isRoot: false };
  expect(findHome(where).root).toBe(folder.at("hub-home"));
});

test("a program in a checkout of the sources uses ./home, once there is one", () => {
  using folder = createTemporaryFolder();
  for (const path of ["src", "bin", "home/config"]) mkdirSync(folder.at(path), { recursive: true });
  for (const program of ["src/main.ts", "bin/hub"]) {
    writeFileSync(folder.at(program), "");
    const where = { flag: undefined, env: { HOME: "/home/ann" }, program: folder.at(program), isRoot: false };
    rmSync(folder.at("home/config/hub.toml"), { force: true });
    expect(findHome(where).root).toBe("/home/ann/hub");
    writeFileSync(folder.at("home/config/hub.toml"), "");
    expect(findHome(where).root).toBe(folder.at("home"));
  }
  // Elsewhere, a folder of that name is nobody's home.
  rmSync(folder.at("src/main.ts"));
  expect(
    findHome({ flag: undefined, env: { HOME: "/home/ann" }, program: folder.at("bin/hub"), isRoot: false }).root,
  ).toBe("/home/ann/hub");
});

describe("laying out", () => {
  test("makes a home with a fresh secret that only its owner reads", () => {
    using folder = createTemporaryFolder();
    using other = createTemporaryFolder();
    const [one, two] = [homeAt(folder.at("h")), homeAt(other.at("h"))];
    for (const home of [one, two])
      expect(layOutHome({ home, executable: undefined, hubToml, assets, random }).fresh).toBe(true);
    expect(statSync(one.hubToml).mode & 0o777).toBe(0o600);
    for (const folder of [one.data, one.logs]) expect(statSync(folder).mode & 0o777).toBe(0o700);
    expect(readFileSync(one.hubToml, "utf8")).toMatch(/^jwt_secret = "[A-Za-z0-9_-]{64}"$/);
    expect(readFileSync(one.hubToml, "utf8")).not.toBe(readFileSync(two.hubToml, "utf8"));
  });

  test("overwrites nothing, and does not bring back what was deleted", () => {
    using folder = createTemporaryFolder();
    const home = homeAt(folder.path);
    layOutHome({ home, executable: undefined, hubToml, assets, random });
    writeFileSync(home.hubToml, "mine");
    rmSync(folder.at("rules", "examples", "a.ron"));
    expect(layOutHome({ home, executable: undefined, hubToml, assets, random })).toEqual({
      fresh: false,
      created: [],
      failed: [],
    });
    expect(readFileSync(home.hubToml, "utf8")).toBe("mine");
  });

  test("completes a home that holds only a restored configuration and data", () => {
    using folder = createTemporaryFolder();
    const home = homeAt(folder.path);
    mkdirSync(home.config);
    writeFileSync(home.hubToml, "restored");
    const { fresh, created } = layOutHome({ home, executable: undefined, hubToml, assets, random });
    expect(fresh).toBe(false);
    expect(created).toHaveLength(2);
    expect(existsSync(home.data)).toBe(true);
  });

  test("completes a plugin of which only the configuration was copied here", () => {
    using folder = createTemporaryFolder();
    const home = homeAt(folder.path);
    layOutHome({ home, executable: undefined, hubToml, assets, random });
    mkdirSync(folder.at("plugins", "p", "config"), { recursive: true });
    writeFileSync(folder.at("plugins", "p", "config", "config.toml"), "mine");
    const plugin = [
      { path: "plugins/p/bin/p.js", content: "run" },
      { path: "plugins/p/config/config.toml", content: "new" },
    ];
    const { created } = layOutHome({ home, executable: undefined, hubToml, assets: [...assets, ...plugin], random });
    expect(created).toEqual([folder.at("plugins", "p", "bin", "p.js")]);
    expect(readFileSync(folder.at("plugins", "p", "config", "config.toml"), "utf8")).toBe("mine");
  });

  test("places the executable once, without copying where it can", () => {
    using folder = createTemporaryFolder();
    writeFileSync(folder.at("hub"), "binary");
    chmodSync(folder.at("hub"), 0o755);
    const home = homeAt(folder.at("h"));
    layOutHome({ home, executable: folder.at("hub"), hubToml, assets, random });
    expect(statSync(home.executable).ino).toBe(statSync(folder.at("hub")).ino);
  });

  test("says what to do where it cannot write", () => {
    using folder = createTemporaryFolder();
    writeFileSync(folder.at("file"), "");
    expect(() =>
      layOutHome({ home: homeAt(folder.at("file", "h")), executable: undefined, hubToml, assets, random }),
    ).toThrow(/cannot lay out the home .*--home/);
  });
});

describe("one hub a home", () => {
  test("a second hub is refused, with the process that holds the home; after the first has ended it may start", () => {
    using folder = createTemporaryFolder();
    const home = homeAt(folder.path);
    mkdirSync(home.data);
    const held = lockHome(home);
    expect(() => lockHome(home)).toThrow(`process ${process.pid}`);
    held[Symbol.dispose]();
    lockHome(home)[Symbol.dispose]();
  });

  test("a hub starts while commands look whether one runs, and they leave no trace", async () => {
    using folder = createTemporaryFolder();
    const home = homeAt(folder.path);
    mkdirSync(home.data);
    lockHome(home)[Symbol.dispose]();
    const look = `import { isHomeLocked } from ${JSON.stringify(join(import.meta.dir, "../../../src/server/home/lock.ts"))};
      import { homeAt } from ${JSON.stringify(join(import.meta.dir, "../../../src/server/home/paths.ts"))};
      const home = homeAt(${JSON.stringify(folder.path)});
      console.log("looks");
      for (;;) isHomeLocked(home);`;
    const child = Bun.spawn([process.execPath, "-e", look], { stdout: "pipe", stderr: "inherit" });
    try {
      await child.stdout.getReader().read();
      for (let time = 0; time < 200; time++) {
        using lock = lockHome(home);
        expect(lock.wasLeftLocked).toBe(false);
        expect(isHomeLocked(home)).toBe(true);
      }
      expect(isHomeLocked(home)).toBe(false);
    } finally {
      child.kill("SIGKILL");
      await child.exited;
    }
  });

  test("a command in between does not hide from the next hub how the last one ended", () => {
    using folder = createTemporaryFolder();
    const home = homeAt(folder.path);
    mkdirSync(home.data);
    const pidFile = `${home.lock}.pid`;
    const wasKilled = (): boolean => {
      using lock = lockHome(home);
      return lock.wasLeftLocked;
    };
    const borrow = (): void => {
      using _lock = borrowHome(home);
      expect(() => lockHome(home)).toThrow(`process ${process.pid}`);
    };
    borrow();
    expect(wasKilled()).toBe(false);
    writeFileSync(pidFile, "4242\n");
    borrow();
    borrow();
    expect(wasKilled()).toBe(true);
    expect(wasKilled()).toBe(false);
    // A command that is killed, in a home whose hub ended well, and in one whose hub did not.
    for (const before of [undefined, "4242\n"]) {
      if (before !== undefined) writeFileSync(pidFile, before);
      const held = borrowHome(home);
      const left = readFileSync(pidFile, "utf8");
      held[Symbol.dispose]();
      writeFileSync(pidFile, left);
      borrow();
      expect(wasKilled()).toBe(before !== undefined);
    }
  });
});
