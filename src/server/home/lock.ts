// One hub per home. Beside the lock lies the number of the process that holds it, for messages and to notice a crash.
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { removeIfPossible } from "../../kit/files/atomic-file.ts";
import { isHeldError, lockFile, lockFileShared } from "../../kit/files/os-lock.ts";
import { storageFaultOf } from "../../kit/files/storage-fault.ts";
import { HubError, messageOf, systemCode } from "../../kit/schema/errors.ts";
import type { Home } from "./paths.ts";

export interface HomeLock extends Disposable {
  /** The last hub ended without releasing the home: a power cut, a crash or a kill. */
  readonly wasLeftLocked: boolean;
}

/** A command that looks whether a hub runs (`isHomeLocked`) holds the home for a moment: a start waits that long before it gives up. */
const GLANCE_MS = 500;

/** Locks the home for a hub. Throws HubError `in_use` naming the process that holds it. */
export function lockHome(home: Home): HomeLock {
  return lock(home, "", GLANCE_MS);
}

/**
 * Locks the home for a command, or for a moment before the hub itself locks it. How the last hub ended stays noted for
 * the next hub, and a command that is killed does not count as a hub that crashed. `waits`: until a command that looks has looked.
 */
export function borrowHome(home: Home, { waits = false } = {}): Disposable {
  return lock(home, COMMAND, waits ? GLANCE_MS : 0);
}

/** Whether a hub runs in the home, or a command has locked it. Throws HubError `storage` where that cannot be found out. */
export function isHomeLocked(home: Home): boolean {
  if (!existsSync(home.lock)) return false;
  try {
    lockFileShared(home.lock)[Symbol.dispose]();
    return false;
  } catch (error) {
    if (isHeldError(error)) return true;
    throw explain(error, home, "");
  }
}

/** Follows the process id in the file of a command. */
const COMMAND = "command\n";

function lock(home: Home, kind: "" | typeof COMMAND, waitMs: number): HomeLock {
  const pidFile = `${home.lock}.pid`;
  const left = leftBehind(pidFile);
  const held = lockOrExplain(home, pidFile, waitMs);
  writeIfPossible(pidFile, `${process.pid}\n${left === undefined ? kind : ""}`);
  return {
    wasLeftLocked: left !== undefined,
    [Symbol.dispose]() {
      if (kind === COMMAND && left !== undefined) writeIfPossible(pidFile, left);
      else removeIfPossible(pidFile);
      held?.[Symbol.dispose]();
    },
  };
}

/** What a hub that crashed has left in the file; undefined where the last one ended well. */
function leftBehind(pidFile: string): string | undefined {
  try {
    const text = readFileSync(pidFile, "utf8");
    return text.endsWith(COMMAND) ? undefined : text;
  } catch (error) {
    // A file that cannot be read exists all the same.
    return systemCode(error) === "ENOENT" ? undefined : "";
  }
}

/** The file is for a message and an alert only, so a failure is ignored: a disk that cannot be written is reported elsewhere. */
function writeIfPossible(path: string, text: string): void {
  try {
    // A file of another user cannot be written, but the owner of the folder may replace it.
    rmSync(path, { force: true });
    writeFileSync(path, text);
  } catch {}
}

function lockOrExplain(home: Home, pidFile: string, waitMs: number): Disposable | undefined {
  try {
    return lockFile(home.lock, waitMs);
  } catch (error) {
    if (storageFaultOf(error) === undefined) throw explain(error, home, pidFile);
    return lockUnwritable(home, pidFile);
  }
}

/**
 * For a home whose disk cannot be written, or whose lock is a file of another user. Such a file is replaced if nobody holds
 * it. Where that is not possible either, a shared lock is enough to notice another hub, and two that only read do no harm.
 */
function lockUnwritable(home: Home, pidFile: string): Disposable | undefined {
  if (!existsSync(home.lock)) return undefined;
  let shared: Disposable | undefined;
  try {
    shared = lockFileShared(home.lock);
  } catch (error) {
    if (isHeldError(error) || isAlive(pidFile)) throw explain(error, home, pidFile);
  }
  try {
    rmSync(home.lock);
    const held = lockFile(home.lock);
    shared?.[Symbol.dispose]();
    return held;
  } catch {
    return shared;
  }
}

/** Whether the process named in the file still runs. */
function isAlive(pidFile: string): boolean {
  try {
    process.kill(Number.parseInt(readFileSync(pidFile, "utf8"), 10), 0);
    return true;
  } catch (error) {
    return systemCode(error) === "EPERM";
  }
}

function explain(error: unknown, home: Home, pidFile: string): HubError {
  if (isHeldError(error)) {
    return new HubError(
      "in_use",
      `another hub${holder(pidFile)} runs in ${home.root}: stop it first, or give this one another --home`,
    );
  }
  return new HubError("storage", `cannot lock ${home.root}: ${messageOf(error)}`, { cause: error });
}

function holder(pidFile: string): string {
  try {
    return ` (process ${Number.parseInt(readFileSync(pidFile, "utf8"), 10)})`;
  } catch {
    return "";
  }
}
