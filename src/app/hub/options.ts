// What a hub is built from.
import type { Restart } from "../../copies/backup/restore/restores.ts";
import type { Standing } from "../../copies/standby/standing.ts";
import type { ShippedProfiles } from "../../house/discovery/sources/profiles/read-profile.ts";
import type { HubFence } from "../../kit/lifecycle/fence.ts";
import type { Log } from "../../kit/lifecycle/log.ts";
import type { Platform } from "../../kit/lifecycle/platform.ts";
import type { Home } from "../../server/home/paths.ts";
import type { StartWatch } from "../../server/system/starts.ts";
import type { OwnProcess } from "../../server/system/upgrade/apply-upgrade.ts";
import type { HubConfig } from "../config/sections.ts";

export interface HubOptions {
  config: HubConfig;
  home: Home;
  platform: Platform;
  log: Log;
  version: string;
  /** The path of page.pack, which the page for browsers is in; without it there is no page. */
  pageFile?: string;
  /** The profiles of devices that come with the hub: read faster where nobody has changed them. */
  shippedProfiles?: ShippedProfiles;
  /** Which program this is, exactly; undefined where it may change under the same name. */
  build?: string | undefined;
  /** Runs `.js` and `.ts` plugins. */
  execPath: string;
  /** The process the hub runs in, where that is the compiled hub: it can be replaced by another version. */
  ownProcess?: OwnProcess;
  /** Stops this hub, applies the restore and starts the restored hub. */
  requestRestart: (restart: Restart) => void;
  /** Undefined where this machine has nothing to do with a second one; with a hub that is paired while it runs, until it has started again. */
  readonly standing?: Standing | undefined;
  /** Made by `createHub` where there is a standing. */
  fence?: HubFence;
  /** Is informed how the start goes, and says which parts are off; without it none is. */
  start?: StartWatch;
  /** What took how many milliseconds before the hub was created. */
  tookBefore?: Readonly<Record<string, number>>;
  /** The API answers; what does not have to be there for its first answer starts from here on. */
  onListening?: () => void;
  /** What was found wrong before the hub was created, for the status. */
  troubles?: readonly { part: string; message: string }[];
  /** Why the log file cannot be written now; undefined if it can. */
  logProblem?: () => string | undefined;
  /** Writes to the log file what is not in it yet. */
  flushLog?: () => void;
  /** Gets the first administrator's credentials, which are known nowhere else, and the port at which the API answers. */
  onFirstAdministrator: (credentials: { username: string; password: string }, httpPort: number) => void;
}

/** Where the API answers. */
export interface ApiAddress {
  host: string;
  port: number;
  tls: boolean;
}
