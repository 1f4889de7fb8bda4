import { expect, test } from "bun:test";
import { readdirSync, writeFileSync } from "node:fs";
import { timeInName } from "../../../src/copies/backup/places.ts";
import { removeOldBackups } from "../../../src/copies/backup/scheduled-backups.ts";
import { createTemporaryFolder } from "../../support/temporary-folder.ts";

const DAY_MS = 86_400_000;
const NOW = Date.UTC(2026, 5, 15, 3);
const nameOf = (at: number): string => `hub-backup-${timeInName(at)}.zip`;

test("backups of a clock that was ten years ahead go first, instead of pushing out every new one", () => {
  using folder = createTemporaryFolder();
  const put = (at: number): string => {
    writeFileSync(folder.at(nameOf(at)), "x");
    return nameOf(at);
  };
  for (let night = 0; night < 3; night++) put(NOW + 3650 * DAY_MS + night * DAY_MS);
  for (let night = 0; night < 4; night++) {
    const now = NOW + night * DAY_MS;
    removeOldBackups(folder.path, 3, { made: put(now), now });
  }
  expect(readdirSync(folder.path).sort()).toEqual([1, 2, 3].map((night) => nameOf(NOW + night * DAY_MS)));
});

test("the oldest go; one that is made by a clock that was set back stays", () => {
  using folder = createTemporaryFolder();
  for (let night = 0; night < 3; night++) writeFileSync(folder.at(nameOf(NOW + night * DAY_MS)), "x");
  const now = NOW - 400 * DAY_MS;
  writeFileSync(folder.at(nameOf(now)), "x");
  removeOldBackups(folder.path, 3, { made: nameOf(now), now });
  expect(readdirSync(folder.path)).toContain(nameOf(now));
  expect(readdirSync(folder.path)).toHaveLength(3);
});
