// Archives that must be refused, each with a reason a person can act on, and with nothing changed.
// Over 10 s: archives of foreign programs are made by them, one process each.
import { Database } from "bun:sqlite";
import { afterAll, beforeAll, expect, test } from "bun:test";
import { copyFileSync, readFileSync, writeFileSync } from "node:fs";
import { checkArchive, restoreHome } from "../../../../src/copies/backup/restore/restore.ts";
import type { Home } from "../../../../src/server/home/paths.ts";
import { type Entry, filesBelow, makeZip, python, readZip } from "../../../support/archives.ts";
import { createTemporaryFolder, type TemporaryFolder } from "../../../support/temporary-folder.ts";
import { archiveOf, furnishHome, NOW, schemas } from "../archive/archive-place.ts";

let folder: TemporaryFolder;
let home: Home;
let good: string;
let state: string;
let content: Buffer;
let files: Record<string, string>;

beforeAll(async () => {
  folder = createTemporaryFolder();
  home = furnishHome(folder.at("home"));
  const other = furnishHome(folder.at("other"), "new");
  good = await archiveOf(other, folder.at("good.zip"));
  state = folder.at("state.redb");
  files = readZip(good);
  writeFileSync(state, Buffer.from(files["data/state.redb"] ?? "", "latin1"));
  content = readFileSync(good);
});
afterAll(() => folder[Symbol.dispose]());

const restore = (file: string, passphrase?: string) => restoreHome({ home, file, passphrase, schemas, now: NOW });

/** Everything of the home but the two locks, which every command may create. */
function contents(): Map<string, string> {
  const files = filesBelow(home.root);
  for (const name of ["data/hub.lock", "data/backup.lock"]) files.delete(name);
  return files;
}

async function refused(file: string): Promise<string> {
  const before = contents();
  const why = await restore(file).then(
    () => "it was taken",
    (error: { message: string; code?: string }) => `${error.code}: ${error.message}`,
  );
  expect(contents()).toEqual(before);
  return why;
}

function variant(name: string, bytes: Uint8Array): string {
  const path = folder.at(name);
  writeFileSync(path, bytes);
  return path;
}

const withState = (...entries: Entry[]): Entry[] => [{ name: "data/state.redb", from: state }, ...entries];

/** The good archive's files with another manifest. */
function remade(
  name: string,
  edit: (files: Record<string, string>, manifest: Record<string, unknown>) => void,
): string {
  const edited = { ...files };
  const manifest = JSON.parse(files["manifest.json"] ?? "");
  edit(edited, manifest);
  edited["manifest.json"] = JSON.stringify(manifest);
  const path = folder.at(name);
  const script = `import zipfile, json, sys
z = zipfile.ZipFile(sys.argv[1], "w", zipfile.ZIP_DEFLATED)
for n, c in json.load(open(sys.argv[2])).items(): z.writestr(n, c.encode("latin1"))
z.close()`;
  writeFileSync(folder.at("files.json"), JSON.stringify(edited));
  python(script, path, folder.at("files.json"));
  return path;
}

test.each<[string, Entry[], string]>([
  ["zip slip", [{ name: "../outside" }], "leaves its folder"],
  ["zip slip further in", [{ name: "rules/../../outside" }], "leaves its folder"],
  ["an absolute path", [{ name: "/etc/passwd" }], "absolute path"],
  ["a drive", [{ name: "C:/windows" }], "absolute path"],
  ["a backslash", [{ name: "rules\\..\\..\\outside" }], "backslash"],
  ["a control character", [{ name: "rules/a\u0007b.ron" }], "control character"],
  ["a link", [{ name: "rules/link", content: "/etc/passwd", mode: 0o120777 }], "a link or a device"],
  ["a named pipe", [{ name: "rules/pipe", mode: 0o010644 }], "a link or a device"],
  ["a name twice", [{ name: "rules/a.ron" }, { name: "rules/a.ron" }], "is in it twice"],
  ["two homes", [{ name: "b/data/state.redb", content: "x" }], "holds several homes"],
])("%s", async (name, entries, why) => {
  const path = folder.at(`${name}.zip`);
  makeZip(path, withState(...entries));
  expect(await refused(path)).toContain(why);
});

test("files that are not an archive of a hub", async () => {
  expect(await refused(variant("empty", new Uint8Array()))).toContain("it is not a zip");
  expect(await refused(variant("text", Buffer.from("PK but not more".repeat(50))))).toContain("it is not a zip");
  makeZip(folder.at("photos.zip"), [{ name: "holiday.jpg", content: "x" }]);
  expect(await refused(folder.at("photos.zip"))).toContain("no state.redb");
  makeZip(folder.at("fake.zip"), [{ name: "state.redb", content: "this is no database" }]);
  expect(await refused(folder.at("fake.zip"))).toContain("not a sound SQLite database");
  const foreign = folder.at("foreign.db");
  using db = new Database(foreign);
  db.run("CREATE TABLE recipes (x)");
  db.close();
  makeZip(folder.at("foreign.zip"), [{ name: "state.redb", from: foreign }]);
  expect(await refused(folder.at("foreign.zip"))).toContain("not one of a hub");
});

test("truncated, at any place", async () => {
  for (let part = 0; part < 40; part++) {
    const length = Math.floor((content.length * part) / 40);
    expect(await refused(variant("short.zip", content.subarray(0, length)))).toMatch(
      /^invalid: the archive is refused/,
    );
  }
});

test("a flipped bit, at any place, is refused, or is in a part that nothing reads", async () => {
  const taken: number[] = [];
  for (let part = 0; part < 300; part++) {
    const flipped = Buffer.from(content);
    const at = Math.floor((content.length * part) / 300);
    flipped[at] = (flipped[at] ?? 0) ^ (1 << (part % 8));
    const before = contents();
    const file = variant("flip.zip", flipped);
    const why = await checkArchive({ home, file, passphrase: undefined, schemas }).then(
      ({ counts }) => {
        taken.push(at);
        return counts;
      },
      (error: { code?: string; message: string }) => error,
    );
    expect(contents()).toEqual(before);
    if ("code" in why) expect(why.code).toBe("invalid");
    else expect(why).toMatchObject({ devices: 1, rules: 2 });
  }
  // Times, versions, attributes, and checksums that exist twice: a seventh of an archive as small as this one. What is
  // unpacked has its own sums.
  expect(taken.length).toBeLessThan(60);
});

test("names that are not UTF-8", async () => {
  const path = folder.at("cp437.zip");
  makeZip(path, withState({ name: "rules/K_che.ron" }));
  const bytes = readFileSync(path);
  for (let at = bytes.indexOf("K_che"); at >= 0; at = bytes.indexOf("K_che", at + 1)) bytes[at + 1] = 0x81;
  writeFileSync(path, bytes);
  expect(await refused(path)).toContain("is not in UTF-8");
});

test("bombs", async () => {
  const path = folder.at("bomb.zip");
  python(
    `import zipfile, sys
z = zipfile.ZipFile(sys.argv[1], "w", zipfile.ZIP_DEFLATED)
z.write(sys.argv[2], "data/state.redb")
with z.open(zipfile.ZipInfo("rules/big.ron"), "w", force_zip64=True) as f:
    for i in range(70): f.write(b"\\0" * 1000000)
z.close()`,
    path,
    state,
  );
  // Too large for a rule: not restored, with a warning.
  const { warnings } = await checkArchive({ home, file: path, passphrase: undefined, schemas });
  expect(warnings.join()).toContain("big.ron");
  const lying = Buffer.from(readFileSync(good));
  const central = lying.indexOf(Buffer.from([0x50, 0x4b, 1, 2]));
  lying.writeUInt32LE(0xfffffff0, central + 24);
  expect(await refused(variant("lying.zip", lying))).toMatch(/claims to hold more than it can|more|free/);
  const overlapping = Buffer.from(readFileSync(good));
  const first = overlapping.indexOf(Buffer.from([0x50, 0x4b, 1, 2]));
  const second = overlapping.indexOf(Buffer.from([0x50, 0x4b, 1, 2]), first + 4);
  overlapping.writeUInt32LE(0, second + 42);
  expect(await refused(variant("overlapping.zip", overlapping))).toContain("overlaps another file");
});

test("manifests that do not fit", async () => {
  const cases: [string, Parameters<typeof remade>[1], string][] = [
    ["newer", (_files, manifest) => Object.assign(manifest, { format: 2 }), "made by a newer hub (format 2"],
    ["no-format", (_files, manifest) => Object.assign(manifest, { format: "x" }), "is not one of a backup"],
    ["missing", (files) => delete files["rules/new.ron"], 'rules/new.ron" is missing'],
    ["extra", (files) => Object.assign(files, { "rules/more.ron": "()" }), "is not in its manifest"],
    ["changed", (files) => Object.assign(files, { "rules/new.ron": "[]" }), "its SHA-256 differs"],
    [
      "twice",
      (_files, { entries }) => (entries as unknown[]).push({ ...(entries as object[])[0], sha256: "0".repeat(64) }),
      "lists a file twice",
    ],
    ["longer", (files) => Object.assign(files, { "rules/new.ron": "( )" }), "and its manifest says 2"],
    [
      "counts",
      (_files, manifest) => Object.assign(manifest.counts as object, { devices: 7 }),
      "1 devices instead of 7",
    ],
  ];
  for (const [name, edit, why] of cases) expect(await refused(remade(`${name}.zip`, edit))).toContain(why);
});

test("what a manifest lists is restored, also where it would else be passed over; other folders' manifests are files", async () => {
  const sha256 = new Bun.CryptoHasher("sha256").update("()").digest("hex");
  const path = remade("clutter.zip", (files, { entries }) => {
    files["rules/._a.ron"] = "()";
    (entries as unknown[]).push({ path: "rules/._a.ron", bytes: 2, sha256 });
  });
  const own = furnishHome(folder.at("clutter"));
  await restoreHome({ home: own, file: path, passphrase: undefined, schemas, now: NOW });
  expect(readFileSync(`${own.rules}/._a.ron`, "utf8")).toBe("()");
  makeZip(folder.at("own-manifest.zip"), withState({ name: "config/manifest.json", content: "mine" }));
  const { manifest } = await checkArchive({
    home,
    file: folder.at("own-manifest.zip"),
    passphrase: undefined,
    schemas,
  });
  expect(manifest).toBeUndefined();
  makeZip(
    folder.at("two-manifests.zip"),
    withState({ name: "a/manifest.json", content: "{}" }, { name: "b/manifest.json", content: "{}" }),
  );
  expect(await refused(folder.at("two-manifests.zip"))).toContain("several manifests");
});

test("databases of a newer hub, or damaged", async () => {
  const newer = folder.at("newer.db");
  copyFileSync(state, newer);
  using db = new Database(newer);
  db.run(`PRAGMA user_version = ${schemas.state + 1}`);
  db.close();
  makeZip(folder.at("newer-db.zip"), [{ name: "state.redb", from: newer }]);
  expect(await refused(folder.at("newer-db.zip"))).toContain(`schema ${schemas.state + 1}, this one knows`);
  const broken = readFileSync(state);
  broken.fill(0x55, 4096, 20_000);
  writeFileSync(folder.at("broken.db"), broken);
  makeZip(folder.at("broken.zip"), [{ name: "state.redb", from: folder.at("broken.db") }]);
  expect(await refused(folder.at("broken.zip"))).toMatch(/is damaged|not a sound SQLite database/);
});

test("made by hand: with a folder around, without a manifest, databases at the root", async () => {
  const entries: [string, Entry[]][] = [
    [
      "root",
      [
        { name: "state.redb", from: state },
        { name: "hub.toml", content: "# hand\n" },
      ],
    ],
    [
      "folder",
      [
        { name: "hub/data/state.redb", from: state },
        { name: "hub/config/modes.toml", content: "# hand\n" },
        { name: "hub/plugins/x/config/config.toml" },
      ],
    ],
  ];
  for (const [name, list] of entries) {
    const own = furnishHome(folder.at(`by-hand-${name}`));
    makeZip(folder.at(`${name}.zip`), list);
    const { staged, counts } = await restoreHome({
      home: own,
      file: folder.at(`${name}.zip`),
      passphrase: undefined,
      schemas,
      now: NOW,
    });
    expect(staged.warnings.join()).toContain("no manifest");
    expect(counts).toMatchObject({ devices: 1 });
    using db = new Database(own.stateDb, { readonly: true });
    expect(db.query("SELECT id FROM devices").get()).toEqual({ id: "new" });
    // What it does not hold stays.
    expect(readFileSync(`${own.rules}/old.ron`, "utf8")).toBe("()");
    expect(readFileSync(own.hubToml, "utf8")).toContain(name === "root" ? "# hand" : "# old");
  }
});

test("an archive of ours that was unpacked and packed anew within a folder", async () => {
  const own = furnishHome(folder.at("packed-anew"));
  const script = `import zipfile, json, sys
z = zipfile.ZipFile(sys.argv[1], "w")
for n, c in json.load(open(sys.argv[2])).items(): z.writestr("backup/" + n, c.encode("latin1"))
z.writestr("__MACOSX/._x", "")
z.close()`;
  writeFileSync(folder.at("files.json"), JSON.stringify(files));
  python(script, folder.at("anew.zip"), folder.at("files.json"));
  const { staged } = await restoreHome({
    home: own,
    file: folder.at("anew.zip"),
    passphrase: undefined,
    schemas,
    now: NOW,
  });
  expect(staged).toMatchObject({ counts: { devices: 1, rules: 2, users: 0, plugins: 1 } });
  expect(staged.warnings.join()).toContain("packed anew");
});
