// The files of uploaded plugins. A plugin may change everything in its own folder: no link there may lead the hub to other files,
// so a new file is written beside the plugins' folders and moved in.
import { chmodSync, lstatSync, mkdirSync, readdirSync, realpathSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import {
  createFile,
  exchangeFiles,
  removeIfPossible,
  syncFolder,
  writeFileAtomic,
} from "../../kit/files/atomic-file.ts";
import { HubError } from "../../kit/schema/errors.ts";
import type { Home } from "../../server/home/paths.ts";

const MODE = 0o644;
const MAX_IN_TRASH = 5;
const NO_SETTINGS = "# The settings of this plugin.\n";

export interface UploadFiles {
  /** Throws HubError `conflict` where there is a folder of that name, whatever its case. */
  assertFree(id: string): void;
  create(id: string, file: string, source: Uint8Array): void;
  /** The present program becomes the previous one. */
  replace(id: string, file: string, source: Uint8Array): void;
  /** Exchanges the present and the previous program. */
  swap(id: string, file: string): void;
  /** Removes what was created. */
  discard(id: string): void;
  /** Moves its folder to the trash, which keeps the last few. */
  throwAway(id: string, now: number): void;
}

export function createUploadFiles({ plugins, plugin }: Pick<Home, "plugins" | "plugin">): UploadFiles {
  const trash = join(plugins, ".trash");

  /** Throws unless the folder is where it seems to be. */
  function binOf(id: string): string {
    const { bin } = plugin(id);
    if (realpathSync(bin) === join(realpathSync(plugins), id, "bin")) return bin;
    throw new HubError("conflict", `plugins/${id}/bin is a link to another folder: put a folder in its place`);
  }

  function assertFile(path: string, named: string): void {
    const found = lstatSync(path, { throwIfNoEntry: false });
    if (!found?.isFile()) throw new HubError("conflict", `${named} is not there any more, or no file`);
  }

  function place(bin: string, file: string, source: Uint8Array): void {
    const staged = join(plugins, `.upload-${file}`);
    try {
      writeFileAtomic(staged, source, MODE);
      // Whatever the umask: a plugin's program is no secret.
      chmodSync(staged, MODE);
      renameSync(staged, join(bin, file));
      syncFolder(bin);
    } finally {
      removeIfPossible(staged);
    }
  }

  return {
    assertFree(id) {
      const there = foldersIn(plugins).find((name) => name.toLowerCase() === id.toLowerCase());
      if (there === undefined) return;
      throw new HubError("conflict", `there is a folder plugins/${there} already: move it away, or choose another id`);
    },
    create(id, file, source) {
      const { root, bin, config, configToml } = plugin(id);
      try {
        for (const folder of [bin, config]) mkdirSync(folder, { recursive: true });
        createFile(configToml, NO_SETTINGS, MODE);
        place(bin, file, source);
      } catch (error) {
        removeIfPossible(root);
        throw error;
      }
    },
    replace(id, file, source) {
      const bin = binOf(id);
      const present = join(bin, file);
      assertFile(present, `plugins/${id}/bin/${file}`);
      const previous = join(bin, previousOf(file));
      rmSync(previous, { force: true, recursive: true });
      renameSync(present, previous);
      try {
        place(bin, file, source);
      } catch (error) {
        renameSync(previous, present);
        throw error;
      }
    },
    swap(id, file) {
      const bin = binOf(id);
      const [present, previous] = [join(bin, file), join(bin, previousOf(file))];
      assertFile(previous, `plugins/${id}/bin/${previousOf(file)}`);
      assertFile(present, `plugins/${id}/bin/${file}`);
      if (!exchangeFiles(present, previous)) {
        const aside = join(plugins, `.upload-${file}`);
        renameSync(present, aside);
        renameSync(previous, present);
        renameSync(aside, previous);
      }
      syncFolder(bin);
    },
    discard: (id) => removeIfPossible(plugin(id).root),
    throwAway(id, now) {
      mkdirSync(trash, { recursive: true, mode: 0o700 });
      // Begins with the time, so that the oldest come first.
      renameSync(plugin(id).root, join(trash, `${now}-${id}`));
      const old = foldersIn(trash).sort().slice(0, -MAX_IN_TRASH);
      for (const name of old) removeIfPossible(join(trash, name));
    },
  };
}

/** `lamp.js` → `lamp.previous.js` */
function previousOf(file: string): string {
  return file.replace(/\.([jt]s)$/, ".previous.$1");
}

function foldersIn(path: string): string[] {
  try {
    return readdirSync(path);
  } catch {
    return [];
  }
}
