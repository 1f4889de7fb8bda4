// The databases of a stopped hub, kept while another version tries them: if it converts them and is then given up, an older hub
// could not read them any more.
import { Database } from "bun:sqlite";
import { copyFileSync, existsSync, mkdirSync, renameSync, rmSync, statSync } from "node:fs";
import { basename, join } from "node:path";
import { syncFolder } from "../core/atomic-file.ts";
import { RESERVE_BYTES, requireSpace } from "../core/free-space.ts";
import type { Home } from "../home/paths.ts";

export interface Kept {
  /** Puts back each database that has another layout now. */
  putBack(): void;
  forget(): void;
}

/** Throws HubError `storage` where there is not enough space for a second copy of those files. */
export function requireSpaceFor(home: Home, files: readonly string[]): void {
  const bytes = files.flatMap(withLog).reduce((sum, file) => sum + statSync(file).size, 0);
  requireSpace(home.data, bytes + RESERVE_BYTES, "keeping the databases as they are");
}

/** The hub must be down. */
export function keepDatabases(home: Home, files: readonly string[]): Kept {
  const folder = home.beforeUpgrade;
  const forget = (): void => rmSync(folder, { recursive: true, force: true });
  forget();
  requireSpaceFor(home, files);
  mkdirSync(folder, { mode: 0o700 });
  for (const file of files.flatMap(withLog)) copyFileSync(file, join(folder, basename(file)));
  syncFolder(folder);
  const layouts = files.map(layoutOf);
  return {
    putBack() {
      files.forEach((file, at) => {
        if (layoutOf(file) === layouts[at]) return;
        for (const log of [`${file}-wal`, `${file}-shm`]) rmSync(log, { force: true });
        for (const copy of withLog(join(folder, basename(file)))) renameSync(copy, join(home.data, basename(copy)));
      });
      syncFolder(home.data);
    },
    forget,
  };
}

function withLog(file: string): string[] {
  return [file, `${file}-wal`].filter((path) => existsSync(path));
}

/** `user_version`; undefined where there is no such file or it cannot be read. */
function layoutOf(file: string): number | undefined {
  try {
    using db = new Database(file, { readonly: true });
    return db.query<{ user_version: number }, []>("PRAGMA user_version").get()?.user_version;
  } catch {
    return undefined;
  }
}
