// Pictures of waiting messages, as files named after their messages: an outage of hours still shows the moment, and a restart meanwhile
// leaves how much older than its message a picture is.
import { mkdir, open, readdir, readFile, rename, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { freeBytes, RESERVE_BYTES } from "../../../kit/files/free-space.ts";
import { extensionOf } from "../../../kit/text/picture-type.ts";
import type { Picture } from "../channel.ts";

export interface KeptPicture {
  readonly bytes: Buffer;
  /** How much older than its message it is, ms. */
  readonly oldMs: number;
}

export interface PictureStore {
  /** On disk when it resolves. When there is no room, the oldest ones go. Rejects where the disk does not take it. */
  save(messageId: string, picture: Picture, oldMs?: number): Promise<void>;
  read(messageId: string): Promise<KeptPicture | undefined>;
  /** Removes those of messages that are not alive; resolves with how many are left. */
  sweep(isAlive: (messageId: string) => boolean): Promise<number>;
}

export interface StoreBounds {
  bytes: number;
  files: number;
}

const BOUNDS: StoreBounds = { bytes: 64 * 1_048_576, files: 500 };
/** The age of one that is as old as its message is left out: `ID.jpg`, `ID.10800000.jpg`. */
const NAME = /^([0-9A-Za-z-]{1,64})(?:\.(\d{1,15}))?\.(?:jpg|png|gif|webp|part)$/;
const PART = ".part";

interface Kept {
  readonly name: string;
  readonly bytes: number;
  readonly at: number;
}

/** `folder` is made when it is first needed. */
export function createPictureStore(folder: string, bounds = BOUNDS): PictureStore {
  const at = (name: string): string => join(folder, name);

  async function kept(): Promise<Kept[]> {
    const names = await readdir(folder).catch(() => []);
    const files = await Promise.all(
      names.map(async (name) => {
        const found = await stat(at(name)).catch(() => undefined);
        return found?.isFile() ? [{ name, bytes: found.size, at: found.mtimeMs }] : [];
      }),
    );
    return files.flat().sort((a, b) => a.at - b.at);
  }

  async function makeRoom(bytes: number): Promise<void> {
    const files = await kept();
    let total = files.reduce((sum, file) => sum + file.bytes, bytes);
    for (const [index, file] of files.entries()) {
      if (total <= bounds.bytes && files.length - index < bounds.files) return;
      await rm(at(file.name), { force: true });
      total -= file.bytes;
    }
  }

  return {
    async save(messageId, { bytes }, oldMs = 0) {
      if (!NAME.test(messageId + PART)) throw new Error("the id cannot be a file's name");
      await mkdir(folder, { recursive: true, mode: 0o700 });
      if (freeBytes(folder) - RESERVE_BYTES < bytes.length) throw new Error("the disk is full");
      await makeRoom(bytes.length);
      const temporary = at(messageId + PART);
      await using file = await open(temporary, "w", 0o600);
      await file.writeFile(bytes);
      await file.sync();
      const extension = extensionOf(bytes);
      const age = oldMs > 0 ? `.${Math.round(oldMs)}` : "";
      await rename(temporary, at(extension === undefined ? messageId + PART : `${messageId}${age}.${extension}`));
    },
    async read(messageId) {
      for (const name of await readdir(folder).catch(() => [])) {
        const [, id, age = 0] = NAME.exec(name) ?? [];
        if (id !== messageId || name.endsWith(PART)) continue;
        const bytes = await readFile(at(name)).catch(() => undefined);
        if (bytes) return { bytes, oldMs: Number(age) };
      }
      return undefined;
    },
    async sweep(isAlive) {
      const files = await kept();
      const dead = files.filter(({ name }) => {
        const [, id] = NAME.exec(name) ?? [];
        return id === undefined || !isAlive(id);
      });
      await Promise.all(dead.map(({ name }) => rm(at(name), { force: true })));
      return files.length - dead.length;
    },
  };
}
