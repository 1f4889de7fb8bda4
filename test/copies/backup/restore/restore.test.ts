// Restores that succeed, are undone, or are stopped at the last moment: what the home holds then.
import { Database } from "bun:sqlite";
import { afterEach, beforeEach, expect, test } from "bun:test";
import { randomBytes } from "node:crypto";
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { lockBackups } from "../../../../src/copies/backup/backup-lock.ts";
import { placesIn } from "../../../../src/copies/backup/places.ts";
import { readLastRestore } from "../../../../src/copies/backup/restore/last-restore.ts";
import { removeOldStates } from "../../../../src/copies/backup/restore/old-states.ts";
import { checkArchive, restoreHome } from "../../../../src/copies/backup/restore/restore.ts";
import { setAsideStaleWal } from "../../../../src/copies/backup/restore/stale-wal.ts";
import { recoverRestore, undoRestore } from "../../../../src/copies/backup/restore/swap-in.ts";
import { stateMigrations } from "../../../../src/server/db/migrations/index.ts";
import { openDatabase } from "../../../../src/server/db/open.ts";
import { openStateDb } from "../../../../src/server/db/state-db.ts";
import { type Home, homeAt } from "../../../../src/server/home/paths.ts";
import { filesBelow, makeZip, readZip } from "../../../support/archives.ts";
import { createTemporaryFolder, type TemporaryFolder } from "../../../support/temporary-folder.ts";
import { archiveOf, furnishHome, letWait, NOW, schemas, waitingIn } from "../archive/archive-place.ts";

let folder: TemporaryFolder;
let home: Home;
let other: Home;
let good: string;

beforeEach(async () => {
  folder = createTemporaryFolder();
  home = furnishHome(folder.at("home"));
  other = furnishHome(folder.at("other"), "new");
  letWait(other, "of the other");
  good = await archiveOf(other, folder.at("good.zip"));
});
afterEach(() => folder[Symbol.dispose]());

const restore = (file: string, into = home) =>
  restoreHome({ home: into, file, passphrase: undefined, schemas, now: NOW });
const whyNot = (file: string) =>
  restore(file).then(
    () => "it was taken",
    ({ message }: Error) => message,
  );
const deviceIn = (path: string) => {
  using db = new Database(path);
  return db.query<{ id: string }, []>("SELECT id FROM devices").get()?.id;
};
/** What a person has in it. */
const belongings = (of = home) => {
  const found = filesBelow(of.root);
  for (const name of found.keys()) if (/hub\.lock|backup\.lock|last-restore/.test(name)) found.delete(name);
  return found;
};

function settle(into: Home): string[] {
  const warnings: string[] = [];
  const log = { warn: (message: string, fields = {}) => void warnings.push(`${message} ${JSON.stringify(fields)}`) };
  setAsideStaleWal({ home: into, random: randomBytes, now: NOW, log, schemas });
  return warnings;
}

test("queued notifications stay with the hub that queued them, and an undo brings back its own", async () => {
  letWait(home, "of this one", "and another");
  const { staged } = await restore(good);
  expect(staged.warnings).toEqual([expect.stringContaining("the notifications queued in it (1) are not sent")]);
  expect(deviceIn(home.stateDb)).toBe("new");
  expect(waitingIn(home.stateDb)).toEqual([]);
  expect(waitingIn(other.stateDb)).toEqual(["of the other"]);
  settle(home);
  await undoRestore(home, NOW);
  settle(home);
  expect(waitingIn(home.stateDb)).toEqual(["of this one", "and another"]);
});

test("the same for what quiet hours hold back", async () => {
  {
    using state = openStateDb(other.stateDb, () => NOW);
    state.durable.run(
      "INSERT INTO held_messages (person, channels, at, count, title) VALUES ('Anna', '[]', 1, 1, 'Door')",
    );
  }
  makeZip(folder.at("held.zip"), [{ name: "state.redb", from: other.stateDb }]);
  const { staged } = await restore(folder.at("held.zip"));
  expect(staged.warnings.join()).toContain("the notifications queued in it (2) are not sent");
  using state = openStateDb(home.stateDb, () => NOW);
  expect(state.durable.query("SELECT * FROM held_messages").all()).toEqual([]);
});

test("the same for a database zipped by hand, and for one that is older than notifications", async () => {
  makeZip(folder.at("hand.zip"), [{ name: "state.redb", from: other.stateDb }]);
  const { staged } = await restore(folder.at("hand.zip"));
  expect(staged.warnings.join()).toContain("queued in it");
  expect(waitingIn(home.stateDb)).toEqual([]);
  const path = folder.at("older.redb");
  openDatabase({ path, migrations: stateMigrations.slice(0, 3), now: () => NOW }).db.close();
  makeZip(folder.at("older.zip"), [{ name: "state.redb", from: path }]);
  expect((await restore(folder.at("older.zip"))).staged.warnings.join()).not.toContain("queued in it");
});

test("the same for a backup's database that is put there by hand; a hub's own, moved with its home, keeps them", () => {
  writeFileSync(home.stateDb, Buffer.from(readZip(good)["data/state.redb"] ?? "", "latin1"));
  expect(waitingIn(home.stateDb)).toEqual(["of the other"]);
  expect(settle(home).join()).toContain('are not sent: they belong to the hub it was made of {"count":1}');
  expect(waitingIn(home.stateDb)).toEqual([]);
  // From now on it is this hub's own.
  letWait(home, "later");
  expect(settle(home)).toEqual([]);
  expect(waitingIn(home.stateDb)).toEqual(["later"]);
  renameSync(home.root, folder.at("moved"));
  const moved = homeAt(folder.at("moved"));
  expect(settle(moved)).toEqual([]);
  expect(waitingIn(moved.stateDb)).toEqual(["later"]);
});

test("restored twice, and undone twice: each brings back what the previous one replaced", async () => {
  const own = belongings();
  await restore(good);
  const first = belongings();
  await undoRestore(home, NOW);
  expect(readFileSync(home.hubToml, "utf8")).toContain("# old");
  for (const [name, sum] of own) expect([name, belongings().get(name)]).toEqual([name, sum]);
  await undoRestore(home, NOW);
  expect(deviceIn(home.stateDb)).toBe("new");
  expect([...belongings().keys()].filter((name) => !name.includes("before-restore"))).toEqual(
    [...first.keys()].filter((name) => !name.includes("before-restore")),
  );
  await restore(good);
  await restore(good);
  expect(deviceIn(home.stateDb)).toBe("new");
  const kept = readdirSync(home.data).filter((name) => name.startsWith("before-restore-"));
  expect(new Set(kept.map((name) => name.slice(0, 19))).size).toBe(kept.length);
});

test("the last three old states stay, and the last one can still be brought back", async () => {
  const keptFolders = () => readdirSync(home.data).filter((name) => name.startsWith("before-restore-"));
  for (let round = 0; round < 5; round++) await restore(good);
  const before = keptFolders().sort();
  expect(before).toHaveLength(5);
  expect(await removeOldStates(home)).toEqual({ removed: before.slice(0, 2), kept: before.slice(2) });
  expect(keptFolders().sort()).toEqual(before.slice(2));
  expect(await removeOldStates(home)).toEqual({ removed: [], kept: before.slice(2) });
  writeFileSync(home.hubToml, "# of now");
  await undoRestore(home, NOW);
  expect(readFileSync(home.hubToml, "utf8")).not.toContain("# of now");
});

test("there is nothing to undo where nothing was restored, and no home is made by asking", async () => {
  await expect(undoRestore(home, NOW)).rejects.toThrow("nothing was restored in");
  await expect(undoRestore(homeAt(folder.at("nowhere")), NOW)).rejects.toThrow("nothing was restored in");
  expect(existsSync(folder.at("nowhere"))).toBe(false);
});

test("into a folder that is not a home: it becomes one, and other files in it stay", async () => {
  const empty = homeAt(folder.at("empty"));
  mkdirSync(`${empty.root}/photos`, { recursive: true });
  writeFileSync(`${empty.root}/photos/cat.jpg`, "x");
  const { counts } = await restore(good, empty);
  expect(counts).toMatchObject({ devices: 1, rules: 2 });
  expect(readFileSync(`${empty.root}/photos/cat.jpg`, "utf8")).toBe("x");
  await undoRestore(empty, NOW);
  expect(existsSync(empty.stateDb)).toBe(false);
  expect(existsSync(empty.hubToml)).toBe(false);
});

test.each(["house.zip", "backups/house.zip", "data/house.zip", "config/house.zip"])(
  "the archive lies in the home itself: %s",
  async (name) => {
    mkdirSync(`${home.root}/backups`);
    copyFileSync(good, `${home.root}/${name}`);
    await restore(`${home.root}/${name}`);
    expect(deviceIn(home.stateDb)).toBe("new");
    await undoRestore(home, NOW);
    expect(readFileSync(`${home.root}/${name}`)).toEqual(readFileSync(good));
  },
);

test("a home named by a link", async () => {
  symlinkSync(home.root, folder.at("link"));
  const linked = homeAt(folder.at("link"));
  await restore(good, linked);
  expect(deviceIn(home.stateDb)).toBe("new");
  await undoRestore(linked, NOW);
  expect(deviceIn(home.stateDb)).toBe("old");
});

test.each(["config", "rules", "data/state.redb"])(
  "a link in the home, %s, is refused with nothing changed",
  async (name) => {
    renameSync(`${home.root}/${name}`, folder.at("real"));
    symlinkSync(folder.at("real"), `${home.root}/${name}`);
    const before = belongings();
    expect(await whyNot(good)).toContain("is a link: put the real one in its place");
    await expect(checkArchive({ home, file: good, passphrase: undefined, schemas })).rejects.toThrow("is a link");
    expect(belongings()).toEqual(before);
    expect(readLastRestore(home)).toMatchObject({ ok: false, counts: null });
  },
);

test("anything but a file is refused with the reason", async () => {
  const before = belongings();
  expect(await whyNot(folder.path)).toContain("is not a file");
  expect(await whyNot(folder.at("none.zip"))).toContain("there is no file");
  expect(await whyNot("/dev/null")).toContain("is not a file");
  Bun.spawnSync(["mkfifo", folder.at("pipe")]);
  expect(await whyNot(folder.at("pipe"))).toContain("is not a file");
  expect(belongings()).toEqual(before);
});

test("a file that cannot be moved during the swap: everything is as it was, and it can be tried again", async () => {
  letWait(home, "of this one");
  // Bound to itself, the folder is no other disk and can be written, and yet it cannot be renamed.
  expect(Bun.spawnSync(["mount", "--bind", home.rules, home.rules]).success).toBe(true);
  const before = belongings();
  try {
    expect(await whyNot(good)).toContain("could not be replaced, and are as they were");
  } finally {
    Bun.spawnSync(["umount", home.rules]);
  }
  expect(belongings()).toEqual(before);
  expect(waitingIn(home.stateDb)).toEqual(["of this one"]);
  expect(readLastRestore(home)).toMatchObject({ ok: false });
  await restore(good);
  expect(deviceIn(home.stateDb)).toBe("new");
});

test("an interrupted restore records how it ended", async () => {
  const killed = homeAt(folder.at("killed"));
  await restore(good, killed);
  rmSync(placesIn(killed).lastRestore);
  // As it is left by a power cut right before its end.
  const at = "2026-11-21T03:00:00Z";
  const journal = {
    version: 1,
    at,
    units: ["state"],
    kept: "data/before-restore-0001-x",
    spent: "data/restore.tmp",
    keep: [],
    place: [],
  };
  writeFileSync(placesIn(killed).journal, JSON.stringify(journal));
  expect(recoverRestore(killed)).toBe(true);
  expect(readLastRestore(killed)).toMatchObject({ at, ok: true, counts: { devices: 1 } });
});

test("checking an archive waits for nobody, and removes nothing of a restore that runs", async () => {
  using _lock = lockBackups(home);
  mkdirSync(placesIn(home).restoreWork);
  await expect(checkArchive({ home, file: good, passphrase: undefined, schemas })).rejects.toThrow("under way");
  expect(existsSync(placesIn(home).restoreWork)).toBe(true);
});
