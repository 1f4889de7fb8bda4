// The profiles in a home: laid out once, brought up to date with the hub, and never over what a person did.
import { expect, test } from "bun:test";
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { profileAssets } from "../../../src/app/cli/profile-assets.ts";
import { Profiles } from "../../../src/house/discovery/sources/profiles/profiles.ts";
import { silentLog } from "../../../src/kit/lifecycle/log.ts";
import { messageExpressions } from "../../../src/rules/expression/messages.ts";
import { layOutHome } from "../../../src/server/home/layout.ts";
import { homeAt } from "../../../src/server/home/paths.ts";
import { refreshAssets } from "../../../src/server/home/refresh.ts";
import { createTemporaryFolder } from "../../support/temporary-folder.ts";
import { createVirtualClock } from "../../support/virtual-clock.ts";
import { SHIPPED } from "./profiles-rig.ts";

const NAMES = readdirSync(SHIPPED).sort();

function createHome() {
  const folder = createTemporaryFolder();
  const home = homeAt(folder.at("home"));
  return {
    home,
    at: (name: string): string => `${home.profiles}/${name}`,
    /** What a start does. */
    start(assets = profileAssets) {
      const random = (size: number): Uint8Array => new Uint8Array(size);
      layOutHome({ home, executable: undefined, hubToml: "", assets, random });
      return refreshAssets(home, assets);
    },
    [Symbol.dispose]: () => folder[Symbol.dispose](),
  };
}

test("a new home gets every profile that there is", () => {
  using house = createHome();
  house.start();
  expect(readdirSync(house.home.profiles).sort()).toEqual(NAMES);
  for (const name of NAMES)
    expect(readFileSync(house.at(name), "utf8")).toBe(readFileSync(`${SHIPPED}/${name}`, "utf8"));
});

test("a home of before there were any gets them, also where the folder is there and empty", () => {
  using house = createHome();
  house.start([]);
  mkdirSync(house.home.profiles, { recursive: true });
  house.start();
  expect(readdirSync(house.home.profiles).sort()).toEqual(NAMES);
});

test("what a person changed, added or deleted stays so; what they left is brought up to date", () => {
  using house = createHome();
  const older = profileAssets.map((asset) => ({ ...asset, content: `# older\n${asset.content}` }));
  house.start(older);
  writeFileSync(house.at("wled.toml"), "enabled = false\n");
  writeFileSync(house.at("garden.toml"), "# mine\n");
  rmSync(house.at("victron.toml"));
  const { kept, renewed } = house.start();
  expect(kept).toEqual(["config/profiles/wled.toml"]);
  expect(renewed).toHaveLength(NAMES.length - 2);
  expect(readFileSync(house.at("wled.toml"), "utf8")).toBe("enabled = false\n");
  expect(readFileSync(house.at("garden.toml"), "utf8")).toBe("# mine\n");
  expect(readFileSync(house.at("frigate.toml"), "utf8")).not.toContain("# older");
  expect(readdirSync(house.home.profiles)).not.toContain("victron.toml");
});

test("of more than 500 files the first are read, and those that are left out are a problem", async () => {
  using folder = createTemporaryFolder();
  for (let count = 0; count < 502; count++) writeFileSync(folder.at(`p${String(count).padStart(3, "0")}.toml`), "");
  using profiles = new Profiles({
    ...{ folder: folder.path, clock: createVirtualClock(), log: silentLog, compiler: messageExpressions },
  });
  await profiles.start();
  const problem = profiles.problems().find(({ file }) => file === folder.path);
  expect(problem?.message).toMatch(
    /^at most 500 profiles are read, and 2 are left out: p\d+\.toml, p\d+\.toml\. Remove/,
  );
});
