// SFTP, by ssh2.
import type { Static } from "@sinclair/typebox";
import type { FileEntry } from "ssh2";
import { HubError } from "../../../../kit/schema/errors.ts";
import type { SftpTarget } from "../config.ts";
import { type Content, MAX_FILES, type OpenOptions, type Storage } from "../storage.ts";
import { connectSftp, failed, inWords, statusOf } from "./sftp-connection.ts";

type Target = Static<typeof SftpTarget>;
type Callback<T> = (error: Error | null | undefined, value: T) => void;

/** One request each: servers take up to 256 KiB. */
const CHUNK_BYTES = 128 * 1024;
const DIRECTORY = 0o040000;
const TYPE = 0o170000;
export async function openSftp(target: Target, options: OpenOptions): Promise<Storage> {
  const { client, sftp, lost } = await connectSftp(target, options);
  const root = target.prefix.replace(/\/+$/, "");
  const at = (path: string): string => [root, path].filter((part) => part !== "").join("/") || ".";
  /** Rejects, too, when the connection ends, as ssh2 leaves its callbacks alone then. */
  const ask = <T>(request: (done: Callback<T>) => void): Promise<T> =>
    Promise.race([
      lost,
      new Promise<T>((resolve, reject) => {
        request((error, value) => (error ? reject(inWords(target, error)) : resolve(value)));
      }),
    ]);

  async function entriesIn(folder: string): Promise<FileEntry[]> {
    try {
      const entries = await ask<FileEntry[]>((done) => sftp.readdir(at(folder), done));
      if (entries.length <= MAX_FILES) return entries;
    } catch (error) {
      if (error instanceof HubError && error.code === "not_found") return [];
      throw error;
    }
    throw failed(target, `holds more than ${MAX_FILES} files: give the copies a folder of their own`);
  }

  async function makeFolders(path: string): Promise<void> {
    const parts = path.split("/");
    for (const depth of parts.keys()) {
      const folder = parts.slice(0, depth + 1).join("/");
      if (folder === "") continue;
      const isThere = await ask((done) => sftp.stat(folder, done)).then(
        () => true,
        () => false,
      );
      if (!isThere) await ask<void>((done) => sftp.mkdir(folder, done));
    }
  }

  /**
   * How much of an earlier try is to be gone on with: all that is there, if its end is as it should be. The whole is read back when it
   * is complete.
   */
  async function keptOf(path: string, { bytes, read }: Content): Promise<number> {
    const size = await ask<{ size: number }>((done) => sftp.stat(at(path), done)).then(
      (found) => found.size,
      () => 0,
    );
    if (size === 0 || size > bytes) return 0;
    const from = Math.max(0, size - CHUNK_BYTES);
    const end = Buffer.alloc(size - from);
    const file = await ask<Buffer>((done) => sftp.open(at(path), "r", done));
    const got = await ask<number>((done) => sftp.read(file, end, 0, end.length, from, atEnd(done)));
    await ask<void>((done) => sftp.close(file, done));
    for await (const { chunk, position } of positioned(read(), from)) {
      const expected = chunk.subarray(0, size - position);
      if (
        !end
          .subarray(position - from)
          .subarray(0, expected.length)
          .equals(expected)
      )
        return 0;
      if (position + chunk.length >= size) break;
    }
    return got === end.length ? size : 0;
  }

  return {
    putsWhole: false,
    folders: async () => (await entriesIn("")).flatMap((entry) => (isFolder(entry) ? [entry.filename] : [])),
    list: async (folder) =>
      (await entriesIn(folder)).flatMap((entry) =>
        isFolder(entry) ? [] : [{ name: entry.filename, bytes: entry.attrs.size }],
      ),
    async put(path, content) {
      await makeFolders(at(path).split("/").slice(0, -1).join("/"));
      const there = await keptOf(path, content);
      const file =
        there > 0
          ? await ask<Buffer>((done) => sftp.open(at(path), "r+", done))
          : await ask<Buffer>((done) => sftp.open(at(path), "w", { mode: 0o600 }, done));
      for await (const { chunk, position } of positioned(content.read(), there))
        for (let from = 0; from < chunk.length; from += CHUNK_BYTES) {
          const part = Buffer.from(chunk.buffer, chunk.byteOffset + from, Math.min(CHUNK_BYTES, chunk.length - from));
          await ask<void>((done) => sftp.write(file, part, 0, part.length, position + from, done));
        }
      await ask<void>((done) => sftp.close(file, done));
    },
    async *get(path) {
      const file = await ask<Buffer>((done) => sftp.open(at(path), "r", done));
      try {
        for (let position = 0; ; ) {
          const buffer = Buffer.allocUnsafeSlow(CHUNK_BYTES);
          const where = position;
          const got = await ask<number>((done) => sftp.read(file, buffer, 0, CHUNK_BYTES, where, atEnd(done)));
          if (got === 0) return;
          position += got;
          yield buffer.subarray(0, got);
        }
      } finally {
        sftp.close(file, () => {});
      }
    },
    async rename(from, to) {
      // Not every server replaces a file by renaming.
      await remove(to);
      await ask<void>((done) => sftp.rename(at(from), at(to), done));
    },
    remove,
    async [Symbol.asyncDispose]() {
      client.end();
    },
  };

  async function remove(path: string): Promise<void> {
    try {
      await ask<void>((done) => sftp.unlink(at(path), done));
    } catch (error) {
      if (!(error instanceof HubError) || error.code !== "not_found") throw error;
    }
  }
}

/** What is from `start` on, with where it belongs. */
async function* positioned(chunks: AsyncIterable<Uint8Array>, start: number) {
  let end = 0;
  for await (const whole of chunks) {
    const position = Math.max(end, start);
    const chunk = whole.subarray(position - end);
    end += whole.length;
    if (chunk.length > 0) yield { chunk, position };
  }
}

/** At its end, a file is read with an error. */
function atEnd(done: Callback<number>): Callback<number> {
  return (error, got) => (error && statusOf(error) === 1 ? done(null, 0) : done(error, got));
}

function isFolder({ attrs }: FileEntry): boolean {
  return (attrs.mode & TYPE) === DIRECTORY;
}
