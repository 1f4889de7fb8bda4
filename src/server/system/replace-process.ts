// Replaces this process by another program, as exec of a shell does: the number of the process, its standard streams and whoever
// waits for it stay.
import { HubError } from "../../kit/schema/errors.ts";

// glibc, musl, macOS.
const C_LIBRARIES = ["libc.so.6", "libc.so", "libSystem.B.dylib"];

export type Replacement = {
  file: string;
  /** Without the name of the program. */
  args: readonly string[];
  env: Readonly<Record<string, string | undefined>>;
};

/** Only comes back to throw: HubError `unavailable` where the system refuses. Files that this process has open without close-on-exec stay open. */
export async function replaceProcess({ file, args, env }: Replacement): Promise<never> {
  const { ptr } = await import("bun:ffi");
  const execve = await systemCall();
  const texts = (list: readonly string[]) => list.map((text) => Buffer.from(`${text}\0`));
  const [path, argv, envp] = [
    Buffer.from(`${file}\0`),
    texts([file, ...args]),
    texts(Object.entries(env).flatMap(([name, value]) => (value === undefined ? [] : [`${name}=${value}`]))),
  ];
  // Lists of addresses that end with a zero.
  const list = (entries: readonly Buffer[]) => new BigUint64Array([...entries.map((entry) => BigInt(ptr(entry))), 0n]);
  const [argvList, envList] = [list(argv), list(envp)];
  execve(ptr(path), ptr(argvList), ptr(envList));
  throw new HubError("unavailable", `${file} cannot take the place of this process`);
}

async function systemCall() {
  const { dlopen } = await import("bun:ffi");
  for (const library of C_LIBRARIES) {
    try {
      return dlopen(library, { execve: { args: ["ptr", "ptr", "ptr"], returns: "i32" } }).symbols.execve;
    } catch {
      // Another system.
    }
  }
  throw new HubError("unavailable", "this system has no execve");
}
