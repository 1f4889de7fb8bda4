// The executable of the hub as a file: whether it is for this machine, which version it is, and replacing it in the home.
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
  statSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import { removeIfPossible, syncFolder } from "../../../kit/files/atomic-file.ts";
import { requireSpace } from "../../../kit/files/free-space.ts";
import { HubError, messageOf, systemCode } from "../../../kit/schema/errors.ts";
import { isObject, parseJson } from "../../../kit/schema/json.ts";
import type { Owner } from "../../home/owner.ts";
import type { Home } from "../../home/paths.ts";
import type { BinFolder } from "./bin-folder.ts";
import type { Machine } from "./machine.ts";

// The first start from an SD card reads a hundred megabytes.
const VERSION_WITHIN_MS = 30_000;
const MAX_HEADER_BYTES = 20;
const ASKED = { cwd: "/", env: { PATH: "/usr/bin:/bin" } };
// e_machine of the ELF header.
const ELF_MACHINES: Readonly<Record<number, string>> = { 3: "x86", 40: "arm", 62: "x64", 183: "arm64", 243: "riscv64" };

/**
 * Throws HubError `invalid` with the reason why the file, `named` in messages, cannot be a hub for this machine, before anything
 * runs it.
 */
export function assertForThisMachine(
  file: string,
  { platform, arch }: Pick<Machine, "platform" | "arch">,
  named = file,
): void {
  const header = readHeader(file);
  const kind = kindOf(header);
  const here = `${platform}-${arch}`;
  if (kind === here && (platform !== "linux" || isStartable(header))) return;
  throw new HubError(
    "invalid",
    kind === undefined || kind === here
      ? `${named} is not a program: compare its sha256sum with SHA256SUMS, the download may be incomplete`
      : `${named} is built for ${kind}, and this machine is ${here}: take the file for that`,
  );
}

function readHeader(file: string): Buffer {
  try {
    if (!statSync(file).isFile()) throw new HubError("invalid", `${file} is not a file`);
    const descriptor = openSync(file, "r");
    try {
      const header = Buffer.alloc(MAX_HEADER_BYTES);
      readSync(descriptor, header, 0, MAX_HEADER_BYTES, 0);
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

/** An ELF file of 64 bits, little-endian, that is neither an object file nor a core dump. */
function isStartable(header: Buffer): boolean {
  return header[4] === 2 && header[5] === 1 && [2, 3].includes(header.readUInt16LE(16));
}

/** `linux-arm64` and the like; undefined for an unknown format. */
function kindOf(header: Buffer): string | undefined {
  if (header.readUInt32BE(0) === 0x7f454c46) {
    const machine = header.readUInt16LE(18);
    return `linux-${ELF_MACHINES[machine] ?? `machine ${machine}`}`;
  }
  if (header.readUInt32LE(0) === 0xfeedfacf) return `darwin-${header[4] === 0x0c ? "arm64" : "x64"}`;
  return undefined;
}

/**
 * Runs an executable to learn its version. `named` is its path in messages, `as` the user it runs as. Throws HubError `invalid`
 * with the reason.
 */
export async function versionOf(
  file: string,
  machine: Machine,
  { named = file, as }: { named?: string; as?: Owner | undefined } = {},
): Promise<string> {
  const { code, stdout, stderr } = await machine.run([file, "version"], {
    ...ASKED,
    timeoutMs: VERSION_WITHIN_MS,
    as,
  });
  const version = code === 0 ? /^hub (\d+\.\d+\.\d+\S*) \(/.exec(stdout)?.[1] : undefined;
  if (version !== undefined) return version;
  throw new HubError("invalid", `${named} does not print the version of a hub: ${whyNot(code, stderr)}`);
}

/** The newest layout (`user_version`) of each database that an executable reads. Throws HubError `conflict` for an old one that does not say. */
export async function databasesOf(
  file: string,
  machine: Machine,
  as: Owner | undefined,
): Promise<{ state: number; history: number }> {
  const { stdout } = await machine.run([file, "version", "--json"], { ...ASKED, timeoutMs: VERSION_WITHIN_MS, as });
  const said = parseJson(stdout);
  const databases = said.ok && isObject(said.value) && isObject(said.value.databases) ? said.value.databases : {};
  const [state, history] = [Number(databases.state), Number(databases.history)];
  if (Number.isInteger(state) && Number.isInteger(history)) return { state, history };
  throw new HubError(
    "conflict",
    "that version does not say which databases it reads: use `hub upgrade` on the machine",
  );
}

function whyNot(code: number, stderr: string): string {
  if (code === 124) return "it did not end in time";
  if (code === 127) return `it cannot be started (${stderr.trim()}): it may want another C library (musl or glibc)`;
  if (stderr.includes("SIGILL")) return "this processor lacks instructions it uses: take the baseline build";
  return stderr.trim().slice(0, 500) || `it ended with ${code}`;
}

/** In `bin/`, for an executable that is not in use yet. */
export const STAGED_NAME = "hub.new";

/** Copies `source` beside the executable, synced to disk. Returns its path, valid in this process only. */
export function stage(source: string, folder: BinFolder): string {
  // Opened with the rights of the user who named it, not with those of the home's owner.
  const from = openSync(source, "r");
  try {
    return withRights(folder, () => {
      const staged = `${folder.bin}/${STAGED_NAME}`;
      rmSync(staged, { force: true });
      requireSpace(folder.bin, fstatSync(from).size, "a copy of the executable");
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

/** Whether the staged file is the same as the present executable. */
export function isSame(staged: string, folder: BinFolder): boolean {
  return withRights(folder, () => readFileSync(staged).equals(readFileSync(folder.executable)));
}

/** Removes what killed upgrades have left in a folder that this process may change. */
export function sweepStaged({ bin, executable, previousExecutable }: Home): void {
  for (const path of [join(bin, STAGED_NAME), ...[executable, previousExecutable].map(twinOf)]) removeIfPossible(path);
}

export function unstage(staged: string, folder: BinFolder): void {
  withRights(folder, () => rmSync(staged, { force: true }));
}

/**
 * Makes the staged file the executable; there is one at every moment. The former one is kept aside, until `confirmSwap` makes it
 * the previous one or `undoSwap` puts it back.
 */
export function swapIn(staged: string, folder: BinFolder): void {
  withRights(folder, () => {
    keepPrevious(folder);
    if (exists(folder.executable)) renameSync(secondName(folder.executable), asidePath(folder));
    renameSync(staged, folder.executable);
    syncFolder(folder.bin);
  });
}

export function confirmSwap(folder: BinFolder): void {
  withRights(folder, () => keepPrevious(folder));
}

export function undoSwap(folder: BinFolder): void {
  withRights(folder, () => {
    renameSync(asidePath(folder), folder.executable);
    syncFolder(folder.bin);
  });
}

/** Exchanges the present and the previous executable. */
export function swapBack(folder: BinFolder): void {
  withRights(folder, () => {
    keepPrevious(folder);
    const back = secondName(folder.previousExecutable);
    renameSync(secondName(folder.executable), folder.previousExecutable);
    renameSync(back, folder.executable);
    syncFolder(folder.bin);
  });
}

/** Also of an earlier upgrade that was interrupted. */
function keepPrevious(folder: BinFolder): void {
  if (!exists(asidePath(folder))) return;
  renameSync(asidePath(folder), folder.previousExecutable);
  syncFolder(folder.bin);
}

function asidePath({ executable }: BinFolder): string {
  return `${executable}.before`;
}

const twinOf = (file: string): string => `${file}.twin`;

/** A hard link to the file, or a copy where the file system has no hard links. */
function secondName(file: string): string {
  const second = twinOf(file);
  rmSync(second, { force: true });
  try {
    linkSync(file, second);
  } catch (error) {
    if (lstatSync(file).isSymbolicLink()) throw error;
    copyOrRemove(file, second);
  }
  return second;
}

function copyOrRemove(file: string, second: string): void {
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

function withRights<T>(folder: BinFolder, change: () => T): T {
  try {
    using _rights = folder.act();
    return change();
  } catch (error) {
    const mend = ["EACCES", "EPERM"].includes(systemCode(error) ?? "") ? ": run it with sudo" : "";
    throw new HubError("storage", `cannot change ${folder.name}: ${messageOf(error)}${mend}`, { cause: error });
  }
}
