// A plugin that runs elsewhere and only connects, with an account from `[[mqtt.users]]`.
import type { Clock } from "../core/clock.ts";
import type { Log } from "../core/log.ts";
import type { HubEvent } from "../events/catalog.ts";
import { createPresence, type Presence } from "./presence.ts";
import type { PluginRecord, PluginStatus } from "./records.ts";

const TIMEOUT_SECS = 90;

export interface ForeignOptions {
  id: string;
  /** `starting`: an earlier run of the hub knew it. */
  initially: PluginStatus;
  clock: Clock;
  log: Log;
  emit: (event: HubEvent) => void;
  devices: { count(pluginId: string): number; unavailable(pluginId: string): void };
}

export interface Foreign extends Disposable {
  readonly presence: Presence;
  record(): PluginRecord;
}

export function createForeign({ id, initially, clock, log, emit, devices }: ForeignOptions): Foreign {
  const presence = createPresence({
    id,
    initially,
    timeoutSecs: TIMEOUT_SECS,
    clock,
    log,
    emit,
    lost: () => devices.unavailable(id),
    // Its process is not the hub's to end.
    hung: () => {},
  });
  return {
    presence,
    record: () => ({
      id,
      status: presence.status,
      enabled: true,
      managed: false,
      pid: null,
      confined: null,
      confined_detail: "the hub does not run it",
      restarts: 0,
      last_heartbeat: presence.lastHeartbeat,
      last_exit: null,
      devices: devices.count(id),
      version: presence.version,
      notices: [...presence.notices],
    }),
    [Symbol.dispose]: () => presence.release(),
  };
}
