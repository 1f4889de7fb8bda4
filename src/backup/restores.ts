// A restore over REST: the archive comes in, is looked at beside the running hub, and takes its place while the hub is
// down for a moment. It ends in a definite state, told in `data/last-restore.json`.
import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import type { Clock } from "../core/clock.ts";
import { HubError, messageOf } from "../core/errors.ts";
import type { Log } from "../core/log.ts";
import { borrowHome } from "../home/lock.ts";
import type { Home } from "../home/paths.ts";
import { trimKept } from "./kept.ts";
import { startTask } from "./link.ts";
import { refuseWhatCannotMove } from "./movable.ts";
import { placesIn } from "./places.ts";
import {
  type LastRestore,
  placeStaged,
  readLastRestore,
  rememberFailure,
  remembering,
  rememberStarted,
  undoRestore,
} from "./restore.ts";
import { type Staged, stagedHome } from "./stage.ts";
import type { Schemas } from "./staged-databases.ts";
import { resumeSwap } from "./swap.ts";
import { takeTurn } from "./turn.ts";
import { takeIn } from "./upload.ts";

/** What whoever runs the hub does between stopping it and starting it again. */
export interface Restart {
  /** Exchanges the files; the hub is down and its lock free. Throws HubError with nothing changed: start the old again. */
  apply(): Promise<void>;
  /** Absent where nothing is tried out. */
  trial?: Trial;
}

/** A restore that a hub has yet to start with. */
export interface Trial {
  /** It has. */
  passed(): void;
  /** Takes it back, where the hub does not start with what was restored. */
  revert(reason: string): Promise<void>;
}

export interface Sent {
  body: ReadableStream<Uint8Array> | null;
  /** As the client says. */
  bytes: number | undefined;
  passphrase: string | undefined;
}

export interface Accepted extends Staged {
  /** To be called when the answer is out. */
  restart(): void;
}

export interface Restores {
  /** Takes the archive in and verifies it. Throws HubError with nothing changed. */
  receive(sent: Sent): Promise<Accepted>;
  last(): LastRestore | null;
  /** Once, when the hub has started: of the states that restores have replaced the last few stay. Never rejects. */
  trim(): Promise<void>;
}

export interface RestoresOptions {
  home: Home;
  schemas: Schemas;
  clock: Clock;
  log: Log;
  /** See worker-source.ts. */
  worker: string | URL;
  /** Tried where the client gives none. */
  passphrase: string | undefined;
  /** What is wrong with the text of a hub.toml; empty where the hub would start with it. */
  configProblems: (text: string) => string[];
  /** Stops the hub, applies, and starts it again; returns at once. */
  requestRestart: (restart: Restart) => void;
}

export function createRestores(options: RestoresOptions): Restores {
  const { home, schemas, clock, log, worker } = options;
  return {
    async receive({ body, bytes, passphrase = options.passphrase }) {
      if (!body) throw new HubError("invalid", "the body must be the archive: send the zip itself");
      const turn = takeTurn(home);
      const { restoreWork } = placesIn(home);
      // Files of any size: not on the thread that everybody waits for.
      const remove = (path: string): Promise<void> => rm(path, { recursive: true, force: true });
      try {
        mkdirSync(restoreWork, { recursive: true, mode: 0o700 });
        const file = join(restoreWork, "upload");
        await takeIn(body, { file, bytes, clock });
        await using task = startTask(worker, {
          kind: "stage",
          root: home.root,
          file,
          schemas,
          ...(passphrase === undefined ? {} : { passphrase }),
        });
        const staged = await task.result;
        await remove(file);
        refuseLockOut(options);
        refuseWhatCannotMove(home, staged.units);
        log.warn("a restore was accepted; the hub restarts with it", { ...staged.counts });
        const restart = restartWith(options, staged, turn);
        return { ...staged, restart: () => options.requestRestart(restart) };
      } catch (error) {
        await remove(restoreWork);
        turn[Symbol.dispose]();
        throw error;
      }
    },
    last: () => readLastRestore(home),
    async trim() {
      try {
        const { removed, kept } = await trimKept(home);
        if (removed.length > 0) log.info("old states that restores had replaced were removed", { removed, kept });
      } catch (error) {
        log.warn("old states that restores have replaced cannot be removed", { error: messageOf(error) });
      }
    },
  };

  function restartWith({ home }: RestoresOptions, staged: Staged, turn: Disposable): Restart {
    return {
      async apply() {
        try {
          using _lock = borrowHome(home);
          resumeSwap(home, remembering(home));
          placeStaged(home, staged, { now: clock.now(), onTrial: true });
        } catch (error) {
          rememberFailure(home, error, clock.now());
          throw error;
        } finally {
          turn[Symbol.dispose]();
        }
      },
      trial: trialOf(home, clock),
    };
  }
}

/** The restore whose first start was cut short, if the last one is such. To be asked before a hub starts. */
export function openTrial(home: Home, clock: Clock): Trial | undefined {
  return readLastRestore(home)?.ok === null ? trialOf(home, clock) : undefined;
}

function trialOf(home: Home, clock: Clock): Trial {
  return {
    passed: () => rememberStarted(home),
    async revert(reason) {
      await undoRestore(home, clock.now());
      rememberFailure(home, new Error(`the hub did not start with it, so it was taken back: ${reason}`), clock.now());
    },
  };
}

/** Over the network nobody stands by: what would keep the hub from starting is refused. */
function refuseLockOut({ home, configProblems }: RestoresOptions): void {
  const { hubToml } = stagedHome(home);
  if (!existsSync(hubToml)) return;
  const problems = configProblems(readFileSync(hubToml, "utf8"));
  if (problems.length > 0)
    throw new HubError(
      "invalid",
      `the hub would not start with the archive's hub.toml: ${problems.join("; ")}; mend it there, or use \`hub restore\` on the machine`,
    );
}
