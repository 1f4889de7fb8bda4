// Wires the MQTT broker; logins that it refuses go to the audit log.
import type { Standing } from "../../copies/standby/standing.ts";
import type { Discovery } from "../../house/discovery/discovery.ts";
import type { HubFence } from "../../kit/lifecycle/fence.ts";
import { background } from "../../kit/lifecycle/lifecycle.ts";
import type { RandomBytes } from "../../kit/schema/ids.ts";
import type { DeviceAccounts } from "../../reach/mqtt/accounts/device-accounts.ts";
import type { RefusedLogin } from "../../reach/mqtt/accounts/login-attempts.ts";
import type { Rank } from "../../reach/mqtt/external/epoch.ts";
import type { ExternalOptions } from "../../reach/mqtt/external/start.ts";
import type { Mqtt, OtherMessage } from "../../reach/mqtt/start.ts";
import type { Plugins } from "../../reach/plugins/supervisor.ts";
import { type Audit, UNKNOWN_ACCOUNT } from "../../server/auth/audit.ts";
import { createMeta, type Meta } from "../../server/db/meta.ts";
import type { HubConfig } from "../config/sections.ts";
import type { HubOptions } from "./options.ts";
import type { Port } from "./start/port.ts";
import { incomingOf } from "./wire-discovery.ts";
import type { House } from "./wire-house.ts";
import type { Notifications } from "./wire-notify.ts";
import type { Stores } from "./wire-stores.ts";

interface MqttDeps {
  registry: House["registry"];
  plugins: Port<Plugins>;
  discovery: Discovery;
  notify: Port<Notifications>;
}

/** Listens when it resolves. The broker is loaded now, when the API answers already, and not at all where it is another program. */
export async function wireMqtt(
  options: HubOptions,
  stores: Stores,
  { registry, plugins, discovery, notify }: MqttDeps,
): Promise<Mqtt> {
  const { config, platform, log, fence, standing } = options;
  const shared = {
    ...stores,
    fence,
    config: config.mqtt,
    clock: platform.clock,
    random: platform.random,
    log: log.child("mqtt"),
    devices: registry,
    plugins: plugins.now,
    onOther(message: OtherMessage): void {
      const retain = message.kept === true;
      if (!retain) notify.now?.receiveMqtt(message.topic, message.payload);
      if (message.account.kind === "anonymous" && !config.discovery.anonymous) return;
      discovery.receive(incomingOf(message, { retain }));
    },
  };
  if (config.mqtt.mode === "external")
    return startExternal(
      options,
      { ...shared, rank: standing && fence && rankOf(standing, fence, createMeta(stores.db)) },
      () => {
        plugins.now?.brokerConnected();
        background(log, "discovery", discovery.start());
      },
    );
  const { startMqtt } = await import("../../reach/mqtt/start.ts");
  return startMqtt({
    ...shared,
    flushSecs: config.storage.flush_secs,
    budget: stores.budget.essential,
    logins: stores.auth.logins,
    storedAccounts: stores.mqttAccounts,
    refusedLogin: recordRefusedLogin(config, stores),
  });
}

async function startExternal(
  { home, platform }: Pick<HubOptions, "home" | "platform">,
  shared: Omit<ExternalOptions, "resolvePath" | "clientId"> & Pick<Stores, "db">,
  onConnected: () => void,
): Promise<Mqtt> {
  const { startExternalMqtt } = await import("../../reach/mqtt/external/start.ts");
  return startExternalMqtt({
    ...shared,
    resolvePath: home.resolve,
    clientId: ownClientId(createMeta(shared.db), platform.random),
    onConnected,
  });
}

const CLIENT_ID_KEY = "mqtt_client_id";

/** The same after each restart, so that the broker finds the hub's session again. */
function ownClientId(meta: Meta, random: RandomBytes): string {
  const known = meta.get(CLIENT_ID_KEY);
  if (known !== undefined) return known;
  const made = `hub-${Buffer.from(random(6)).toString("hex")}`;
  meta.set(CLIENT_ID_KEY, made);
  return made;
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

const EPOCH_KEY = "mqtt_epoch";

function rankOf(standing: Standing, fence: HubFence, meta: Meta): Rank {
  const { machine, leaseHolder } = standing;
  async function confirm(): Promise<boolean> {
    const standby = leaseHolder?.standby;
    try {
      // Says nothing new, and so asks the engine. Where it names no other machine, none may take the lease.
      if (standby !== undefined) await leaseHolder?.nameStandby(standby);
    } catch {
      return false;
    }
    return leaseHolder?.isHeld === true && leaseHolder.trouble === undefined;
  }
  return {
    ...{ machine, fence },
    epoch: () => standing.epoch,
    confirm: leaseHolder && confirm,
    isTroubled: () => leaseHolder?.trouble !== undefined,
    kept: { get: () => meta.get(EPOCH_KEY), set: (note) => meta.set(EPOCH_KEY, note) },
  };
}
