// A hub that gives way to its restored successor in the same process, and takes its place back where that does not start.
import type { Restart, Trial } from "../backup/restores.ts";
import type { HubConfig } from "../config/sections.ts";
import { messageOf } from "../core/errors.ts";
import type { Log } from "../core/log.ts";
import type { Hub } from "../hub.ts";

export interface Running {
  config: HubConfig;
  hub: Hub;
}

export interface Replaceable extends AsyncDisposable {
  /** The one that runs now, or ran last. */
  readonly current: Running;
  /** Whether one is down and the next not up yet. */
  readonly replacing: boolean;
  /** Rejects when none could be started any more. */
  readonly failed: Promise<never>;
}

/** Reads the configuration and starts a hub; `requestRestart` is what that hub asks for a restore with. */
export type Begin = (requestRestart: (restart: Restart) => void) => Promise<Running>;

/** `trial`: of a restore that was cut short before the hub had started with it. */
export async function startReplaceable(begin: Begin, log: Log, trial?: Trial): Promise<Replaceable> {
  const failed = Promise.withResolvers<never>();
  // Heard by whoever waits for it; until then it is nobody's.
  failed.promise.catch(() => {});
  let ending = false;
  let replacing = false;
  let turn = Promise.resolve();
  let current = await beginWith(trial);

  /** Where a restore is on trial, and its hub does not start, the one before it. */
  async function beginWith(onTrial: Trial | undefined): Promise<Running> {
    if (!onTrial) return begin(request);
    try {
      const running = await begin(request);
      onTrial.passed();
      return running;
    } catch (error) {
      log.error("the hub does not start with what was restored; it goes back", { error: messageOf(error) });
      await onTrial.revert(messageOf(error));
      return begin(request);
    }
  }

  function request(restart: Restart): void {
    turn = turn.then(() => replace(restart)).catch(failed.reject);
  }

  async function replace(restart: Restart): Promise<void> {
    if (ending) return;
    replacing = true;
    log.info("stopping to start anew");
    await current.hub[Symbol.asyncDispose]();
    const applied = await restart.apply().then(
      () => true,
      (error: unknown) => {
        log.error("the restore was not carried out; the hub goes on as it was", { error: messageOf(error) });
        return false;
      },
    );
    current = await beginWith(applied ? restart.trial : undefined);
    replacing = false;
    log.info("the hub is up again");
  }

  return {
    get current() {
      return current;
    },
    get replacing() {
      return replacing;
    },
    failed: failed.promise,
    async [Symbol.asyncDispose]() {
      ending = true;
      await turn;
      await current.hub[Symbol.asyncDispose]();
    },
  };
}
