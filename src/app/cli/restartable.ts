// A hub that can be restarted in the same process, with a restored home or a changed configuration, and that goes back to what was
// before if the new hub does not start.
import type { Restart, Trial } from "../../copies/backup/restore/restores.ts";
import type { Log } from "../../kit/lifecycle/log.ts";
import { messageOf } from "../../kit/schema/errors.ts";
import type { HubConfig } from "../config/sections.ts";
import type { Hub } from "../hub.ts";

export interface Running {
  config: HubConfig;
  hub: Hub;
}

export interface Restartable extends AsyncDisposable {
  /** The hub that runs now, or ran last. */
  readonly current: Running;
  /** Whether one hub is down and the next one is not up yet. */
  readonly restarting: boolean;
  /** Resolves when it is up again; rejects as `failed`. */
  settled(): Promise<void>;
  /** Rejects when no hub could be started any more. */
  readonly failed: Promise<never>;
}

const GOES_BACK = "the hub does not start with what was changed; it goes back";

/** Reads the configuration and starts a hub, which calls `requestRestart`. */
export type Begin = (requestRestart: (restart: Restart) => void) => Promise<Running>;

/**
 * Whether what follows a restart is not for `begin`: then none is begun any more. Throws where it cannot start with a change on trial.
 */
export type Leaves = (isOnTrial: boolean) => Promise<boolean>;

/** `trial`: a restore that was interrupted before the hub had started with it. */
export async function startRestartable(begin: Begin, leaves: Leaves, log: Log, trial?: Trial): Promise<Restartable> {
  const failed = Promise.withResolvers<never>();
  // Not an unhandled rejection, even if nobody waits for it yet.
  failed.promise.catch(() => {});
  let ending = false;
  let restarting = false;
  let restarts = Promise.resolve();
  let current = await beginOrRevert(trial);

  /** Undoes a restore or a change on trial if the hub does not start with it. */
  async function beginOrRevert(onTrial: Trial | undefined): Promise<Running> {
    if (!onTrial) return begin(requestRestart);
    try {
      const running = await begin(requestRestart);
      onTrial.passed();
      return running;
    } catch (error) {
      log.error(GOES_BACK, { error: messageOf(error) });
      await onTrial.revert(messageOf(error));
      return begin(requestRestart);
    }
  }

  /** What is undone does not leave. */
  async function leavesOrReverts(onTrial: Trial | undefined): Promise<boolean> {
    if (!onTrial) return leaves(false);
    try {
      return await leaves(true);
    } catch (error) {
      log.error(GOES_BACK, { error: messageOf(error) });
      await onTrial.revert(messageOf(error));
      return false;
    }
  }

  function requestRestart(restart: Restart): void {
    restarts = restarts.then(() => replace(restart)).catch(failed.reject);
  }

  async function replace(restart: Restart): Promise<void> {
    if (ending) return;
    restarting = true;
    log.info("restarting");
    await current.hub[Symbol.asyncDispose]();
    const applied = await restart.apply().then(
      () => true,
      (error: unknown) => {
        log.error("what was to change failed; the hub starts again as it was", { error: messageOf(error) });
        return false;
      },
    );
    const onTrial = applied ? restart.trial : undefined;
    if (await leavesOrReverts(onTrial)) return;
    current = await beginOrRevert(onTrial);
    restarting = false;
    log.info("the hub is up again");
  }

  return {
    get current() {
      return current;
    },
    get restarting() {
      return restarting;
    },
    settled: () => Promise.race([restarts, failed.promise]),
    failed: failed.promise,
    async [Symbol.asyncDispose]() {
      ending = true;
      await restarts;
      await current.hub[Symbol.asyncDispose]();
    },
  };
}
