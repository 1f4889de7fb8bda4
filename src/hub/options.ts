// What a hub is built from, and the parts that are up later than those who will need them.
import type { Restart } from "../backup/restores.ts";
import type { HubConfig } from "../config/sections.ts";
import type { Edge } from "../core/edge.ts";
import { HubError } from "../core/errors.ts";
import type { Log } from "../core/log.ts";
import type { Home } from "../home/paths.ts";
import type { Mqtt } from "../mqtt/start.ts";
import type { StartWatch } from "../system/starts.ts";

export interface HubOptions {
  config: HubConfig;
  home: Home;
  edge: Edge;
  log: Log;
  version: string;
  /** Runs `.js` and `.ts` plugins. */
  execPath: string;
  /** Ends this hub, carries the restore out and starts the restored one. */
  requestRestart: (restart: Restart) => void;
  /** How this start goes, and what it leaves off; where nobody watches, nothing. */
  start?: StartWatch;
  /** What the start found wrong before there was a hub, for the status. */
  troubles?: readonly { part: string; message: string }[];
  /** Why the log file cannot be written now. */
  logProblem?: () => string | undefined;
  /** Gets the first administrator's credentials, which are known nowhere else, and the port at which the API answers. */
  onFirstAdministrator: (credentials: { username: string; password: string }, httpPort: number) => void;
}

export interface Late {
  mqtt: Mqtt | undefined;
  /** Everything is started. */
  ready: boolean;
  /** Why there will be none. */
  off: string | undefined;
}

/** Throws HubError `unavailable` while the hub is starting, and where MQTT is off. */
export function mqttOf({ mqtt, off = "the hub is starting: MQTT is not up yet" }: Late): Mqtt {
  if (!mqtt) throw new HubError("unavailable", off);
  return mqtt;
}
