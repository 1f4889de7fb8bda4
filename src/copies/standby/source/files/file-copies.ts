// Which files a standby lacks. A file is read when its attributes have changed, so that nothing is read twice.
import { readFileSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Log } from "../../../../kit/lifecycle/log.ts";
import { HubError, messageOf, systemCode } from "../../../../kit/schema/errors.ts";
import type { Clock } from "../../../../kit/time/clock.ts";
import type { Home } from "../../../../server/home/paths.ts";
import type { SourceFile } from "../../../backup/archive/home-contents.ts";
import { fileHash, filesId } from "../../hashes.ts";
import type { FileHead, GoneHead, SyncRequest } from "../../protocol.ts";
import { createRecent } from "../recent.ts";
import { listCopiedFiles } from "./copied-files.ts";
import { createPace } from "./pace.ts";
import { stampOf } from "./stamp.ts";

export interface FilesAnswer {
  records: { head: FileHead | GoneHead; content?: Uint8Array }[];
  /** Of what the standby has then; undefined where it has to list its files first. */
  id: string | undefined;
  more: boolean;
}

export interface FileCopies {
  /**
   * `now`: somebody waits for what the hub itself has written, so that is looked for however young the list is, and what others may have
   * written is left to `refresh`. Throws HubError: `storage` where the disk fails, `too_large` where there are too many.
   */
  read(have: Pick<SyncRequest["have"], "files" | "list">, now?: boolean): FilesAnswer;
  /** Looks at all of them, where it is time for that; the next answer has what is new. Throws as `read`. */
  refresh(): void;
}

type Hashes = ReadonlyMap<string, string>;

interface Listed {
  id: string;
  files: ReadonlyMap<string, SourceFile>;
  hashes: Map<string, string>;
  /** Those that are there, but cannot be read or are too large: a copy of them stays as it is. */
  unread: Set<string>;
  /** With the stamps that they had before they were listed. The hub replaces files whole, and each time their folder changes. */
  folders: ReadonlyMap<string, string | undefined>;
}

const SHORTEST_PAUSE_MS = 1000;
const MAX_BYTES = 8 * 1_048_576;
const MAX_FILE = 256 * 1_048_576;
const MAX_FILES = 50_000;
const SKIPPED = ["ENOENT", "EACCES", "EPERM", "ELOOP", "ENOTDIR"];

export function openFileCopies(home: Home, { clock, log }: { clock: Clock; log: Pick<Log, "warn"> }): FileCopies {
  const known = new Map<string, { stamp: string; hash: string }>();
  const recent = createRecent<Hashes>();
  const pace = createPace(clock, SHORTEST_PAUSE_MS);
  const reported = new Set<string>();
  let current: Listed | undefined;

  function reportOnce(path: string, problem: string): void {
    const text = `${path}: ${problem}`;
    if (reported.has(text) || reported.size > 1000) return;
    reported.add(text);
    log.warn("a file is not in the standby's copy", { file: path, problem });
  }

  /** Undefined where it cannot be read. */
  function contentOf({ path, file }: SourceFile): Buffer | undefined {
    try {
      return readFileSync(file);
    } catch (error) {
      if (!SKIPPED.includes(systemCode(error) ?? ""))
        throw new HubError("storage", `cannot read ${file}: ${messageOf(error)}`, { cause: error });
      if (systemCode(error) !== "ENOENT") reportOnce(path, "it cannot be read");
      return undefined;
    }
  }

  function hashOf(one: SourceFile): string | undefined {
    const stat = statSync(one.file, { throwIfNoEntry: false });
    if (!stat) return undefined;
    const stamp = stampOf(stat, clock.now());
    const before = known.get(one.path);
    if (before && stamp === before.stamp) return before.hash;
    known.delete(one.path);
    if (stat.size > MAX_FILE) {
      reportOnce(one.path, "it is too large");
      return undefined;
    }
    const content = contentOf(one);
    const hash = content && fileHash(content, one.mode);
    if (hash !== undefined && stamp !== undefined) known.set(one.path, { stamp, hash });
    return hash;
  }

  function stampOfFolder(folder: string): string | undefined {
    const stat = statSync(folder, { throwIfNoEntry: false });
    // One that is not there is as good as one that has not changed.
    return stat ? stampOf(stat, clock.now()) : "none";
  }

  function isAsListed({ folders }: Listed): boolean {
    return [...folders].every(([folder, stamp]) => stamp !== undefined && stampOfFolder(folder) === stamp);
  }

  function list(): Listed {
    const before = foldersOf(home, current?.files.keys() ?? []);
    const stamps = new Map(before.map((folder) => [folder, stampOfFolder(folder)]));
    const { files, skipped } = listCopiedFiles(home);
    const folders = new Map(
      foldersOf(
        home,
        files.map(({ path }) => path),
      ).map((folder) => [folder, stamps.get(folder)]),
    );
    if (files.length > MAX_FILES)
      throw new HubError("too_large", `a standby copies at most ${MAX_FILES} files, and there are ${files.length}`);
    for (const text of skipped) reportOnce(...splitReason(text));
    const listed: Listed = {
      id: "",
      files: new Map(files.map((one) => [one.path, one])),
      hashes: new Map(),
      unread: new Set(),
      folders,
    };
    for (const one of files) {
      const hash = hashOf(one);
      if (hash === undefined) listed.unread.add(one.path);
      else listed.hashes.set(one.path, hash);
    }
    for (const path of known.keys()) if (!listed.files.has(path)) known.delete(path);
    listed.id = filesId(listed.hashes);
    recent.add(listed.id, listed.hashes);
    return listed;
  }

  return {
    read(have, now = false) {
      if (!current || (now ? !isAsListed(current) : pace.isDue())) current = pace.measure(list);
      if (have.files === current.id && have.list === undefined) return { records: [], id: current.id, more: false };
      const base = baseOf(have, recent.get(have.files ?? ""));
      if (!base) return { records: [], id: undefined, more: false };
      const { list: left, ...answer } = difference(base, current, contentOf);
      const id = filesId(left);
      recent.add(id, left);
      return { ...answer, id };
    },
    refresh() {
      if (pace.isDue()) current = pace.measure(list);
    },
  };
}

/** All folders that a file of the copy may come into, or go from. */
function foldersOf(home: Home, paths: Iterable<string>): string[] {
  const own = [home.root, home.config, home.rules, home.plugins, home.data, home.calendars, home.waitingPictures];
  const folders = new Set(own);
  for (const path of paths)
    for (let folder = dirname(path); folder !== "."; folder = dirname(folder)) folders.add(join(home.root, folder));
  return [...folders];
}

/** What the standby has; undefined where that is not known. */
function baseOf({ files, list }: Pick<SyncRequest["have"], "files" | "list">, known: Hashes | undefined) {
  if (list !== undefined) return new Map(Object.entries(list));
  return files === undefined ? new Map<string, string>() : known;
}

function difference(
  base: Hashes,
  { files, hashes, unread }: Listed,
  contentOf: (one: SourceFile) => Uint8Array | undefined,
): Pick<FilesAnswer, "records" | "more"> & { list: Hashes } {
  const list = new Map(base);
  const records: FilesAnswer["records"] = [];
  for (const path of base.keys()) {
    if (hashes.has(path) || unread.has(path)) continue;
    list.delete(path);
    records.push({ head: { kind: "gone", path } });
  }
  let bytes = 0;
  for (const [path, hash] of hashes) {
    const one = files.get(path);
    if (base.get(path) === hash || !one) continue;
    if (bytes >= MAX_BYTES) return { records, list, more: true };
    const content = contentOf(one);
    if (!content) continue;
    // It may have changed since it was listed.
    list.set(path, fileHash(content, one.mode));
    records.push({ head: { kind: "file", path, mode: one.mode, bytes: content.length }, content });
    bytes += content.length;
  }
  return { records, list, more: false };
}

/** As `listContents` words it: the path, and why. */
function splitReason(text: string): [path: string, problem: string] {
  const at = text.indexOf(": ");
  return at < 0 ? [text, "it is left out"] : [text.slice(0, at), text.slice(at + 2)];
}
