// Restores archives that were tampered with, each into a home of its own, and says what became of them.
import { Database } from "bun:sqlite";
import { cpSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { beginEntry } from "../../../../src/copies/backup/archive/zip/container.ts";
import { readDirectory } from "../../../../src/copies/backup/archive/zip/directory.ts";
import { readEntry } from "../../../../src/copies/backup/archive/zip/unpack.ts";
import { createWideContainer } from "../../../../src/copies/backup/archive/zip/wide-container.ts";
import { restoreHome } from "../../../../src/copies/backup/restore/restore.ts";
import { openArchiveFile } from "../../../../src/copies/backup/restore/stage.ts";
import { HubError } from "../../../../src/kit/schema/errors.ts";
import { homeAt } from "../../../../src/server/home/paths.ts";
import { filesBelow } from "../../../support/archives.ts";
import { isTimeUp } from "../../../support/campaign.ts";
import { mutatedArchive } from "../../../support/mutated-archive.ts";
import { createRandom } from "../../../support/random.ts";
import { createTemporaryFolder } from "../../../support/temporary-folder.ts";
import { archiveOf, furnishHome, NOW, schemas } from "./archive-place.ts";

export interface Outcomes {
  restored: number;
  refused: number;
  /** What must not be: other errors, changed homes, files elsewhere, contents that are not the archive's. */
  wrong: string[];
  /** How often each refusal was given, its names and numbers left out. */
  reasons: Map<string, number>;
}

export async function restoreMutated(count: number, seed: number, zip64 = false): Promise<Outcomes> {
  using folder = createTemporaryFolder();
  const archives = await makeArchives(folder.at("made"), folder.path, zip64);
  const outcomes: Outcomes = { restored: 0, refused: 0, wrong: [], reasons: new Map() };
  const random = createRandom(seed).below;
  for (let index = 0; index < count && !isTimeUp(); index++) {
    const { what, bytes } = mutatedArchive(archives.archive, random);
    const place = folder.at("place");
    cpSync(folder.at("old"), `${place}/home`, { recursive: true });
    const file = `${place}/archive.zip`;
    writeFileSync(file, bytes);
    const before = { around: around(folder.path), home: filesOf(`${place}/home`) };
    const wrong = await restoreOne({
      file,
      home: `${place}/home`,
      outcomes,
      before: before.home,
      good: archives.files,
    });
    for (const path of around(folder.path)) if (!before.around.has(path)) wrong.push(`wrote ${path}`);
    outcomes.wrong.push(...wrong.map((why) => `${index} (${what}): ${why}`));
    rmSync(place, { recursive: true });
  }
  return outcomes;
}

interface One {
  file: string;
  home: string;
  outcomes: Outcomes;
  before: Map<string, string>;
  good: Map<string, string>;
}

async function restoreOne({ file, home, outcomes, before, good }: One): Promise<string[]> {
  try {
    await restoreHome({ home: homeAt(home), file, passphrase: undefined, schemas, now: NOW });
    outcomes.restored++;
    return differences(filesOf(home), good);
  } catch (error) {
    outcomes.refused++;
    if (!(error instanceof HubError) || error.code !== "invalid") return [`threw ${String(error)}`];
    const reason = error.message.replaceAll(/"(?:[^"\\]|\\.)*"/g, "…").replaceAll(/\d+/g, "n");
    outcomes.reasons.set(reason, (outcomes.reasons.get(reason) ?? 0) + 1);
    return differences(filesOf(home), before);
  }
}

/** What a restore exchanges: configuration, rules, and what the database says. Its file changes by being opened. */
function filesOf(home: string): Map<string, string> {
  const all = [...filesBelow(home)].filter(([path, sum]) => /^(?:config|rules)\//.test(path) && sum !== "folder");
  using db = new Database(`${home}/data/state.redb`);
  const devices = db.query<{ id: string }, []>("SELECT id FROM devices").all();
  return new Map([...all, ["the devices", JSON.stringify(devices)]]);
}

function differences(found: Map<string, string>, wanted: Map<string, string>): string[] {
  const paths = new Set([...found.keys(), ...wanted.keys()]);
  return [...paths].filter((path) => found.get(path) !== wanted.get(path)).map((path) => `${path} is another`);
}

/** Everything near the home that is none of its own. */
function around(path: string): Set<string> {
  return new Set([...filesBelow(path).keys()].filter((name) => !name.startsWith("place/home/")));
}

async function makeArchives(made: string, folder: string, zip64: boolean) {
  furnishHome(`${folder}/old`, "old");
  const home = furnishHome(made, "new");
  const path = await archiveOf(home, `${folder}/good.zip`);
  return { archive: zip64 ? await asZip64(path) : readFileSync(path), files: filesOf(made) };
}

/** The same, as an archive is written that is too large for the plain form. */
async function asZip64(path: string): Promise<Buffer> {
  const container = createWideContainer();
  using file = openArchiveFile(path);
  for (const entry of readDirectory(file.descriptor).entries) {
    const packed = beginEntry(container, { path: entry.name, mode: entry.mode ?? 0o600, mtime: NOW });
    packed.add(await readEntry(file.descriptor, entry, entry.bytes));
    packed.end();
  }
  container.finish();
  return Buffer.concat(container.take());
}
