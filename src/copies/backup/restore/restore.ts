// Restores an archive, or only verifies it. Works on the files of a home whose hub is stopped.
import { rmSync } from "node:fs";
import { actAsOwner } from "../../../server/home/owner.ts";
import type { Home } from "../../../server/home/paths.ts";
import { lockBackups } from "../backup-lock.ts";
import type { Schemas } from "../database-copies.ts";
import { placesIn } from "../places.ts";
import { openArchiveFile, type Staged, stage } from "./stage.ts";
import { refuseUnmovable } from "./swap.ts";
import { inLockedHome, makeDataFolder, recoverRestore, type SwappedIn, swapInStaged } from "./swap-in.ts";

export interface RestoreOptions {
  home: Home;
  file: string;
  passphrase: string | undefined;
  schemas: Schemas;
  /** Epoch ms. */
  now: number;
}

export interface Restored extends SwappedIn {
  staged: Staged;
}

/** Verifies the archive and swaps it in. Throws HubError with nothing changed; `in_use` while a hub runs there. */
export async function restoreHome({ file, ...options }: RestoreOptions): Promise<Restored> {
  const { home, now } = options;
  using archive = openArchiveFile(file);
  using _owner = actAsOwner(home);
  return await inLockedHome(home, async () => {
    const staged = await stage({ ...options, archive });
    return { staged, ...swapInStaged(home, staged, { now }) };
  });
}

/** Only verifies the archive. A home that did not exist before does not exist afterwards either. */
export async function checkArchive({ home, file, ...options }: Omit<RestoreOptions, "now">): Promise<Staged> {
  using archive = openArchiveFile(file);
  using _owner = actAsOwner(home);
  const created = makeDataFolder(home);
  try {
    recoverRestore(home);
    using _lock = lockBackups(home);
    const staged = await stage({ home, archive, ...options });
    rmSync(placesIn(home).restoreWork, { recursive: true, force: true });
    refuseUnmovable(home, staged.units);
    return staged;
  } finally {
    if (created) rmSync(created, { recursive: true, force: true });
  }
}
