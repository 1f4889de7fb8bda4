// Restores over REST: the archive is uploaded and verified beside the running hub, and swapped in while the hub is down for a
// moment. How it ended is in `data/last-restore.json`.
import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { receiveFile } from "../../../kit/files/receive-file.ts";
import type { Log } from "../../../kit/lifecycle/log.ts";
import { HubError, messageOf } from "../../../kit/schema/errors.ts";
import type { Clock } from "../../../kit/time/clock.ts";
import { borrowHome } from "../../../server/home/lock.ts";
import type { Home } from "../../../server/home/paths.ts";
import { lockBackups } from "../backup-lock.ts";
import type { Schemas } from "../database-copies.ts";
import { placesIn, stagedHome } from "../places.ts";
import { stageOnThread } from "../stage-task.ts";
import { type LastRestore, readLastRestore, recordFailure, recordStarted } from "./last-restore.ts";
import { removeOldStates } from "./old-states.ts";
import type { Staged } from "./stage.ts";
import { refuseUnmovable } from "./swap.ts";
import { finishRestore, swapInStaged, undoRestore } from "./swap-in.ts";

/** What must be done between stopping the hub and starting it again. */
export interface Restart {
  /** Swaps the files while the hub is down and its lock is free. Throws HubError with nothing changed: start the old hub again. */
  apply(): Promise<void>;
  /** Absent where nothing is tried out. */
  trial?: Trial;
}

/** A restore with which a hub has not started yet. */
export interface Trial {
  /** The hub has started with it. */
  passed(): void;
  /** Undoes the restore, because the hub does not start with it. */
  revert(reason: string): Promise<void>;
}

export interface Upload {
  body: ReadableStream<Uint8Array> | null;
  /** As the client declares. */
  bytes: number | undefined;
  passphrase: string | undefined;
}

export interface Accepted extends Staged {
  /** To be called when the response is sent. */
  restart(): void;
}

export interface Restores {
  /** Receives and verifies the archive. Throws HubError with nothing changed. */
  receive(upload: Upload): Promise<Accepted>;
  /** The same, and then forgets it: what would be restored. */
  inspect(upload: Upload): Promise<Staged>;
  last(): LastRestore | null;
  /** Removes all but the last few old states. To be called once, when the hub has started. Never rejects. */
  trim(): Promise<void>;
}

export interface RestoresOptions {
  home: Home;
  schemas: Schemas;
  clock: Clock;
  log: Log;
  /** See `backupWorker`. */
  worker: string | URL;
  /** Tried where the client sends none. */
  passphrase: string | undefined;
  /** What is wrong with the text of a hub.toml; empty where the hub would start with it. */
  configProblems: (text: string) => string[];
  /** Stops the hub, applies, and starts it again; returns at once. */
  requestRestart: (restart: Restart) => void;
}

export function createRestores(options: RestoresOptions): Restores {
  const { home, schemas, clock, log, worker } = options;
  // Asynchronous, because files may be large and everybody waits for this thread.
  const remove = (path: string): Promise<void> => rm(path, { recursive: true, force: true });

  return {
    async receive(upload) {
      const { staged, lock } = await verify(upload);
      log.warn("a restore was accepted; the hub restarts with it", { ...staged.counts });
      return { ...staged, restart: () => options.requestRestart(restartWith(staged, lock)) };
    },
    async inspect(upload) {
      const { staged, lock } = await verify(upload);
      await remove(placesIn(home).restoreWork).finally(() => lock[Symbol.dispose]());
      return staged;
    },
    last: () => readLastRestore(home),
    async trim() {
      try {
        const { removed, kept } = await removeOldStates(home);
        if (removed.length > 0) log.info("old states that restores had replaced were removed", { removed, kept });
      } catch (error) {
        log.warn("old states that restores have replaced cannot be removed", { error: messageOf(error) });
      }
    },
  };

  /** Leaves the archive unpacked in the working folder, under the lock. */
  async function verify({ body, bytes, passphrase = options.passphrase }: Upload) {
    if (!body) throw new HubError("invalid", "the body must be the archive: send the zip itself");
    const lock = lockBackups(home);
    const { restoreWork } = placesIn(home);
    try {
      mkdirSync(restoreWork, { recursive: true, mode: 0o700 });
      const file = join(restoreWork, "upload");
      await receiveFile(body, { what: "the archive", file, bytes, clock });
      const staged = await stageOnThread({ home, file, schemas, worker, passphrase });
      await remove(file);
      refuseBadConfig(options);
      refuseUnmovable(home, staged.units);
      return { staged, lock };
    } catch (error) {
      await remove(restoreWork);
      lock[Symbol.dispose]();
      throw error;
    }
  }

  function restartWith(staged: Staged, lock: Disposable): Restart {
    return {
      async apply() {
        try {
          using _home = borrowHome(home, { waits: true });
          finishRestore(home);
          swapInStaged(home, staged, { now: clock.now(), onTrial: true });
        } catch (error) {
          recordFailure(home, error, clock.now());
          throw error;
        } finally {
          lock[Symbol.dispose]();
        }
      },
      trial: trialOf(home, clock),
    };
  }
}

/** The last restore, if its first start was interrupted. To be called before a hub starts. */
export function openTrial(home: Home, clock: Clock): Trial | undefined {
  return readLastRestore(home)?.ok === null ? trialOf(home, clock) : undefined;
}

/** No hub starts with it here any more: the home is to hold another machine's house. Going back would replace that. */
export function endTrial(home: Home, clock: Pick<Clock, "now">): void {
  if (readLastRestore(home)?.ok !== null) return;
  recordFailure(home, new Error("another machine was the hub before this one had started with it"), clock.now());
}

function trialOf(home: Home, clock: Clock): Trial {
  return {
    passed: () => recordStarted(home),
    async revert(reason) {
      await undoRestore(home, clock.now());
      recordFailure(home, new Error(`the hub did not start with it, so it was undone: ${reason}`), clock.now());
    },
  };
}

/** Over the network nobody is at the machine to mend it, so a configuration that would keep the hub from starting is refused. */
function refuseBadConfig({ home, configProblems }: RestoresOptions): void {
  const { hubToml } = stagedHome(home);
  if (!existsSync(hubToml)) return;
  const problems = configProblems(readFileSync(hubToml, "utf8"));
  if (problems.length > 0)
    throw new HubError(
      "invalid",
      `the hub would not start with the archive's hub.toml: ${problems.join("; ")}; mend it there, or use \`hub restore\` on the machine`,
    );
}
