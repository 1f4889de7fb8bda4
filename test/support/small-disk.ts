// A file system of a few megabytes that a test can fill and empty again. Needs the right to mount.
import { mkdirSync, rmSync, statfsSync, writeFileSync } from "node:fs";
import { createTemporaryFolder } from "./temporary-folder.ts";

export interface SmallDisk extends Disposable {
  readonly path: string;
  /** Takes all space there is. */
  fill(): void;
  free(): void;
  /** As an SD card turns read-only, and back. */
  readOnly(is: boolean): void;
}

/** Throws where mounting is not permitted: without it nothing would be tested. */
export function mountSmallDisk(megabytes: number): SmallDisk {
  const folder = createTemporaryFolder();
  const path = folder.at("disk");
  mkdirSync(path);
  const mounted = Bun.spawnSync(["mount", "-t", "tmpfs", "-o", `size=${megabytes}m,mode=700`, "tmpfs", path]);
  if (!mounted.success) {
    folder[Symbol.dispose]();
    throw new Error(`a full disk needs a file system of its own, and this user may not mount one: ${mounted.stderr}`);
  }
  const filler = `${path}/filler`;
  return {
    path,
    fill() {
      for (let part = 0; statfsSync(path).bavail > 0; part++) {
        if (part > 1000) throw new Error("the disk does not fill");
        const { bavail, bsize } = statfsSync(path);
        writeFileSync(`${filler}-${part}`, Buffer.alloc(Math.min(bavail * bsize, 1024 * 1024), 1));
      }
    },
    free() {
      for (const name of new Bun.Glob("filler-*").scanSync(path)) rmSync(`${path}/${name}`);
    },
    readOnly(is) {
      const remounted = Bun.spawnSync(["mount", "-o", `remount,${is ? "ro" : "rw"}`, path]);
      if (!remounted.success) throw new Error(`remounting failed: ${remounted.stderr}`);
    },
    [Symbol.dispose]() {
      Bun.spawnSync(["umount", path]);
      folder[Symbol.dispose]();
    },
  };
}
