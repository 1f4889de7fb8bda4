// An executable of the hub as a file: whether it is one for this machine, which version it is, and putting it in its
// place in the home.
import {
  chmodSync,
  closeSync,
  copyFileSync,
  fsyncSync,
  linkSync,
  openSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
} from "node:fs";
import { syncFolder } from "../core/atomic-file.ts";
import { HubError, messageOf, systemCode } from "../core/errors.ts";
import type { Home } from "../home/paths.ts";
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
 * `named` is what a person knows it by.
 */
export async function versionOf(file: string, machine: Machine, named = file): Promise<string> {
  const { code, stdout, stderr } = await machine.run([file, "version"], {
    cwd: "/",
    env: { PATH: "/usr/bin:/bin" },
    timeoutMs: VERSION_WITHIN_MS,
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

/** Copies `source` beside the executable, whole and on disk, under a name that nothing starts. */
export function stage(source: string, home: Home): string {
  const staged = `${home.executable}.new`;
  return writing(home, () => {
    rmSync(staged, { force: true });
    copyFileSync(source, staged);
    chmodSync(staged, 0o755);
    const descriptor = openSync(staged, "r");
    try {
      fsyncSync(descriptor);
    } finally {
      closeSync(descriptor);
    }
    return staged;
  });
}

/**
 * Makes what was staged the executable; there is one at every moment. The one before is set by, until `settle` makes it
 * the previous or `undo` puts it back.
 */
export function swapIn(staged: string, home: Home): void {
  writing(home, () => {
    settleIn(home);
    if (exists(home.executable)) renameSync(twin(home.executable), setBy(home));
    renameSync(staged, home.executable);
    syncFolder(home.bin);
  });
}

export function settle(home: Home): void {
  writing(home, () => settleIn(home));
}

export function undo(home: Home): void {
  writing(home, () => {
    renameSync(setBy(home), home.executable);
    syncFolder(home.bin);
  });
}

/** The previous executable takes its place again, and the present one becomes the previous. */
export function swapBack(home: Home): void {
  writing(home, () => {
    settleIn(home);
    const back = twin(home.previousExecutable);
    renameSync(twin(home.executable), home.previousExecutable);
    renameSync(back, home.executable);
    syncFolder(home.bin);
  });
}

// Also what an upgrade that was cut short left set by.
function settleIn(home: Home): void {
  if (!exists(setBy(home))) return;
  renameSync(setBy(home), home.previousExecutable);
  syncFolder(home.bin);
}

function setBy(home: Home): string {
  return `${home.executable}.before`;
}

/** A second name for the file, or a copy where the file system knows no second names. */
function twin(file: string): string {
  const second = `${file}.twin`;
  rmSync(second, { force: true });
  try {
    linkSync(file, second);
  } catch {
    copyFileSync(file, second);
  }
  return second;
}

function exists(file: string): boolean {
  return statSync(file, { throwIfNoEntry: false }) !== undefined;
}

function writing<T>(home: Home, change: () => T): T {
  try {
    return change();
  } catch (error) {
    const mend = ["EACCES", "EPERM"].includes(systemCode(error) ?? "") ? ": run it with sudo" : "";
    throw new HubError("storage", `cannot change ${home.bin}: ${messageOf(error)}${mend}`, { cause: error });
  }
}
