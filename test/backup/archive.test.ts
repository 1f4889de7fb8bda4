// What an archive holds, and what is refused before it is begun.
import { expect, test } from "bun:test";
import { closeSync, existsSync, ftruncateSync, mkdirSync, openSync, symlinkSync, writeFileSync } from "node:fs";
import { openArchive } from "../../src/backup/archive.ts";
import { placesIn } from "../../src/backup/places.ts";
import { restoreHome } from "../../src/backup/restore.ts";
import { takeTurn } from "../../src/backup/turn.ts";
import { python, readZip } from "../support/archives.ts";
import { createTemporaryFolder } from "../support/temporary-folder.ts";
import { archiveOf, furnishHome, NOW, schemas } from "./archive-place.ts";

const open = (home: ReturnType<typeof furnishHome>) => openArchive({ home, hubVersion: "1.2.3", now: NOW });

test("the manifest tells every entry's size and sum, and is the last", async () => {
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

test("what restoring would refuse is left out and told; links are followed", async () => {
  using folder = createTemporaryFolder();
  const home = furnishHome(folder.at("home"));
  writeFileSync(`${home.rules}/back\\slash.ron`, "()");
  writeFileSync(`${home.rules}/.DS_Store`, "x");
  writeFileSync(folder.at("elsewhere.pem"), "a certificate");
  symlinkSync(folder.at("elsewhere.pem"), `${home.config}/cert.pem`);
  symlinkSync(folder.at("gone"), `${home.config}/gone.pem`);
  symlinkSync("..", `${home.config}/circle`);
  {
    using _turn = takeTurn(home);
    using archive = open(home);
    expect(archive.skipped.join("\n")).toMatch(/circle.*\n?.*gone\.pem.*\n?.*backslash/s);
  }
  const zip = await archiveOf(home, folder.at("a.zip"));
  expect(readZip(zip)["config/cert.pem"]).toBe("a certificate");
  const other = furnishHome(folder.at("other"), "other");
  await restoreHome({ home: other, file: zip, passphrase: undefined, schemas, now: NOW });
  expect(existsSync(`${other.config}/cert.pem`)).toBe(true);
});

/** The version of the format that the first entry asks of its reader. */
async function versionNeeded(home: ReturnType<typeof furnishHome>): Promise<number> {
  using _turn = takeTurn(home);
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
  // Given up in the midst of it.
  expect(existsSync(placesIn(home).backupWork)).toBe(false);
});

test("an archive of somebody else's that is larger than that is read: Zip64", async () => {
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

test("a restore that was cut short is in nobody's way but its own", () => {
  using folder = createTemporaryFolder();
  const home = furnishHome(folder.at("home"));
  mkdirSync(placesIn(home).restoreWork);
  writeFileSync(placesIn(home).journal, "{}");
  expect(() => takeTurn(home)).toThrow("was cut short");
  expect(existsSync(placesIn(home).restoreWork)).toBe(true);
});
