// Looks after the file of the state database while the hub runs: what has gathered in its log goes into it, and an exchange is noticed
// within seconds.
import { messageOf } from "../../kit/schema/errors.ts";
import type { Exchanged, OwnFile } from "../../server/db/own-file.ts";
import type { HubOptions } from "./options.ts";

const EVERY_MS = 2000;
// Whoever copies a house copies more than one file.
const QUIET_MS = 10_000;

/**
 * Where the file was renamed over, the hub goes on with the former until somebody restarts it. Where it was written over, nothing is left to
 * go on with: it restarts by itself, once all is copied.
 */
export function tendDatabase(
  file: OwnFile,
  { platform: { clock }, log, requestRestart }: Pick<HubOptions, "platform" | "log" | "requestRestart">,
): Disposable {
  let reported = false;
  let quietSince: number | undefined;
  function look(): Exchanged | undefined {
    const found = file.exchanged();
    if (found && !reported)
      log.error("the state database was exchanged while the hub ran: it is used from the next start on", {
        former_kept_as: found.keptAs,
      });
    reported = found !== undefined;
    return found;
  }

  const timer = clock.every("state database", EVERY_MS, () => {
    const found = look();
    if (!found) return checkpoint();
    if (!found.isWrittenOver) return;
    if (!file.isQuiet()) quietSince = undefined;
    quietSince ??= clock.mono();
    if (clock.mono() - quietSince < QUIET_MS) return;
    timer[Symbol.dispose]();
    log.info("the new state database is complete: the hub restarts with it");
    requestRestart({ apply: async () => {} });
  });

  function checkpoint(): void {
    try {
      file.checkpointIfDue();
    } catch (error) {
      log.debug("the log of the state database cannot be checkpointed; it is tried again", { error: messageOf(error) });
    }
  }
  return {
    [Symbol.dispose]() {
      look();
      timer[Symbol.dispose]();
    },
  };
}
