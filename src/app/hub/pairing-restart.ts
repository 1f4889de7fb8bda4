// A hub learns at its start that it is one of two machines, or that a lease decides. One with which a machine pairs before that starts
// again by itself, once, if nothing keeps it from coming back.
import type { PairingRestart } from "../../api/http/routes/standby.ts";
import { HubError, messageOf } from "../../kit/schema/errors.ts";
import { loadConfig } from "../config/load.ts";
import type { HubConfig } from "../config/sections.ts";
import type { HubOptions } from "./options.ts";

export function createPairingRestart(
  { config, home, platform, log, standing, requestRestart }: HubOptions,
  otherMqttAccounts: () => boolean,
): PairingRestart {
  function inFile(): HubConfig {
    return loadConfig(home.hubToml, { otherMqttAccounts: otherMqttAccounts() }).config;
  }

  function leaseWaits(): boolean {
    try {
      return config.standby.lease === undefined && inFile().standby.lease !== undefined;
    } catch {
      return false;
    }
  }

  return {
    leaseWaits,
    isNeeded: () => standing === undefined || leaseWaits(),
    async assertStartable() {
      try {
        const { standby } = inFile();
        if (standby.lease === undefined || standby.when_alone === "continue") return;
        const { askEngine } = await import("../../copies/standby/lease/engines.ts");
        await askEngine(standby, { ...platform, log, resolvePath: home.resolve });
      } catch (error) {
        throw new HubError(
          "conflict",
          `the hub has to start once more when it is paired, and could not with its hub.toml as it is now: ${messageOf(error)}; mend that first`,
        );
      }
    },
    restart: () => requestRestart({ apply: async () => {} }),
  };
}
