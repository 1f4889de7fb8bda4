// A hub that gives way to its restored successor in the same process, and takes its place back where that does not start.
import type { Restart } from "../backup/restores.ts";
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
  /** Rejects when none could be started any more. */
  readonly failed: Promise<never>;
}

/** Reads the configuration and starts a hub; `requestRestart` is what that hub asks for a restore with. */
export type Begin = (requestRestart: (restart: Restart) => void) => Promise<Running>;

export async function startReplaceable(begin: Begin, log: Log): Promise<Replaceable> {
  const failed = Promise.withResolvers<never>();
  // Heard by whoever waits for it; until then it is nobody's.
  failed.promise.catch(() => {});
  let ending = false;
  let turn = Promise.resolve();
  let current = await begin(request);

  function request(restart: Restart): void {
    turn = turn.then(() => replace(restart)).catch(failed.reject);
  }

  async function replace({ apply, revert }: Restart): Promise<void> {
    if (ending) return;
    log.info("stopping for a restore");
    await current.hub[Symbol.asyncDispose]();
    const applied = await apply().then(
      () => true,
      (error: unknown) => {
        log.error("the restore was not carried out; the hub goes on as it was", { error: messageOf(error) });
        return false;
      },
    );
    let restored = applied;
    try {
      current = await begin(request);
    } catch (error) {
      if (!applied) throw error;
      restored = false;
      log.error("the hub does not start with what was restored; it goes back", { error: messageOf(error) });
      await revert(messageOf(error));
      current = await begin(request);
    }
    log.info("the hub is up again", { restored });
  }

  return {
    get current() {
      return current;
    },
    failed: failed.promise,
    async [Symbol.asyncDispose]() {
      ending = true;
      await turn;
      await current.hub[Symbol.asyncDispose]();
    },
  };
}
