// Backups in a folder and copies elsewhere, with a clock that the test holds.
import { mkdirSync, utimesSync, writeFileSync } from "node:fs";
import { saveArchive } from "../../../../src/copies/backup/archive/save-archive.ts";
import { lockBackups } from "../../../../src/copies/backup/backup-lock.ts";
import { BackupSection } from "../../../../src/copies/backup/config.ts";
import { timeInName } from "../../../../src/copies/backup/places.ts";
import {
  type RemoteBackups,
  type RemoteTarget,
  startRemoteBackups,
} from "../../../../src/copies/backup/remote/remote-backups.ts";
import { backupWorker } from "../../../../src/copies/backup/worker-task.ts";
import { silentLog } from "../../../../src/kit/lifecycle/log.ts";
import type { HubEvent } from "../../../../src/server/events/catalog.ts";
import type { Home } from "../../../../src/server/home/paths.ts";
import { sectionOf } from "../../../support/section.ts";
import { createTemporaryFolder } from "../../../support/temporary-folder.ts";
import { createVirtualClock, type VirtualClock } from "../../../support/virtual-clock.ts";
import { until } from "../../../support/wait.ts";
import { furnishHome, NOW, schemas } from "../archive/archive-place.ts";

const PASSPHRASE = "correct horse battery";
export const HOUSE = "hub-abcdefghij";
const FIRST_LOOK_MS = 60_000;
const STEP_MS = 5 * 60_000;

export interface Place extends AsyncDisposable {
  readonly home: Home;
  readonly clock: VirtualClock;
  readonly events: HubEvent[];
  at(...parts: string[]): string;
  /** A file that looks like an encrypted backup by its name. */
  putBackup(at: number, content?: string | Uint8Array): string;
  /** A real one. */
  makeBackup(at: number): Promise<string>;
  start(...targets: Record<string, unknown>[]): RemoteBackups;
  /** Lets time pass, in steps: a job in real time must not be given up by the virtual clock. */
  pass(remote: RemoteBackups, ms: number): Promise<void>;
  /** Lets the time of the first look come, and waits until all is quiet. */
  settle(remote: RemoteBackups): Promise<RemoteTarget>;
}

export function openPlace(): Place {
  const folder = createTemporaryFolder();
  const home = furnishHome(folder.at("home"));
  const clock = createVirtualClock(NOW);
  const stack = new AsyncDisposableStack();
  const events: HubEvent[] = [];
  const directory = home.resolve("backups");
  mkdirSync(directory);
  async function pass(remote: RemoteBackups, ms: number): Promise<void> {
    for (let left = ms; left > 0; left -= STEP_MS) {
      await clock.advance(Math.min(left, STEP_MS));
      await until("all is quiet", () => remote.list().every(({ doing }) => doing === "idle"));
    }
  }
  const pathOf = (at: number): string => home.resolve(`backups/hub-backup-${timeInName(at)}.zip.age`);
  return {
    home,
    clock,
    events,
    at: folder.at,
    putBackup(at, content = `backup of ${at}`) {
      writeFileSync(pathOf(at), content);
      utimesSync(pathOf(at), at / 1000, at / 1000);
      return pathOf(at);
    },
    async makeBackup(at) {
      using _lock = lockBackups(home);
      await saveArchive({
        ...{ home, hubVersion: "0.0.0-test", now: at, schemas },
        ...{ target: pathOf(at), passphrase: PASSPHRASE },
      });
      return pathOf(at);
    },
    start(...targets) {
      const section = sectionOf(BackupSection, { passphrase: PASSPHRASE, targets });
      return stack.use(
        startRemoteBackups({
          ...{ home, directory, schemas, clock, log: silentLog, worker: backupWorker() },
          targets: section.targets,
          passphrase: section.passphrase,
          random: (bytes) => crypto.getRandomValues(new Uint8Array(bytes)),
          house: () => HOUSE,
          emit: (event) => void events.push(event),
        }),
      );
    },
    pass,
    async settle(remote) {
      // Not a second longer: how far the virtual clock is when the thread answers would be luck.
      await pass(remote, FIRST_LOOK_MS);
      const [first] = remote.list();
      if (!first) throw new Error("there is no target");
      return first;
    },
    async [Symbol.asyncDispose]() {
      await stack.disposeAsync();
      folder[Symbol.dispose]();
    },
  };
}
