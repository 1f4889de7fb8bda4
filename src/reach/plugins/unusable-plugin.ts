// A plugin whose entry in hub.toml is wrong: it is listed with the problem, and cannot be started.
import { HubError, RESTART_THE_HUB } from "../../kit/schema/errors.ts";
import type { PluginRecord } from "./records.ts";

/** A wrong entry, which is left out of the configuration. */
export interface UnusableEntry {
  /** As far as it can be read. */
  id: string;
  problem: string;
}

export interface UnusablePlugin {
  record(): PluginRecord;
  /** What to throw when somebody wants to start or stop it. */
  refusal(): HubError;
}

export function createUnusablePlugin(
  { id, problem }: UnusableEntry,
  devices: { count(pluginId: string): number },
): UnusablePlugin {
  return {
    record: () => ({
      id,
      status: "stopped",
      enabled: true,
      managed: true,
      pid: null,
      confined: null,
      held_by: null,
      memory_bytes: null,
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
