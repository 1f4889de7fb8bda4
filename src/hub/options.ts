// What a hub is built from, and the parts that are up later than those who will need them.
import type { Restart } from "../backup/restores.ts";
import type { HubConfig } from "../config/sections.ts";
import type { Edge } from "../core/edge.ts";
import { HubError } from "../core/errors.ts";
import type { Log } from "../core/log.ts";
import type { Home } from "../home/paths.ts";
import type { Mqtt } from "../mqtt/start.ts";

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
  /** Told the first administrator's credentials, which are known nowhere else. */
  onFirstAdministrator: (credentials: { username: string; password: string }) => void;
}

export interface Late {
  mqtt: Mqtt | undefined;
  /** Everything is started. */
  ready: boolean;
}

/** Throws HubError `unavailable` while the hub is starting. */
export function mqttOf({ mqtt }: Late): Mqtt {
  if (!mqtt) throw new HubError("unavailable", "the hub is starting: MQTT is not up yet");
  return mqtt;
}
