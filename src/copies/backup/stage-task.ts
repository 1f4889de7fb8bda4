// Unpacks an archive and verifies it, on the backup's thread: before a restore, and to prove a copy.
import type { Home } from "../../server/home/paths.ts";
import type { Schemas } from "./database-copies.ts";
import type { Staged } from "./restore/stage.ts";
import { startTask } from "./worker-task.ts";

export interface StageTask {
  home: Home;
  file: string;
  schemas: Schemas;
  /** See `backupWorker`. */
  worker: string | URL;
  passphrase: string | undefined;
}

/** Into the working folder of restores, whose lock the caller holds. Throws HubError that says what is wrong with the archive. */
export async function stageOnThread({ home, file, schemas, worker, passphrase }: StageTask): Promise<Staged> {
  await using task = startTask(worker, {
    ...{ kind: "stage", root: home.root, file, schemas },
    ...(passphrase === undefined ? {} : { passphrase }),
  });
  return await task.result;
}
