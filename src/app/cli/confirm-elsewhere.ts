// What a command writes into a home by itself, beside the hub that runs there, is at the other machine of the house a little later. Where
// [standby] acknowledge says that nothing counts as done before, the command waits for that, too.
import { isPaired } from "../../copies/standby/machine.ts";
import { messageOf } from "../../kit/schema/errors.ts";
import { isHomeLocked } from "../../server/home/lock.ts";
import type { Home } from "../../server/home/paths.ts";
import type { HubConfig } from "../config/sections.ts";
import type { Io } from "./command.ts";
import { openHubClient } from "./hub-client.ts";

import { readConfig } from "./prepare.ts";

/** Resolves with the exit code: 0, or 1 with a sentence on stderr, where it was done on this machine alone. */
export async function confirmElsewhere(home: Home, io: Io): Promise<0 | 1> {
  const config = configOrNothing(home, io);
  if (config?.standby.acknowledge !== "standby" || !isPaired(home)) return 0;
  try {
    if (!isHomeLocked(home)) throw new Error("the hub is stopped");
    const client = await openHubClient({ home, config, platform: io.platform, url: undefined });
    await client.ask("POST", "/standby/confirm");
    return 0;
  } catch (error) {
    io.platform.stderr.write(
      `hub: this was done here, but the other machine may not have it yet, and would not know of it after a take-over: ${messageOf(error)}\n`,
    );
    return 1;
  }
}

/** A hub.toml with problems is the matter of others: a password can be set all the same. */
function configOrNothing(home: Home, io: Io): HubConfig | undefined {
  try {
    return readConfig(home, io);
  } catch {
    return undefined;
  }
}
