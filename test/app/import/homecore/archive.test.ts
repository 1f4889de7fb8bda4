// A backup of homeCore with files that cannot be used among those that can.
import { afterAll, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { openOldArchive } from "../../../../src/app/import/homecore/archive.ts";
import { type Entry, makeZip } from "../../../support/archives.ts";
import { createTemporaryFolder } from "../../../support/temporary-folder.ts";

const folder = createTemporaryFolder();
afterAll(() => folder[Symbol.dispose]());

async function opened(entries: readonly Entry[]) {
  const path = folder.at("old.zip");
  makeZip(path, [{ name: "config/homecore.toml", content: "" }, ...entries]);
  return await openOldArchive(path);
}

const rule = (name: string, content = "name = 'x'"): Entry => ({ name: `rules/${name}.toml`, content });

test("a rule that is too large, or no text, does not keep a hundred others away", async () => {
  const huge = folder.at("huge");
  writeFileSync(huge, " ".repeat(1_100_000));
  const good = Array.from({ length: 100 }, (_, index) => rule(`good${index}`));
  using archive = await opened([
    ...good.slice(0, 50),
    { name: "rules/huge.toml", from: huge },
    rule("odd", "a\0b"),
    ...good.slice(50),
  ]);
  expect(archive.rules.filter(({ file }) => file.startsWith("good"))).toHaveLength(100);
  expect(archive.leftOut).toContainEqual({
    ...{ kind: "rule", name: "rules/huge.toml", why: "it has 1100000 bytes; at most 1048576 are read" },
  });
});

test("of calendars fifty are taken, and those behind are named", async () => {
  const calendars = Array.from({ length: 52 }, (_, index) => ({
    name: `config/calendars/c${index}.ics`,
    content: "x",
  }));
  using archive = await opened(calendars);
  expect(archive.calendars.size).toBe(50);
  expect(archive.leftOut).toEqual(
    ["c50", "c51"].map((name) => ({
      ...{ kind: "calendar", name: `config/calendars/${name}.ics`, why: "no more than 50 are taken" },
    })),
  );
});
