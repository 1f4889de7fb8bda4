// A database that this process may not write: what is said is who may not write what, never that the disk is bad.
import { expect, test } from "bun:test";
import { chmodSync, chownSync, mkdirSync, renameSync, symlinkSync } from "node:fs";
import { openHomeDatabase } from "../../../src/app/cli/home-database.ts";
import { takeSnapshot } from "../../../src/copies/backup/database-copies.ts";
import { actAsOwner } from "../../../src/server/home/owner.ts";
import { homeAt } from "../../../src/server/home/paths.ts";
import { layOutStateDb } from "../../support/state-db.ts";
import { createTemporaryFolder, type TemporaryFolder } from "../../support/temporary-folder.ts";
import { createVirtualClock } from "../../support/virtual-clock.ts";

const USER = 12_345;
const clock = createVirtualClock();

/** A home of another user whose database is a link to one of root's. */
function linkedHome(folder: TemporaryFolder, { mode }: { mode: number }) {
  const home = homeAt(folder.at("home"));
  mkdirSync(home.data, { recursive: true });
  mkdirSync(folder.at("elsewhere"));
  layOutStateDb(home.stateDb);
  const file = folder.at("elsewhere", "state.redb");
  renameSync(home.stateDb, file);
  chmodSync(file, mode);
  symlinkSync(file, home.stateDb);
  for (const path of [folder.path, home.root, home.data]) chownSync(path, USER, USER);
  return { home, file };
}

test.skipIf(process.geteuid?.() !== 0).each([0o600, 0o644])(
  "behind a link to a file of another user (%o), passwords and backups name the file and the user",
  (mode) => {
    using folder = createTemporaryFolder();
    const { home, file } = linkedHome(folder, { mode });
    using _owner = actAsOwner(home);
    const words = new RegExp(
      `is a link to ${file}, and the user of the hub \\(${USER}:${USER}\\) may not write ${file}`,
    );
    expect(() => openHomeDatabase(home, clock, "nothing")).toThrow(words);
    expect(() => takeSnapshot(home.stateDb, folder.at("copy"))).toThrow(words);
    expect(() => openHomeDatabase(home, clock, "nothing")).toThrow(`sudo chown ${USER}:${USER} ${file}`);
  },
);

test("a link that leads nowhere is said to, and one that leads to a database is one", () => {
  using folder = createTemporaryFolder();
  const home = homeAt(folder.at("home"));
  mkdirSync(home.data, { recursive: true });
  symlinkSync(folder.at("gone"), home.stateDb);
  expect(() => openHomeDatabase(home, clock, "nothing")).toThrow(/is a link to a file that is not there/);
  layOutStateDb(folder.at("gone"));
  using db = openHomeDatabase(home, clock, "nothing");
  expect(db.copy).toBeUndefined();
});
