// A plugin whose entry in hub.toml is wrong: it is listed, with what is wrong, and cannot be started.
import { HubError, RESTART_THE_HUB } from "../core/errors.ts";
import type { PluginRecord } from "./records.ts";

/** An entry that is left out of the configuration. */
export interface UnusableEntry {
  /** As far as it can be told. */
  id: string;
  problem: string;
}

export interface Unusable {
  record(): PluginRecord;
  refusal(): HubError;
}

export function createUnusable({ id, problem }: UnusableEntry, devices: { count(pluginId: string): number }): Unusable {
  return {
    record: () => ({
      id,
      status: "stopped",
      enabled: true,
      managed: true,
      pid: null,
      confined: null,
      confined_detail: "it does not run",
      restarts: 0,
      last_heartbeat: null,
      last_exit: null,
      devices: devices.count(id),
      version: null,
      notices: [
        {
          level: "error",
          code: "config",
          message: `its entry in hub.toml is wrong: ${problem}`,
          remedy: `Run \`hub check\`, mend the entry, then ${RESTART_THE_HUB}.`,
        },
      ],
    }),
    refusal: () => new HubError("conflict", `plugin "${id}" cannot run: its entry in hub.toml is wrong: ${problem}`),
  };
}
