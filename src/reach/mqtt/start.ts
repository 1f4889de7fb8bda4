// The MQTT part as the hub uses it: builds the broker with its accounts, rights, limits and bridge.
import type { Limits } from "../../kit/lifecycle/limits.ts";
import type { Log } from "../../kit/lifecycle/log.ts";
import { HubError, messageOf } from "../../kit/schema/errors.ts";
import type { RandomBytes } from "../../kit/schema/ids.ts";
import type { JsonObject } from "../../kit/schema/json.ts";
import { isTopicName } from "../../kit/text/topic-filter.ts";
import type { Clock } from "../../kit/time/clock.ts";
import type { EventFeed } from "../../server/events/feed.ts";
import { type Account, createAccounts, type PluginGrant, type StoredAccounts } from "./accounts/accounts.ts";
import { type LoginCounter, limitAttempts, type RefusedLogin, reportRefusals } from "./accounts/login-attempts.ts";
import { createRights } from "./accounts/rights.ts";
import { checkedId, createAttendance } from "./attendance.ts";
import { createBridge } from "./bridge.ts";
import { type Broker, type BrokerOptions, startBroker } from "./broker/broker.ts";
import type { RetainedMessage } from "./broker/memory/retained-messages.ts";
import { createRateLimits } from "./broker/rate-limits.ts";
import { accountNameOf } from "./broker/session-ids.ts";
import type { MqttSection } from "./config.ts";
import type { ExternalBroker } from "./external/broker-state.ts";
import { emitMqttMessage } from "./mqtt-events.ts";
import { createNewDeviceLimit } from "./new-device-limit.ts";
import { createPluginLogs } from "./plugin-logs.ts";
import type { DevicePort, PluginPort, ReceivedMessage } from "./ports.ts";
import { createRateLimitedLog } from "./rate-limited-log.ts";
import { formatTopic, parseTopic } from "./topics.ts";

export interface Mqtt extends AsyncDisposable {
  readonly host: string;
  /** The port that is bound; where the configuration has 0, the one that was free. */
  readonly port: number;
  readonly prefix: string;
  /** Where the broker is another's. */
  readonly external?: ExternalBroker;
  /** Accounts of supervised plugins. Revoking one also disconnects it. */
  readonly accounts: {
    issue(pluginId: string, grant?: PluginGrant): string;
    revoke(pluginId: string): void;
    /** Disconnects the clients of stored accounts that were removed or have a new password. */
    recheck(): void;
  };
  /** `{p}/devices/{id}/cmd`, QoS 1. */
  command(deviceId: string, payload: JsonObject): Promise<void>;
  /**
   * Whether somebody is connected who takes commands for the device. Whoever listens to everything, and is not the device's
   * owner, only watches.
   */
  takesCommands(deviceId: string, owner: string): boolean;
  isConnected(account: string): boolean;
  /** `{p}/plugins/{id}/manage/cmd`, QoS 1. */
  manage(pluginId: string, payload: JsonObject): Promise<void>;
  /** `{p}/events/{type}`, QoS 1: a custom event that the hub has emitted itself. */
  event(eventType: string, fields: JsonObject): Promise<void>;
  publish(topic: string, payload: string, options?: { qos?: 0 | 1; retain?: boolean }): Promise<void>;
  connections(): number;
  /** Of messages, since the start. */
  readonly counts: Broker["counts"];
  /** Retained messages whose topics match, with the keys of the accounts that published them. Also those from before a restart. */
  retained(filter: string): Iterable<RetainedMessage>;
  /** Those outside the hub's own topics, of accounts that are still there. */
  retainedOthers(filter: string): Iterable<OtherMessage>;
  /** Disconnects an account that is removed, and ends its kept sessions: `user/NAME`, or `plugin/NAME` for one that the hub starts. */
  endSessionsOf(account: string): void;
}

export interface MqttOptions extends Pick<BrokerOptions, "connectTimeoutMs" | "db" | "budget" | "flushSecs" | "fence"> {
  config: MqttSection;
  clock: Clock;
  log: Log;
  random: RandomBytes;
  feed: EventFeed;
  devices: DevicePort;
  /** Undefined where none are run: what they say is not heard. */
  plugins: PluginPort | undefined;
  /** Called for each message outside the hub's own topics. */
  onOther?: (message: OtherMessage) => void;
  logins: LoginCounter;
  /** Accounts that come and go while the hub runs, also by the hand of another process. */
  storedAccounts?: StoredAccounts;
  /** Called for each refused login. */
  refusedLogin?: (login: RefusedLogin) => void;
  limits: Limits;
}

export interface OtherMessage extends Pick<ReceivedMessage, "account" | "payload"> {
  topic: string;
  /** An external broker had kept it. */
  kept?: true;
  /** Whether the account may publish there as well. */
  mayPublish(topic: string): boolean;
}

// Log lines about one client or account in ten seconds.
const LINES = 5;
const RECHECK_MS = 1000;

export async function startMqtt(options: MqttOptions): Promise<Mqtt> {
  const { config, clock, log, random, feed, devices, plugins, limits, storedAccounts, fence } = options;
  const { prefix } = config;
  await using stack = new AsyncDisposableStack();
  const limited = stack.use(createRateLimitedLog({ clock, log, lines: LINES }));
  const logs = stack.use(createPluginLogs({ clock, log }));
  const attempts = limitAttempts(createAccounts(config, random, storedAccounts), options.logins);
  const accounts = reportRefusals(attempts, options.refusedLogin ?? (() => {}));
  const rights = createRights(prefix, (deviceId) => devices.ownerOf(deviceId));
  const perMinute = config.max_new_devices_per_minute;
  const newDeviceLimit = createNewDeviceLimit({ clock, perMinute, limits, devices });
  const otherOf = (account: Account, topic: string, payload: Uint8Array): OtherMessage => ({
    account,
    topic,
    payload,
    mayPublish: (other) => rights.mayPublish(account, other, parseTopic(prefix, other)),
  });
  const onOther = ({ account, name, payload }: ReceivedMessage) => options.onOther?.(otherOf(account, name, payload));
  const onMessage = createBridge({ devices, plugins, feed, log, limited, logs, newDeviceLimit, onOther });
  const attendance = createAttendance({ prefix, rights, devices });
  const rateLimits = createRateLimits({ clock, config, limits });
  const own = { accounts, rights, onMessage, onSubscribed: attendance.onSubscribed, limited, rateLimits };
  const broker = stack.use(await startBroker({ ...options, ...own }));
  log.info("the MQTT broker listens", { host: broker.host, port: broker.port, prefix });
  stack.use(clock.every("mqtt accounts", RECHECK_MS, recheckIfChanged));
  const disposables = stack.move();

  function recheck(): void {
    broker.disconnect((account) => storedAccounts?.isCurrent(account) === false);
  }

  function recheckIfChanged(): void {
    try {
      if (storedAccounts?.haveChanged()) recheck();
    } catch (error) {
      limited.warn("accounts", "the MQTT accounts cannot be read", { error: messageOf(error) });
    }
  }

  async function publish(topic: string, payload: string, qos: 0 | 1, retain: boolean): Promise<void> {
    if (!isTopicName(topic)) throw new HubError("invalid", `"${topic}" is not an MQTT topic for publishing`);
    fence?.assertOpen();
    // At once, so that a rule which triggers itself by what it publishes is recognised.
    emitMqttMessage(feed, { name: topic, payload: Buffer.from(payload), qos, retain });
    await broker.publish(topic, payload, { qos, retain });
  }

  return {
    host: broker.host,
    port: broker.port,
    prefix,
    accounts: {
      recheck,
      issue: accounts.issue,
      revoke(pluginId) {
        accounts.revoke(pluginId);
        broker.disconnect((one) => one.kind === "plugin" && one.supervised && one.name === pluginId);
      },
    },
    async command(deviceId, payload) {
      await publish(attendance.commandTopic(deviceId), JSON.stringify(payload), 1, false);
    },
    isConnected: (name) => broker.hasClient((account) => account.name === name),
    takesCommands: (deviceId, owner) =>
      broker.hasSubscriber(attendance.commandTopic(deviceId), (...by) => attendance.takes(owner, ...by)),
    async manage(pluginId, payload) {
      const topic = formatTopic(prefix, { kind: "plugin", pluginId: checkedId(pluginId), subtopic: "manage/cmd" });
      fence?.assertOpen();
      // No event: configurations and answers to questions contain passwords.
      await broker.publish(topic, JSON.stringify(payload), { qos: 1, retain: false });
    },
    async event(eventType, fields) {
      const topic = formatTopic(prefix, { kind: "event", eventType: checkedId(eventType) });
      await publish(topic, JSON.stringify(fields), 1, false);
    },
    publish: (topic, payload, { qos = 0, retain = false } = {}) => publish(topic, payload, qos, retain),
    connections: broker.connections,
    counts: broker.counts,
    retained: broker.retained,
    *retainedOthers(filter) {
      for (const { topic, payload, account: key } of broker.retained(filter)) {
        const account = key.startsWith("user/") ? accounts.named(accountNameOf(key)) : undefined;
        if (account && parseTopic(prefix, topic).kind === "other") yield otherOf(account, topic, payload);
      }
    },
    endSessionsOf: broker.endSessionsOf,
    [Symbol.asyncDispose]: () => disposables.disposeAsync(),
  };
}
