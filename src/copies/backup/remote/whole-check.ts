// Proves now and then that a copy brings the house back: fetches it, decrypts it and unpacks it, as a restore would.
import { mkdirSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { HubError } from "../../../kit/schema/errors.ts";
import type { Home } from "../../../server/home/paths.ts";
import { lockBackups } from "../backup-lock.ts";
import type { Schemas } from "../database-copies.ts";
import { placesIn } from "../places.ts";
import { stageOnThread } from "../stage-task.ts";
import type { FetchJob } from "./jobs.ts";

export interface WholeCheckOptions {
  home: Home;
  schemas: Schemas;
  worker: string | URL;
  passphrase: string | undefined;
  fetch: (job: FetchJob) => Promise<unknown>;
}

/** Throws HubError: `in_use` and `storage` where it cannot be done now, anything else where the copy is not good. */
export async function checkCopy(
  at: Omit<FetchJob, "kind" | "file">,
  { home, schemas, worker, passphrase, fetch }: WholeCheckOptions,
): Promise<void> {
  const { remoteWork, restoreWork } = placesIn(home);
  const file = join(remoteWork, "copy");
  try {
    await rm(remoteWork, { recursive: true, force: true });
    mkdirSync(remoteWork, { recursive: true, mode: 0o700 });
    await fetch({ ...at, kind: "fetch", file });
    using _lock = lockBackups(home);
    try {
      const { manifest } = await stageOnThread({ home, file, schemas, worker, passphrase });
      if (!manifest) throw new HubError("invalid", "it has no manifest: it is no backup of a hub");
    } finally {
      await rm(restoreWork, { recursive: true, force: true });
    }
  } finally {
    await rm(remoteWork, { recursive: true, force: true });
  }
}
