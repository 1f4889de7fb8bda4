// The C library for the launcher: the calls that Bun has no function for, and values in the form that the kernel reads. Bundled into
// launcher.ts.
import { dlopen, type Pointer, ptr, read } from "bun:ffi";

const SYMBOLS = {
  syscall: { args: ["i64", "u64", "u64", "u64", "u64", "u64"], returns: "i64" },
  prctl: { args: ["i32", "u64", "u64", "u64", "u64"], returns: "i32" },
  open: { args: ["ptr", "i32", "u32"], returns: "i32" },
  sendmsg: { args: ["i32", "ptr", "i32"], returns: "i64" },
  dup2: { args: ["i32", "i32"], returns: "i32" },
  mount: { args: ["ptr", "ptr", "ptr", "u64", "ptr"], returns: "i32" },
  umount2: { args: ["ptr", "i32"], returns: "i32" },
  signal: { args: ["i32", "u64"], returns: "u64" },
  execve: { args: ["ptr", "ptr", "ptr"], returns: "i32" },
  __errno_location: { args: [], returns: "ptr" },
} as const;

export type Libc = ReturnType<typeof openLibc>;

export function openLibc() {
  const { symbols } = dlopen("libc.so.6", SYMBOLS);
  // Keeps the buffers alive, as the kernel gets their addresses.
  const kept: Uint8Array[] = [];

  function at(bytes: Uint8Array): Pointer {
    kept.push(bytes);
    return ptr(bytes);
  }
  const text = (value: string): Pointer => at(Buffer.from(`${value}\0`));
  const numbers = (values: readonly bigint[]): Pointer => at(new Uint8Array(new BigUint64Array(values).buffer));

  return {
    call: symbols,
    at,
    text,
    numbers,
    list: (values: readonly string[]): Pointer => numbers([...values.map((value) => BigInt(text(value))), 0n]),
    errno(): number {
      const address = symbols.__errno_location();
      return address === null ? 0 : read.i32(Number(address) as Pointer, 0);
    },
  };
}
