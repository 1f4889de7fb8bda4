// Reports at once when something in a folder may have changed, as far as the kernel reports: by inotify, on file systems on which
// nobody else writes. What it cannot report is left to those who watch: see folder-watch.ts.
import { type FSWatcher, statfsSync, statSync, watch } from "node:fs";
import { basename } from "node:path";

/** Called with the name of a file that may have changed; undefined: anything may have, the folder itself included. */
export type OnNotice = (name: string | undefined) => void;

export interface FolderNotices {
  /** Throws if there is no such folder, or if it cannot be watched. */
  follow(folder: string, onNotice: OnNotice): Following;
}

export interface Following extends Disposable {
  /** False once the folder is gone, or another one: then it has to be followed anew. */
  isCurrent(): boolean;
}

/** One for each folder: Bun gives two watches of one path the same inotify watch, also after the folder was made anew. */
interface Followed {
  /** Of the folder; undefined once that has gone: the next one may get its inode. */
  identity: string | undefined;
  readonly watcher: FSWatcher;
  readonly listeners: Set<OnNotice>;
}

// By their numbers in statfs(2). Others, such as NFS, SMB, FUSE and 9p, are written by other machines as well, of which the
// kernel does not report.
const LOCAL_FILE_SYSTEMS: ReadonlySet<number> = new Set([
  0xef53, // ext2, ext3, ext4
  0x9123683e, // btrfs
  0x58465342, // XFS
  0xf2f52010, // F2FS
  0xca451a4e, // bcachefs
  0x2fc12fc1, // ZFS
  0x01021994, // tmpfs
  0x794c7630, // overlayfs
  0x4d44, // FAT
  0x2011bab0, // exFAT
]);

export function createKernelNotices(): FolderNotices {
  const followed = new Map<string, Followed>();

  function open(folder: string, listeners: Followed["listeners"]): Followed {
    const own = basename(folder);
    const notify = (name: string | undefined): void => {
      for (const listener of [...listeners]) listener(name);
    };
    const watcher = watch(folder, { persistent: false }, (event, name) => {
      // A change of the folder itself comes with its own name, and by none when too much happened at once.
      if (name !== null && name !== own) return notify(name);
      if (name === own && event === "rename") one.identity = undefined;
      notify(undefined);
    });
    watcher.on("error", () => notify(undefined));
    const one: Followed = { identity: identityOf(folder), listeners, watcher };
    return one;
  }

  function isCurrent(folder: string): boolean {
    const identity = followed.get(folder)?.identity;
    return identity !== undefined && identity === identityOf(folder);
  }

  /** Opens the folder that is there now, for those who followed the one before as well. */
  function renew(folder: string): Followed {
    const before = followed.get(folder);
    before?.watcher.close();
    followed.delete(folder);
    const one = open(folder, before?.listeners ?? new Set());
    followed.set(folder, one);
    for (const listener of [...one.listeners]) listener(undefined);
    return one;
  }

  function stop(folder: string, listener: OnNotice): void {
    const one = followed.get(folder);
    one?.listeners.delete(listener);
    if (!one || one.listeners.size > 0) return;
    one.watcher.close();
    followed.delete(folder);
  }

  return {
    follow(folder, onNotice) {
      if (!reportsAll(folder)) throw new Error("the file system does not report all changes");
      const known = isCurrent(folder) ? followed.get(folder) : undefined;
      const listener: OnNotice = (name) => onNotice(name);
      (known ?? renew(folder)).listeners.add(listener);
      return {
        isCurrent: () => isCurrent(folder),
        [Symbol.dispose]: () => stop(folder, listener),
      };
    },
  };
}

function identityOf(folder: string): string | undefined {
  try {
    const { dev, ino } = statSync(folder);
    return `${dev} ${ino}`;
  } catch {
    return undefined;
  }
}

function reportsAll(folder: string): boolean {
  return process.platform === "linux" && LOCAL_FILE_SYSTEMS.has(statfsSync(folder).type >>> 0);
}
