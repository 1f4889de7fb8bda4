// The configuration of a plugin holds its password: wherever somebody keeps it, no backup has it, and a restore leaves it there.
import { expect, test } from "bun:test";
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { fileProblems } from "../../../../src/app/config/file-problems.ts";
import { checkConfig } from "../../../../src/app/config/load.ts";
import { restoreHome } from "../../../../src/copies/backup/restore/restore.ts";
import { listCopiedFiles } from "../../../../src/copies/standby/source/files/copied-files.ts";
import type { Home } from "../../../../src/server/home/paths.ts";
import { readZip } from "../../../support/archives.ts";
import { createTemporaryFolder } from "../../../support/temporary-folder.ts";
import { archiveOf, furnishHome, NOW, schemas } from "./archive-place.ts";

const PASSWORD = "the password of the plugin";
const TOML = `[auth]
jwt_secret = "a secret that is long enough to sign with, it is"
[[plugins]]
id = "zigbee"
binary = "plugins/zigbee/bin/zigbee"
config = "config/zigbee.toml"
[[plugins]]
id = "rules"
binary = "plugins/rules/bin/rules"
config = "rules/plugin.toml"
enabled = false
[[plugins]]
id = "odd"
binary = "plugins/odd/bin/odd"
config = "config/hub.toml"
`;

function homeWithPlugins(path: string): Home {
  const home = furnishHome(path);
  writeFileSync(home.hubToml, TOML);
  mkdirSync(`${home.config}/real`, { recursive: true });
  writeFileSync(`${home.config}/real/secrets.toml`, `password = "${PASSWORD}"`);
  symlinkSync("real/secrets.toml", `${home.config}/zigbee.toml`);
  writeFileSync(`${home.rules}/plugin.toml`, `password = "${PASSWORD}"`);
  return home;
}

test("no backup has it, by its name or by what a link leads to, and the backup says what it left out", async () => {
  using folder = createTemporaryFolder();
  const home = homeWithPlugins(folder.at("home"));
  const files = readZip(await archiveOf(home, folder.at("a.zip")));
  expect(Object.keys(files).filter((path) => /zigbee|secrets|plugin\.toml/.test(path))).toEqual([]);
  expect(Object.values(files).join("\n")).not.toContain(PASSWORD);
  expect(Object.keys(files)).toEqual(expect.arrayContaining(["config/hub.toml", "config/modes.toml"]));
  const { skipped } = JSON.parse(files["manifest.json"] ?? "") as { skipped: string[] };
  expect(skipped).toEqual([
    expect.stringMatching(/^config\/real\/secrets\.toml: the configuration of the plugin "zigbee".*save it yourself$/),
    expect.stringMatching(/^config\/zigbee\.toml: the configuration of the plugin "zigbee"/),
    expect.stringMatching(/^rules\/plugin\.toml: the configuration of the plugin "rules"/),
  ]);
});

test("a restore in the same home keeps it, and says so", async () => {
  using folder = createTemporaryFolder();
  const home = homeWithPlugins(folder.at("home"));
  const file = await archiveOf(home, folder.at("a.zip"));
  const { staged } = await restoreHome({ home, file, passphrase: undefined, schemas, now: NOW });
  expect(readFileSync(`${home.config}/zigbee.toml`, "utf8")).toContain(PASSWORD);
  expect(existsSync(`${home.rules}/plugin.toml`)).toBe(true);
  expect(staged.warnings.join("\n")).toContain(
    'config/zigbee.toml, the configuration of the plugin "zigbee", is in no backup',
  );
});

test("`hub check` says that it is in none, whether the plugin is enabled or not", () => {
  using folder = createTemporaryFolder();
  const home = homeWithPlugins(folder.at("home"));
  const { config } = checkConfig(TOML);
  const found = config ? fileProblems(config, home, NOW) : [];
  const ofPlaces = found.filter(({ message }) => message.includes("is left out of them"));
  expect(ofPlaces.map(({ path, warning }) => [path, warning])).toEqual([
    ["plugins[0].config", true],
    ["plugins[1].config", true],
  ]);
  expect(ofPlaces[0]?.message).toContain("put it into plugins/zigbee/config/");
});

test("a standby of the same house has it", () => {
  using folder = createTemporaryFolder();
  const home = homeWithPlugins(folder.at("home"));
  const paths = listCopiedFiles(home).files.map(({ path }) => path);
  expect(paths).toEqual(expect.arrayContaining(["config/zigbee.toml", "rules/plugin.toml"]));
});
