// The kernel's Landlock: its version and its rights. The restriction itself happens in launcher.ts.
import { dlopen, type Pointer, read } from "bun:ffi";
import { messageOf } from "../../../kit/schema/errors.ts";

/** `abi` 0: it is not available, and `reason` says why and what to do. */
export interface Landlock {
  abi: number;
  reason: string;
}

// The same number on x64 and arm64.
const CREATE_RULESET = 444;
const VERSION_FLAG = 1n;
const ENOSYS = 38;
const EOPNOTSUPP = 95;

const SYMBOLS = {
  syscall: { args: ["i64", "u64", "u64", "u64"], returns: "i64" },
  __errno_location: { args: [], returns: "ptr" },
} as const;

/** Asks the kernel for its version. Changes nothing. */
export function probeLandlock(): Landlock {
  if (process.platform !== "linux") return { abi: 0, reason: "only Linux has Landlock" };
  try {
    return askKernel();
  } catch (error) {
    return { abi: 0, reason: `the kernel cannot be asked for Landlock: ${messageOf(error)}` };
  }
}

function askKernel(): Landlock {
  const library = dlopen("libc.so.6", SYMBOLS);
  try {
    const abi = Number(library.symbols.syscall(CREATE_RULESET, 0n, 0n, VERSION_FLAG));
    return abi > 0 ? { abi, reason: "" } : { abi: 0, reason: whyNot(errnoAt(library.symbols.__errno_location())) };
  } finally {
    library.close();
  }
}

/** Where the C library keeps the number of this thread's last error. */
export function errnoAt(address: Pointer | bigint | null): number {
  return address === null ? 0 : read.i32(Number(address) as Pointer, 0);
}

function whyNot(errno: number): string {
  if (errno === ENOSYS) return "this kernel was built without Landlock";
  if (errno === EOPNOTSUPP) return "this kernel has Landlock switched off (its boot option lsm= does not name it)";
  return "a filter of system calls around the hub forbids Landlock: `sudo hub service install` renews the service's";
}

/** Rights on files and folders, LANDLOCK_ACCESS_FS_…; a number behind one is the version that added it, if not the first. */
const EXECUTE = 1 << 0;
const WRITE_FILE = 1 << 1;
const READ_FILE = 1 << 2;
const READ_DIR = 1 << 3;
const REMOVE_FILE = 1 << 5;
const MAKE_CHAR = 1 << 6;
const MAKE_REG = 1 << 8;
const MAKE_BLOCK = 1 << 11;
const TRUNCATE = 1 << 14; // 3
const IOCTL_DEV = 1 << 15; // 5

const FIRST = (1 << 13) - 1;

/** All rights of this version: those that are not granted are denied. */
export function handledRights(abi: number): number {
  if (abi >= 5) return FIRST | (1 << 13) | TRUNCATE | IOCTL_DEV;
  if (abi >= 3) return FIRST | (1 << 13) | TRUNCATE;
  return abi === 2 ? FIRST | (1 << 13) : FIRST;
}

/** Before version 3, a file that may not be written could be emptied. */
export function holdsEmptying(abi: number): boolean {
  return abi >= 3;
}

/** From version 6 on, signals and abstract sockets cannot leave the confinement. */
export function scopes(abi: number): number {
  return abi >= 6 ? 0b11 : 0;
}

const READ = EXECUTE | READ_FILE | READ_DIR;
const DEVICE = READ_FILE | READ_DIR | WRITE_FILE | TRUNCATE | IOCTL_DEV;

/** What may be done below a path. No plugin may create device files. */
export const RIGHTS = {
  /** Names only. */
  list: READ_DIR,
  read: READ,
  device: DEVICE,
  /** Files shared by programs: shared memory, locks of serial ports. */
  shared: DEVICE | MAKE_REG | REMOVE_FILE,
  write: ((1 << 16) - 1) & ~(MAKE_CHAR | MAKE_BLOCK),
} as const;
export type Right = keyof typeof RIGHTS;

/** The rights that a single file can have. */
export const FILE_RIGHTS = EXECUTE | WRITE_FILE | READ_FILE | TRUNCATE | IOCTL_DEV;

/** What this version cannot deny, for people; empty when there is nothing. A filter of system calls refuses some of it. */
export function gaps(abi: number, filtersCalls: boolean, whySignals: string | undefined): string {
  const open = [
    ...(!holdsEmptying(abi) && !filtersCalls ? ["emptying files (Linux 6.2)"] : []),
    ...(whySignals === undefined ? [] : [`signals to processes of the same user (Linux 6.12; ${whySignals})`]),
  ];
  return open.length === 0 ? "" : `this kernel cannot refuse ${open.join(" and ")}`;
}
