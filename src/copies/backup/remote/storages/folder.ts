// A folder of another disk or machine that is mounted here: USB, NFS, SMB. A mark distinguishes it from the empty folder that is there while
// nothing is mounted. Calls wait in place: a dead NFS server then holds this thread alone, and none of those the hub shares.
import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { dirname, join } from "node:path";
import type { Static } from "@sinclair/typebox";
import { syncFolder } from "../../../../kit/files/atomic-file.ts";
import { RESERVE_BYTES, requireSpace } from "../../../../kit/files/free-space.ts";
import { HubError, messageOf, systemCode } from "../../../../kit/schema/errors.ts";
import type { FolderTarget } from "../config.ts";
import { MAX_FILES, type OpenOptions, type Storage, type StoredFile } from "../storage.ts";

const MARK = ".hub-backup-target";
const READ_BYTES = 256 * 1024;

export function openFolder({ directory }: Static<typeof FolderTarget>, options: OpenOptions): Storage {
  const guard = <T>(work: () => T): T => explained(directory, work);
  guard(() => requireMark(directory, options));
  const at = (path: string): string => join(directory, path);
  return {
    putsWhole: false,
    folders: async () => guard(() => entriesOf(directory).filter((name) => statSync(at(name)).isDirectory())),
    list: async (folder) => guard(() => (existsSync(at(folder)) ? filesOf(at(folder)) : [])),
    async put(path, { bytes, read }) {
      guard(() => {
        mkdirSync(dirname(at(path)), { recursive: true });
        requireSpace(directory, bytes + RESERVE_BYTES, "the copy");
        rmSync(at(path), { force: true });
      });
      // Created anew: an existing link of that name could lead anywhere.
      const out = guard(() => openSync(at(path), "wx", 0o600));
      try {
        for await (const chunk of read())
          guard(() => {
            for (let done = 0; done < chunk.length; ) done += writeSync(out, chunk, done);
          });
        guard(() => fsyncSync(out));
      } finally {
        closeSync(out);
      }
    },
    get: (path) => contentOf(at(path), guard),
    async rename(from, to) {
      guard(() => renameSync(at(from), at(to)));
      guard(() => syncFolder(dirname(at(to))));
    },
    remove: async (path) => guard(() => rmSync(at(path), { force: true })),
    [Symbol.asyncDispose]: async () => {},
  };
}

/**
 * The mark is made the first time, on another disk than the hub's. After that a folder without it is a mount point without its disk,
 * or another disk, which only a person can distinguish.
 */
function requireMark(directory: string, { resolve, known, isTest }: OpenOptions): void {
  if (existsSync(join(directory, MARK))) {
    known.isMarked = true;
    return;
  }
  if (!existsSync(directory)) throw failed(`there is no folder ${directory}: mount its disk, or make the folder`);
  const byHand = `put an empty file ${MARK} into it`;
  if (statSync(directory).dev === statSync(resolve("data")).dev)
    throw failed(
      `${directory} is on the hub's own disk: mount the other one there. If it is meant so, ${byHand}: touch ${join(directory, MARK)}`,
    );
  if (known.isMarked && !isTest)
    throw failed(
      `${directory} has no file ${MARK} any more: its disk is not mounted, or is another one. If this is the new disk, press "Test" at the target, or ${byHand}`,
    );
  writeFileSync(
    join(directory, MARK),
    "The hub keeps copies of its backups here. Without this file it takes the disk for missing.\n",
  );
  known.isMarked = true;
}

function entriesOf(folder: string): string[] {
  const names = readdirSync(folder);
  if (names.length > MAX_FILES)
    throw failed(`${folder} holds more than ${MAX_FILES} files: give the copies a folder of their own`);
  return names;
}

function filesOf(folder: string): StoredFile[] {
  return entriesOf(folder).flatMap((name) => {
    const { isFile, bytes } = sizeOf(join(folder, name));
    return isFile ? [{ name, bytes }] : [];
  });
}

function sizeOf(path: string) {
  const found = statSync(path, { throwIfNoEntry: false });
  return { isFile: found?.isFile() ?? false, bytes: found?.size ?? 0 };
}

async function* contentOf(path: string, guard: <T>(work: () => T) => T): AsyncGenerator<Uint8Array> {
  const file = guard(() => openSync(path, "r"));
  try {
    for (;;) {
      const buffer = new Uint8Array(READ_BYTES);
      const got = guard(() => readSync(file, buffer));
      if (got === 0) return;
      yield buffer.subarray(0, got);
    }
  } finally {
    closeSync(file);
  }
}

const failed = (message: string): HubError => new HubError("upstream_failed", message);

function explained<T>(directory: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (error instanceof HubError) throw error.code === "storage" ? failed(error.message) : error;
    const code = systemCode(error);
    if (code === "ENOENT") throw new HubError("not_found", `it is not in ${directory}`);
    if (code === "ENOSPC" || code === "EDQUOT") throw failed(`${directory} is full: free some space there`);
    if (code === "EACCES" || code === "EPERM" || code === "EROFS")
      throw failed(
        `${directory} cannot be used (${code}): give it to the hub's user. Installed as a service, the hub may write there after \`sudo hub service install\``,
      );
    throw failed(`${directory} does not work: ${messageOf(error)}`);
  }
}
