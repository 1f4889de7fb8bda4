// MQTT accounts that are made at run time, as the hub, its API and the command line have them.
import type { Platform } from "../../kit/lifecycle/platform.ts";
import { HubError } from "../../kit/schema/errors.ts";
import { HUB_PLUGIN_ID } from "../../kit/schema/ids.ts";
import { ACCOUNT_KINDS } from "../../reach/mqtt/accounts/account-kinds.ts";
import { type AccountSettings, settingsOf } from "../../reach/mqtt/accounts/account-settings.ts";
import {
  type DeviceAccounts,
  type NewDeviceAccount,
  openDeviceAccounts,
  type WithPassword,
} from "../../reach/mqtt/accounts/device-accounts.ts";
import { isLoopbackHost } from "../../reach/mqtt/config.ts";
import type { Mqtt } from "../../reach/mqtt/start.ts";
import type { StateDb } from "../../server/db/state-db.ts";
import { reachableHost } from "../../server/system/web-address.ts";
import type { HubConfig } from "../config/sections.ts";
import type { HubOptions } from "./options.ts";
import type { Port } from "./start/port.ts";

const EVERYWHERE = "0.0.0.0";

/** For the hub, and for commands beside it. */
export function openMqttAccounts(
  { mqtt, plugins, discovery }: Pick<HubConfig, "mqtt" | "plugins" | "discovery">,
  db: StateDb,
  { clock, random }: Pick<Platform, "clock" | "random">,
): DeviceAccounts {
  const taken = new Map<string, string>([
    [HUB_PLUGIN_ID, "is the hub itself"],
    ...plugins.map(({ id }) => [id, "is a plugin that the hub runs"] as const),
    ...mqtt.users.map(({ username }) => [username, "is in [[mqtt.users]] of hub.toml"] as const),
  ]);
  return openDeviceAccounts({
    ...{ db, random, now: clock.now, taken },
    prefix: mqtt.prefix,
    discovery: discovery.prefix,
  });
}

/** What to enter on the other side. `port`: the one that is bound, where it is known. */
export function settingsFor(
  account: WithPassword,
  { config: { mqtt }, home, port = mqtt.port }: Pick<HubOptions, "config" | "home"> & { port?: number | undefined },
): AccountSettings {
  const address = reachableHost(isLoopbackHost(mqtt.host) ? EVERYWHERE : mqtt.host);
  return settingsOf(account, { host: mqtt.host, prefix: mqtt.prefix, port, address, hubToml: home.hubToml });
}

/** Throws HubError `conflict` where accounts are those of an external broker. */
export function assertOwnAccounts({ mqtt }: Pick<HubConfig, "mqtt">): void {
  if (mqtt.mode === "external") throw elsewhere(mqtt);
}

function elsewhere({ url }: HubConfig["mqtt"], what = ""): HubError {
  return new HubError(
    "conflict",
    `[mqtt] mode is "external": the accounts are those of the broker at ${url}, and are made and removed there${what}`,
  );
}

/** Each answers that it is done elsewhere; who wants to make an account learns which rights it needs there. */
function accountsElsewhere({ mqtt, discovery }: Pick<HubConfig, "mqtt" | "discovery">) {
  const refuse = (): never => {
    throw elsewhere(mqtt);
  };
  return {
    list: refuse,
    create({ name, kind, base, publish = [], subscribe = [] }: NewDeviceAccount): never {
      const topics = ACCOUNT_KINDS[kind].topics({ name, base, discovery: discovery.prefix });
      const own = kind === "plugin" ? [`${mqtt.prefix}/plugins/${name}/#`, `${mqtt.prefix}/devices/#`] : [];
      const list = (patterns: readonly string[]): string => [...new Set(patterns)].join(", ") || "nothing";
      const writes = list([...own, ...topics.publish, ...publish]);
      const reads = list([...own, ...topics.subscribe, ...subscribe]);
      throw elsewhere(mqtt, `: "${name}" needs to publish to ${writes}, and to subscribe to ${reads}`);
    },
    renew: refuse,
    remove: refuse,
  };
}

/** Whoever loses the account, or its old password, is disconnected at once. */
export function mqttAccountsOfApi(
  { config, home }: Pick<HubOptions, "config" | "home">,
  accounts: DeviceAccounts,
  mqtt: Port<Mqtt>,
) {
  if (config.mqtt.mode === "external") return accountsElsewhere(config);
  const settings = (account: WithPassword) => settingsFor(account, { config, home, port: mqtt.now?.port });
  return {
    list: accounts.list,
    create: (account: NewDeviceAccount) => settings(accounts.create(account)),
    renew(name: string) {
      const renewed = accounts.renew(name);
      mqtt.now?.accounts.recheck();
      return settings(renewed);
    },
    remove(name: string) {
      accounts.remove(name);
      mqtt.now?.accounts.recheck();
      mqtt.now?.endSessionsOf(`user/${name}`);
    },
  };
}
