// Wires the MQTT broker; logins that it refuses go to the audit log.
import { type Audit, UNKNOWN_ACCOUNT } from "../auth/audit.ts";
import type { HubConfig } from "../config/sections.ts";
import type { Discovery } from "../discovery/discovery.ts";
import type { DeviceAccounts } from "../mqtt/device-accounts.ts";
import type { RefusedLogin } from "../mqtt/login-attempts.ts";
import { type Mqtt, startMqtt } from "../mqtt/start.ts";
import type { Plugins } from "../plugins/supervisor.ts";
import type { HubOptions } from "./options.ts";
import { heardIn } from "./wire-discovery.ts";
import type { House } from "./wire-house.ts";
import type { Stores } from "./wire-stores.ts";

/** Listens when it resolves. */
export function wireMqtt(
  { config, edge, log }: HubOptions,
  stores: Stores,
  { house, plugins, discovery }: { house: Pick<House, "registry">; plugins: Plugins; discovery: Discovery },
): Promise<Mqtt> {
  return startMqtt({
    ...stores,
    config: config.mqtt,
    flushSecs: config.storage.flush_secs,
    clock: edge.clock,
    random: edge.random,
    log: log.child("mqtt"),
    logins: stores.auth.logins,
    storedAccounts: stores.mqttAccounts,
    devices: house.registry,
    plugins,
    onOther(message) {
      if (message.account.kind === "anonymous" && !config.discovery.anonymous) return;
      discovery.hear(heardIn(message, { retain: false }));
    },
    refusedLogin: recordRefusedLogin(config, stores),
  });
}

/** Names of unknown accounts are not recorded: people type passwords there. */
function recordRefusedLogin(
  { mqtt, plugins }: HubConfig,
  { audit, mqttAccounts }: { audit: Pick<Audit, "refused">; mqttAccounts: Pick<DeviceAccounts, "has"> },
) {
  const known = new Set([...mqtt.users.map(({ username }) => username), ...plugins.map(({ id }) => id)]);
  return function refusedLogin({ username, address, reason }: RefusedLogin): void {
    const isKnown = username !== undefined && (known.has(username) || mqttAccounts.has(username));
    audit.refused({ action: "mqtt.login", target: isKnown ? username : UNKNOWN_ACCOUNT, address, detail: reason });
  };
}
