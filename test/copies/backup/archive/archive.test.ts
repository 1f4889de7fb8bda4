// What an archive holds, and what is refused before it is begun.
import { expect, test } from "bun:test";
import {
  closeSync,
  existsSync,
  ftruncateSync,
  lstatSync,
  mkdirSync,
  openSync,
  renameSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { openArchive } from "../../../../src/copies/backup/archive/archive.ts";
import { lockBackups } from "../../../../src/copies/backup/backup-lock.ts";
import { placesIn } from "../../../../src/copies/backup/places.ts";
import { checkArchive, restoreHome } from "../../../../src/copies/backup/restore/restore.ts";
import { python, readZip } from "../../../support/archives.ts";
import { createTemporaryFolder } from "../../../support/temporary-folder.ts";
import { archiveOf, furnishHome, NOW, schemas } from "./archive-place.ts";

const open = (home: ReturnType<typeof furnishHome>) => openArchive({ home, hubVersion: "1.2.3", now: NOW });

test("the manifest lists every entry's size and checksum, and is the last entry", async () => {
  using folder = createTemporaryFolder();
  const zip = await archiveOf(furnishHome(folder.at("home")), folder.at("a.zip"));
  const files = readZip(zip);
  expect(Object.keys(files).at(-1)).toBe("manifest.json");
  const manifest = JSON.parse(Buffer.from(files["manifest.json"] ?? "", "latin1").toString());
  const { entries, ...head } = manifest;
  expect(head).toEqual({
    format: 1,
    hub_version: "0.0.0-test",
    created_at: "2026-11-21T03:00:00Z",
    counts: { devices: 1, rules: 2, users: 0, plugins: 1 },
    schemas,
  });
  const sums = Object.entries(files)
    .filter(([path]) => path !== "manifest.json")
    .map(([path, text]) => {
      const bytes = Buffer.from(text, "latin1");
      return { path, bytes: bytes.length, sha256: new Bun.CryptoHasher("sha256").update(bytes).digest("hex") };
    });
  expect(entries).toEqual(sums);
});

test("what a restore would refuse is left out and reported; links are followed where they stay inside", async () => {
  using folder = createTemporaryFolder();
  const home = furnishHome(folder.at("home"));
  writeFileSync(`${home.rules}/back\\slash.ron`, "()");
  writeFileSync(`${home.rules}/.DS_Store`, "x");
  writeFileSync(`${home.config}/real.pem`, "a certificate");
  symlinkSync(`${home.config}/real.pem`, `${home.config}/cert.pem`);
  symlinkSync("../config/real.pem", `${home.rules}/also.pem`);
  symlinkSync(folder.at("gone"), `${home.config}/gone.pem`);
  symlinkSync("..", `${home.config}/circle`);
  {
    using _lock = lockBackups(home);
    using archive = open(home);
    expect(archive.skipped.join("\n")).toMatch(/circle.*\n?.*gone\.pem.*\n?.*backslash/s);
  }
  const zip = await archiveOf(home, folder.at("a.zip"));
  expect(readZip(zip)["config/cert.pem"]).toBe("a certificate");
  expect(readZip(zip)["rules/also.pem"]).toBe("a certificate");
  const other = furnishHome(folder.at("other"), "other");
  await restoreHome({ home: other, file: zip, passphrase: undefined, schemas, now: NOW });
  expect(lstatSync(`${other.config}/cert.pem`).isFile()).toBe(true);
});

test("a link that leads out of config/ and rules/, or into plugins/, is not packed, and the archive lists it", async () => {
  using folder = createTemporaryFolder();
  const home = furnishHome(folder.at("home"));
  writeFileSync(folder.at("elsewhere.pem"), "of somebody else");
  mkdirSync(folder.at("away"));
  writeFileSync(folder.at("away", "rule.ron"), "()");
  symlinkSync(folder.at("elsewhere.pem"), `${home.config}/cert.pem`);
  symlinkSync(folder.at("away"), `${home.rules}/away`);
  symlinkSync(home.plugin("x").configToml, `${home.config}/plugin.toml`);
  symlinkSync("../plugins/x/config", `${home.rules}/plugin`);
  symlinkSync(home.data, `${home.config}/data`);
  renameSync(home.hubToml, folder.at("hub.toml"));
  symlinkSync(folder.at("hub.toml"), home.hubToml);
  const left = [
    "config/cert.pem",
    "config/data",
    "config/hub.toml",
    "config/plugin.toml",
    "rules/away",
    "rules/plugin",
  ];
  const zip = await archiveOf(home, folder.at("a.zip"));
  const { "manifest.json": manifest = "", ...files } = readZip(zip);
  expect(Object.values(files).join("")).not.toMatch(/of somebody else|of the plugin/);
  expect(Object.keys(files).filter((path) => left.some((each) => path.startsWith(each)))).toEqual([]);
  const { skipped, counts } = JSON.parse(manifest) as { skipped: string[]; counts: object };
  expect(skipped.map((what) => what.split(":")[0])).toEqual(left);
  expect(skipped.join("\n")).toContain("a link that leads out of config/ and rules/");
  expect(counts).toMatchObject({ plugins: 0 });
  const { warnings } = await checkArchive({ home, file: zip, passphrase: undefined, schemas });
  expect(warnings.join("\n")).toContain("made without");
});

test("a config/ that is itself a link into plugins/ gives nothing of those away", async () => {
  using folder = createTemporaryFolder();
  const home = furnishHome(folder.at("home"));
  renameSync(home.config, folder.at("config"));
  symlinkSync("plugins/x/config", home.config);
  const { "manifest.json": manifest = "", ...files } = readZip(await archiveOf(home, folder.at("a.zip")));
  expect(Object.values(files).join("")).not.toContain("of the plugin");
  expect(JSON.parse(manifest).skipped).toEqual(["config: a link that leads into plugins/"]);
});

/** The version of the format that the first entry asks of its reader. */
async function versionNeeded(home: ReturnType<typeof furnishHome>): Promise<number> {
  using _lock = lockBackups(home);
  using archive = open(home);
  for await (const chunk of archive.read()) return Buffer.from(chunk).readUInt16LE(4);
  throw new Error("it is empty");
}

test("Zip64 is written where 4 GiB may not do, and only there", async () => {
  using folder = createTemporaryFolder();
  const home = furnishHome(folder.at("home"));
  expect(await versionNeeded(home)).toBe(20);
  const file = openSync(`${home.config}/film.bin`, "w");
  ftruncateSync(file, 2 ** 32);
  closeSync(file);
  expect(await versionNeeded(home)).toBe(45);
  // Nothing is left of an archive that was not read to its end.
  expect(existsSync(placesIn(home).backupWork)).toBe(false);
});

test("an archive of another program that is larger than that is read: Zip64", async () => {
  using folder = createTemporaryFolder();
  const home = furnishHome(folder.at("home"));
  const target = furnishHome(folder.at("target"), "target");
  // Every size and place written in 64 bits, as for the largest.
  python(
    `import zipfile, sys
zipfile.ZIP64_LIMIT = 10
zipfile.ZIP_FILECOUNT_LIMIT = 1
z = zipfile.ZipFile(sys.argv[1], "w", zipfile.ZIP_DEFLATED, allowZip64=True)
z.write(sys.argv[2], "data/state.redb")
z.write(sys.argv[3], "config/hub.toml")
z.close()`,
    folder.at("64.zip"),
    home.stateDb,
    home.hubToml,
  );
  const { counts } = await restoreHome({
    home: target,
    file: folder.at("64.zip"),
    passphrase: undefined,
    schemas,
    now: NOW,
  });
  expect(counts).toMatchObject({ devices: 1 });
});

test("an interrupted restore blocks the next backup, and is not cleared away", () => {
  using folder = createTemporaryFolder();
  const home = furnishHome(folder.at("home"));
  mkdirSync(placesIn(home).restoreWork);
  writeFileSync(placesIn(home).journal, "{}");
  expect(() => lockBackups(home)).toThrow("was interrupted");
  expect(existsSync(placesIn(home).restoreWork)).toBe(true);
});
