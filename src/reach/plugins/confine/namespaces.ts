// Namespaces for plugins, where the kernel has no Landlock: whether this machine lets the hub make them, and the command that does.
// Bun has several threads, which may not change their user namespace, so util-linux's `unshare` starts the launcher.
import { dlopen } from "bun:ffi";
import { accessSync, constants } from "node:fs";
import { errnoAt } from "./landlock.ts";

/** `command` is put before the launcher's; where it is undefined, `reason` says why not. */
export interface Namespaces {
  command: readonly string[] | undefined;
  reason: string;
}

const PLACES = ["/usr/bin/unshare", "/bin/unshare"];
// The plugin stays the user that it is; what its user may do in the namespaces ends with the launcher.
const OPTIONS = ["--user", "--mount", "--map-current-user", "--keep-caps"];
const TIMEOUT_MS = 5000;
// The same on x64 and arm64; since Linux 5.12.
const MOUNT_SETATTR = 442;
const EINVAL = 22;

/** Tries it. Changes nothing. */
export function probeNamespaces(): Namespaces {
  const missing = (reason: string): Namespaces => ({ command: undefined, reason });
  if (process.platform !== "linux") return missing("only Linux has namespaces");
  const program = PLACES.find(isExecutable);
  if (program === undefined) return missing("the program `unshare` (util-linux) is missing");
  const command = [program, ...OPTIONS];
  const { success, stderr } = Bun.spawnSync([...command, "/bin/sh", "-c", ":"], {
    cwd: "/",
    env: {},
    stdin: "ignore",
    stdout: "ignore",
    timeout: TIMEOUT_MS,
  });
  if (!success) return missing(`this machine lets the hub make no namespaces: ${refusalOf(stderr.toString().trim())}`);
  if (!hasMountAttributes()) return missing("this kernel cannot protect mounts (Linux 5.12)");
  return { command, reason: "" };
}

// For a limit the kernel has no other error than that of a full disk.
function refusalOf(said: string): string {
  const limit = said.includes("No space left on device") ? " (the limit `sysctl user.max_user_namespaces`)" : "";
  return `${said || "no answer"}${limit}`;
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** A call without anything to do is refused otherwise where the kernel knows it (EINVAL) than where it does not. */
function hasMountAttributes(): boolean {
  const library = dlopen("libc.so.6", {
    syscall: { args: ["i64", "u64", "u64", "u64", "u64", "u64"], returns: "i64" },
    __errno_location: { args: [], returns: "ptr" },
  });
  try {
    library.symbols.syscall(MOUNT_SETATTR, 0n, 0n, 0n, 0n, 0n);
    return errnoAt(library.symbols.__errno_location()) === EINVAL;
  } finally {
    library.close();
  }
}
