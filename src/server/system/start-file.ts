// The file `data/starts.json`, written once for each part of a start: atomic, but not synced, as it must outlive the process,
// and a power cut does not count as a failure.
import { closeSync, openSync, readFileSync, renameSync, rmSync, writeSync } from "node:fs";
import { type Static, Type } from "@sinclair/typebox";
import { Value } from "@sinclair/typebox/value";

const OffPart = Type.Object({
  part: Type.String(),
  error: Type.String(),
  /** How often it was tried since it is off. */
  tries: Type.Integer({ minimum: 0 }),
  /** When it is tried next; epoch ms. */
  next: Type.Number(),
});
export type OffPart = Static<typeof OffPart>;

const StartRecord = Type.Object({
  /** Starts of another version say nothing about this one. */
  version: Type.String(),
  /** How much the failures in a row weigh. */
  score: Type.Integer({ minimum: 0 }),
  part: Type.String(),
  error: Type.String(),
  /** UTC, of the last failure. */
  since: Type.String(),
  /** The parts that the next start leaves off, if it is a safe one. */
  off: Type.Array(OffPart),
  /** A start that has begun and is not successful yet; `boot` identifies the boot of the machine, `trying` the part that is tried again. */
  begun: Type.Optional(Type.Object({ boot: Type.String(), part: Type.String(), trying: Type.Optional(Type.String()) })),
});
export type StartRecord = Static<typeof StartRecord>;

/** Nothing here throws: a disk that is full or broken is reported elsewhere. */
export interface StartFile {
  /** Undefined where there is none that can be read and is of this version. */
  read(version: string): StartRecord | undefined;
  /** Writes the state of a start that goes on. The file stays open until `release` or `end`. */
  write(record: StartRecord): void;
  /** Writes what is left of a start, or removes the file. */
  end(record: StartRecord | undefined): void;
  /** A restore may move the folder once the hub is up: the next `write` makes the file anew. */
  release(): void;
}

export function openStartFile(path: string): StartFile {
  let open: { file: number; bytes: number } | undefined;

  function release(): void {
    if (open) closeSync(open.file);
    open = undefined;
  }

  /** A file that takes the place of another makes some file systems wait for the disk. */
  function replace(bytes: Buffer): void {
    const temporary = `${path}.tmp`;
    rmSync(temporary, { force: true });
    const file = openSync(temporary, "wx", 0o600);
    open = { file, bytes: bytes.length };
    writeSync(file, bytes);
    renameSync(temporary, path);
  }

  function write(record: StartRecord): void {
    const bytes = Buffer.from(`${JSON.stringify(record)}\n`);
    if (!open) {
      replace(bytes);
      return;
    }
    // One write, with blanks over the rest of a longer text: a process that dies leaves the old text or the new one.
    const padded = Buffer.concat([bytes, Buffer.alloc(Math.max(0, open.bytes - bytes.length), " ")]);
    writeSync(open.file, padded, 0, padded.length, 0);
    open.bytes = padded.length;
  }

  function unlessFailing(act: () => void): void {
    try {
      act();
    } catch {
      try {
        release();
      } catch {
        open = undefined;
      }
    }
  }

  return {
    read: (version) => read(path, version),
    write: (record) => unlessFailing(() => write(record)),
    release: () => unlessFailing(release),
    end: (record) =>
      unlessFailing(() => {
        release();
        if (record) write(record);
        else for (const left of [`${path}.tmp`, path]) rmSync(left, { force: true });
        release();
      }),
  };
}

function read(path: string, version: string): StartRecord | undefined {
  try {
    const found: unknown = JSON.parse(readFileSync(path, "utf8"));
    return Value.Check(StartRecord, found) && found.version === version ? found : undefined;
  } catch {
    return undefined;
  }
}
