// The MQTT part as the hub uses it: broker, accounts, rights and bridge tied together.
import type { Clock } from "../core/clock.ts";
import { HubError } from "../core/errors.ts";
import { isValidId, type RandomBytes } from "../core/ids.ts";
import type { JsonObject } from "../core/json.ts";
import type { Limits } from "../core/limits.ts";
import type { Log } from "../core/log.ts";
import { isTopicName } from "../core/topic-filter.ts";
import type { EventFeed } from "../events/feed.ts";
import { createAccounts, type PluginGrant } from "./accounts.ts";
import { createBridge } from "./bridge.ts";
import { type BrokerOptions, startBroker } from "./broker.ts";
import type { MqttSection } from "./config.ts";
import { createNewDevices } from "./new-devices.ts";
import { createPaces } from "./paces.ts";
import { createPluginLogs } from "./plugin-logs.ts";
import type { DevicePort, PluginPort } from "./ports.ts";
import { createRateLimitedLog } from "./rate-limited-log.ts";
import { type RefusedLogin, tellingRefusals } from "./refused-logins.ts";
import { createRights } from "./rights.ts";
import { type LoginCounter, slowGuessing } from "./slow-guessing.ts";
import { formatTopic } from "./topics.ts";

export interface Mqtt extends AsyncDisposable {
  readonly host: string;
  /** The port that is bound, also where the configuration says 0. */
  readonly port: number;
  readonly prefix: string;
  /** Accounts of supervised plugins. Revoking disconnects as well. */
  readonly accounts: { issue(pluginId: string, grant?: PluginGrant): string; revoke(pluginId: string): void };
  /** `{p}/devices/{id}/cmd`, QoS 1. */
  command(deviceId: string, payload: JsonObject): Promise<void>;
  /** `{p}/plugins/{id}/manage/cmd`, QoS 1. */
  manage(pluginId: string, payload: JsonObject): Promise<void>;
  publish(topic: string, payload: string, options?: { qos?: 0 | 1; retain?: boolean }): Promise<void>;
  connections(): number;
}

export interface MqttOptions extends Pick<BrokerOptions, "connectTimeoutMs"> {
  config: MqttSection;
  clock: Clock;
  log: Log;
  random: RandomBytes;
  feed: EventFeed;
  devices: DevicePort;
  plugins: PluginPort;
  logins: LoginCounter;
  /** Told whom nobody let in. */
  refusedLogin?: (login: RefusedLogin) => void;
  limits: Limits;
}

// Lines about one client or account in ten seconds.
const LINES = 5;

export async function startMqtt(options: MqttOptions): Promise<Mqtt> {
  const { config, clock, log, random, feed, devices, plugins, limits } = options;
  const { prefix } = config;
  await using stack = new AsyncDisposableStack();
  const limited = stack.use(createRateLimitedLog({ clock, log, lines: LINES }));
  const logs = stack.use(createPluginLogs({ clock, log }));
  const slow = slowGuessing(createAccounts(config, random), options.logins);
  const accounts = tellingRefusals(slow, options.refusedLogin ?? (() => {}));
  const rights = createRights(prefix, (deviceId) => devices.ownerOf(deviceId));
  const newDevices = createNewDevices({ clock, perMinute: config.max_new_devices_per_minute, limits, devices });
  const hear = createBridge({ devices, plugins, feed, log, limited, logs, newDevices });
  const paces = createPaces({ clock, config, limits });
  const broker = stack.use(await startBroker({ ...options, accounts, rights, hear, limited, paces }));
  log.info("the MQTT broker listens", { host: broker.host, port: broker.port, prefix });
  const parts = stack.move();

  async function publish(topic: string, payload: string, qos: 0 | 1, retain: boolean): Promise<void> {
    if (!isTopicName(topic)) throw new HubError("invalid", `"${topic}" is no MQTT topic one can publish to`);
    await broker.publish(topic, payload, { qos, retain });
  }

  function checkedId(id: string): string {
    if (!isValidId(id)) throw new HubError("invalid", `"${id}" cannot be an id in an MQTT topic`);
    return id;
  }

  return {
    host: broker.host,
    port: broker.port,
    prefix,
    accounts: {
      issue: accounts.issue,
      revoke(pluginId) {
        accounts.revoke(pluginId);
        broker.disconnect((one) => one.kind === "plugin" && one.supervised && one.name === pluginId);
      },
    },
    async command(deviceId, payload) {
      const topic = formatTopic(prefix, { kind: "device", deviceId: checkedId(deviceId), row: "cmd" });
      await publish(topic, JSON.stringify(payload), 1, false);
    },
    async manage(pluginId, payload) {
      const topic = formatTopic(prefix, { kind: "plugin", pluginId: checkedId(pluginId), row: "manage/cmd" });
      await publish(topic, JSON.stringify(payload), 1, false);
    },
    publish: (topic, payload, { qos = 0, retain = false } = {}) => publish(topic, payload, qos, retain),
    connections: broker.connections,
    [Symbol.asyncDispose]: () => parts.disposeAsync(),
  };
}
