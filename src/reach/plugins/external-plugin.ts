// Plugins that the hub does not run: they run elsewhere and connect with an account from `[[mqtt.users]]`. Their ids are kept in the
// state database, so that after a restart, or a move to another machine, the hub knows which plugins to wait for.
import type { Log } from "../../kit/lifecycle/log.ts";
import { messageOf } from "../../kit/schema/errors.ts";
import { isValidId } from "../../kit/schema/ids.ts";
import { parseJson } from "../../kit/schema/json.ts";
import type { Clock } from "../../kit/time/clock.ts";
import type { Meta } from "../../server/db/meta.ts";
import type { HubEvent } from "../../server/events/catalog.ts";
import { createPresence, type PluginDevices, type Presence } from "./presence.ts";
import type { PluginRecord, PluginStatus } from "./records.ts";

const TIMEOUT_SECS = 90;
/** The key in the state database; its value is a JSON list of ids. */
const KNOWN_PLUGINS = "known_plugins";

export interface ExternalPluginOptions {
  id: string;
  /** `starting`: it connected during an earlier run of the hub. */
  initially: PluginStatus;
  clock: Clock;
  log: Log;
  emit: (event: HubEvent) => void;
  devices: PluginDevices;
  /** Whether no plugin can be seen now. */
  cutOff?: () => boolean;
}

export interface ExternalPlugin extends Disposable {
  readonly presence: Presence;
  record(): PluginRecord;
}

export function createExternalPlugin(options: ExternalPluginOptions): ExternalPlugin {
  const { id, devices, ...rest } = options;
  const presence = createPresence({
    ...rest,
    id,
    timeoutSecs: TIMEOUT_SECS,
    markSeen: () => devices.markSeen(id),
    lost: () => devices.unavailable(id),
    // The hub cannot end a process that it did not start.
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
      held_by: null,
      memory_bytes: null,
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

export interface KnownPlugins {
  load(): readonly string[];
  save(ids: readonly string[]): void;
}

export function createKnownPlugins(meta: Meta, log: Pick<Log, "warn">): KnownPlugins {
  return {
    load: () => idsIn(meta.get(KNOWN_PLUGINS)),
    save(ids) {
      try {
        meta.set(KNOWN_PLUGINS, JSON.stringify(ids));
      } catch (error) {
        log.warn("the list of known plugins cannot be stored", { error: messageOf(error) });
      }
    },
  };
}

/** An empty list if it cannot be parsed. */
function idsIn(text = "[]"): string[] {
  const parsed = parseJson(text);
  const list: unknown = parsed.ok ? parsed.value : undefined;
  return Array.isArray(list) ? list.filter((id) => typeof id === "string" && isValidId(id)) : [];
}
