// An executable of the hub as a file: whether it is one for this machine, which version it is, and putting it in its
// place in the home.
import {
  closeSync,
  copyFileSync,
  fchmodSync,
  fstatSync,
  fsyncSync,
  linkSync,
  lstatSync,
  openSync,
  readFileSync,
  readSync,
  renameSync,
  rmSync,
  statfsSync,
  statSync,
  writeSync,
} from "node:fs";
import { removeIfPossible, syncFolder } from "../core/atomic-file.ts";
import { HubError, messageOf, systemCode } from "../core/errors.ts";
import type { Owner } from "../home/owner.ts";
import type { BinFolder } from "./bin-folder.ts";
import type { Machine } from "./machine.ts";

// The first start from an SD card reads a hundred megabytes.
const VERSION_WITHIN_MS = 30_000;
const MOST_HEADER_BYTES = 20;
// e_machine of the ELF header.
const ELF_MACHINES: Readonly<Record<number, string>> = { 3: "x86", 40: "arm", 62: "x64", 183: "arm64", 243: "riscv64" };

/** Throws HubError `invalid` with the reason why the file cannot be a hub for this machine, before anything runs it. */
export function assertForThisMachine(file: string, { platform, arch }: Pick<Machine, "platform" | "arch">): void {
  const kind = kindOf(readHeader(file));
  const here = `${platform}-${arch}`;
  if (kind === here) return;
  throw new HubError(
    "invalid",
    kind === undefined
      ? `${file} is no program: is the download complete? sha256sum tells`
      : `${file} is built for ${kind}, and this machine is ${here}: take the file for that`,
  );
}

function readHeader(file: string): Buffer {
  try {
    if (!statSync(file).isFile()) throw new HubError("invalid", `${file} is not a file`);
    const descriptor = openSync(file, "r");
    try {
      const header = Buffer.alloc(MOST_HEADER_BYTES);
      readSync(descriptor, header, 0, MOST_HEADER_BYTES, 0);
      return header;
    } finally {
      closeSync(descriptor);
    }
  } catch (error) {
    if (error instanceof HubError) throw error;
    if (systemCode(error) === "ENOENT") throw new HubError("not_found", `there is no file ${file}`);
    throw new HubError("invalid", `${file} cannot be read: ${messageOf(error)}`, { cause: error });
  }
}

/** `linux-arm64` and the like; undefined for what is no program we know. */
function kindOf(header: Buffer): string | undefined {
  if (header.readUInt32BE(0) === 0x7f454c46) {
    const machine = header.readUInt16LE(18);
    return `linux-${ELF_MACHINES[machine] ?? `machine ${machine}`}`;
  }
  if (header.readUInt32LE(0) === 0xfeedfacf) return `darwin-${header[4] === 0x0c ? "arm64" : "x64"}`;
  return undefined;
}

/**
 * Asks an executable for its version, from a folder that changes nothing. Throws HubError `invalid` with the reason;
 * `named` is what a person knows it by, `as` whom it is run as.
 */
export async function versionOf(
  file: string,
  machine: Machine,
  { named = file, as }: { named?: string; as?: Owner | undefined } = {},
): Promise<string> {
  const { code, stdout, stderr } = await machine.run([file, "version"], {
    cwd: "/",
    env: { PATH: "/usr/bin:/bin" },
    timeoutMs: VERSION_WITHIN_MS,
    as,
  });
  const version = code === 0 ? /^hub (\d+\.\d+\.\d+\S*) \(/.exec(stdout)?.[1] : undefined;
  if (version !== undefined) return version;
  throw new HubError("invalid", `${named} does not say a hub's version: ${whyNot(code, stderr)}`);
}

function whyNot(code: number, stderr: string): string {
  if (code === 124) return "it did not end in time";
  if (code === 127) return `it cannot be started (${stderr.trim()}): it may want another C library (musl or glibc)`;
  if (stderr.includes("SIGILL")) return "this processor lacks instructions it uses: take the baseline build";
  return stderr.trim().slice(0, 500) || `it ended with ${code}`;
}

/** The name in `bin/` that nothing starts. */
export const STAGED_NAME = "hub.new";

/** Copies `source` beside the executable, whole and on disk. Answers its path in the folder as it is held. */
export function stage(source: string, folder: BinFolder): string {
  // Opened with the rights of whoever named it, and not with those of the home's owner.
  const from = openSync(source, "r");
  try {
    return writing(folder, () => {
      const staged = `${folder.bin}/${STAGED_NAME}`;
      rmSync(staged, { force: true });
      needRoom(fstatSync(from).size, folder.bin);
      try {
        copyInto(staged, from);
      } catch (error) {
        removeIfPossible(staged);
        throw error;
      }
      return staged;
    });
  } finally {
    closeSync(from);
  }
}

/** Nothing is begun that cannot be finished. */
function needRoom(bytes: number, bin: string): void {
  const { bavail, bsize } = statfsSync(bin);
  const [needed, free] = [bytes, bavail * bsize].map((each) => Math.ceil(each / 1e6));
  if (Number(free) > Number(needed)) return;
  throw Object.assign(new Error(`the executable needs ${needed} MB, and ${free} MB are free: free some space`), {
    code: "ENOSPC",
  });
}

function copyInto(path: string, from: number): void {
  const to = openSync(path, "wx", 0o755);
  try {
    copyAll(from, to);
    fchmodSync(to, 0o755);
    fsyncSync(to);
  } finally {
    closeSync(to);
  }
}

const COPY_BYTES = 1024 * 1024;

function copyAll(from: number, to: number): void {
  const buffer = Buffer.alloc(COPY_BYTES);
  for (let read = readSync(from, buffer); read > 0; read = readSync(from, buffer))
    for (let at = 0; at < read; ) at += writeSync(to, buffer, at, read - at);
}

/** Whether what was staged is what is there already. */
export function isSame(staged: string, folder: BinFolder): boolean {
  return writing(folder, () => readFileSync(staged).equals(readFileSync(folder.executable)));
}

export function unstage(staged: string, folder: BinFolder): void {
  writing(folder, () => rmSync(staged, { force: true }));
}

/**
 * Makes what was staged the executable; there is one at every moment. The one before is set by, until `settle` makes it
 * the previous or `undo` puts it back.
 */
export function swapIn(staged: string, folder: BinFolder): void {
  writing(folder, () => {
    settleIn(folder);
    if (exists(folder.executable)) renameSync(twin(folder.executable), setBy(folder));
    renameSync(staged, folder.executable);
    syncFolder(folder.bin);
  });
}

export function settle(folder: BinFolder): void {
  writing(folder, () => settleIn(folder));
}

export function undo(folder: BinFolder): void {
  writing(folder, () => {
    renameSync(setBy(folder), folder.executable);
    syncFolder(folder.bin);
  });
}

/** The previous executable takes its place again, and the present one becomes the previous. */
export function swapBack(folder: BinFolder): void {
  writing(folder, () => {
    settleIn(folder);
    const back = twin(folder.previousExecutable);
    renameSync(twin(folder.executable), folder.previousExecutable);
    renameSync(back, folder.executable);
    syncFolder(folder.bin);
  });
}

// Also what an upgrade that was cut short left set by.
function settleIn(folder: BinFolder): void {
  if (!exists(setBy(folder))) return;
  renameSync(setBy(folder), folder.previousExecutable);
  syncFolder(folder.bin);
}

function setBy({ executable }: BinFolder): string {
  return `${executable}.before`;
}

/** A second name for the file, or a copy where the file system knows no second names. */
function twin(file: string): string {
  const second = `${file}.twin`;
  rmSync(second, { force: true });
  try {
    linkSync(file, second);
  } catch (error) {
    if (lstatSync(file).isSymbolicLink()) throw error;
    copyWhole(file, second);
  }
  return second;
}

function copyWhole(file: string, second: string): void {
  try {
    copyFileSync(file, second);
  } catch (error) {
    removeIfPossible(second);
    throw error;
  }
}

function exists(file: string): boolean {
  return statSync(file, { throwIfNoEntry: false }) !== undefined;
}

function writing<T>(folder: BinFolder, change: () => T): T {
  try {
    using _rights = folder.act();
    return change();
  } catch (error) {
    const mend = ["EACCES", "EPERM"].includes(systemCode(error) ?? "") ? ": run it with sudo" : "";
    throw new HubError("storage", `cannot change ${folder.name}: ${messageOf(error)}${mend}`, { cause: error });
  }
}
