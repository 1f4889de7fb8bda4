// Two files that change places in one step, which is what it takes to know what a rename has replaced. Linux only, and not
// on every file system; neither Node nor Bun offers it, so libc is asked.
import { dlopen, ptr } from "bun:ffi";

type RenameAt = (from: Uint8Array, to: Uint8Array) => number;

const AT_FDCWD = -100;
const RENAME_EXCHANGE = 2;
const SYMBOLS = { renameat2: { args: ["i32", "ptr", "i32", "ptr", "u32"], returns: "i32" } } as const;

let asked = false;
let rename: RenameAt | undefined;

/** False where the system or the file system cannot, or where one of them is not there: then nothing has changed. */
export function exchangeFiles(one: string, other: string): boolean {
  if (!asked) rename = renameOfLibc();
  asked = true;
  return rename?.(pathBytes(one), pathBytes(other)) === 0;
}

function renameOfLibc(): RenameAt | undefined {
  if (process.platform !== "linux") return undefined;
  try {
    // musl answers to glibc's name as well, and has had the function for as long as Bun has needed.
    const { renameat2 } = dlopen("libc.so.6", SYMBOLS).symbols;
    return (from, to) => renameat2(AT_FDCWD, ptr(from), AT_FDCWD, ptr(to), RENAME_EXCHANGE);
  } catch {
    return undefined;
  }
}

function pathBytes(path: string): Uint8Array {
  return new TextEncoder().encode(`${path}\0`);
}
