// The MQTT part of a hub whose broker is another's: the same for the rest of the hub as the embedded one.
import { HubError } from "../../../kit/schema/errors.ts";
import { isValidId } from "../../../kit/schema/ids.ts";
import type { JsonObject } from "../../../kit/schema/json.ts";
import { isTopicName, matchesFilter } from "../../../kit/text/topic-filter.ts";
import { createBridge } from "../bridge.ts";
import { emitMqttMessage } from "../mqtt-events.ts";
import { createNewDeviceLimit } from "../new-device-limit.ts";
import { createPluginLogs } from "../plugin-logs.ts";
import type { DevicePort, ReceivedMessage } from "../ports.ts";
import { createRateLimitedLog } from "../rate-limited-log.ts";
import type { Mqtt, MqttOptions, OtherMessage } from "../start.ts";
import { formatTopic } from "../topics.ts";
import type { BrokerState } from "./broker-state.ts";
import type { MqttVersion } from "./connection.ts";
import { createEndpoints } from "./endpoint.ts";
import { EpochNotes, type Rank } from "./epoch.ts";
import { BROKER, Incoming } from "./incoming.ts";
import { Outgoing } from "./outgoing.ts";
import { createOwnMessages } from "./own-messages.ts";
import { PluginAccounts } from "./plugin-accounts.ts";
import type { Capabilities } from "./probe.ts";
import { Session } from "./session.ts";

export interface ExternalOptions
  extends Pick<
    MqttOptions,
    "config" | "clock" | "log" | "random" | "feed" | "devices" | "plugins" | "onOther" | "limits" | "fence"
  > {
  resolvePath: (path: string) => string;
  /** The hub's own, kept over restarts. */
  clientId: string;
  /** Where another machine may be the hub instead. */
  rank?: Rank | undefined;
  /** Called on each connection, when messages can be sent. */
  onConnected?: () => void;
}

const LINES = 5;

/** Begins to connect; the hub does not wait for it. Throws HubError `config`. */
export function startExternalMqtt(options: ExternalOptions): Mqtt {
  const { config, clock, log, random, feed, plugins, limits, fence, rank } = options;
  const { prefix } = config;
  using stack = new DisposableStack();
  const limited = stack.use(createRateLimitedLog({ clock, log, lines: LINES }));
  const logs = stack.use(createPluginLogs({ clock, log }));
  const devices: DevicePort = options.devices;
  const endpoints = createEndpoints(config, options.resolvePath);
  const [endpoint] = endpoints;
  const maxPacketBytes = config.max_packet_kib * 1024;
  const maxBytes = config.max_payload_bytes ?? maxPacketBytes;
  const own = createOwnMessages(clock);
  const accounts = new PluginAccounts({
    ...{ prefix, clock, log, maxPacketBytes },
    endpoint: () => session.endpoint,
  });
  const counts = { received: 0, sent: 0, denied: 0 };
  let version: MqttVersion = 5;
  let capabilities: Capabilities | undefined;

  const otherOf = (message: Pick<ReceivedMessage, "account" | "name" | "payload" | "kept">): OtherMessage => ({
    ...{ account: message.account, topic: message.name, payload: message.payload },
    ...(message.kept && { kept: true }),
    // The broker's rights decide.
    mayPublish: (topic) => isTopicName(topic) && !topic.startsWith("$"),
  });
  const onMessage = createBridge({
    ...{ devices, plugins, feed, log, limited, logs },
    newDeviceLimit: createNewDeviceLimit({ clock, perMinute: config.max_new_devices_per_minute, limits, devices }),
    onOther: (message) => options.onOther?.(otherOf(message)),
  });
  const incoming = new Incoming({
    ...{ prefix, maxBytes, limits, clock, keys: config, onMessage },
    isOwn: (topic, payload) => version === 4 && own.isOwn(topic, payload),
  });
  const outgoing = stack.use(
    new Outgoing({
      clock,
      fence,
      reason: () => reasonOf(session.state),
      onSending({ topic, payload }) {
        counts.sent++;
        if (version === 4) own.sent(topic, payload);
      },
      onDenied: () => void counts.denied++,
    }),
  );
  const clientId = config.client_id ?? options.clientId;
  const epochs = rank && new EpochNotes({ ...rank, prefix, clock, log, house: clientId });
  const session = new Session({
    ...{ endpoints, prefix, clock, random, log, maxPacketBytes },
    ...{ clientId, fence, epochs },
    filters: filtersOf(prefix, config.topics),
    sessionSecs: config.session_secs,
    onBegin({ dotsInTopics }) {
      // Only NATS has none.
      incoming.begin({ keepsIds: dotsInTopics });
      outgoing.expect();
    },
    onMessage(message) {
      if (message.topic === epochs?.topic) epochs.received(message.payload.toString());
      else if (!accounts.take(message.topic)) incoming.take(message);
      counts.received = incoming.received;
    },
    onConnected(connection, found) {
      ({ version } = connection);
      capabilities = found;
      epochs?.connected(connection);
      outgoing.connected(connection);
      accounts.connected();
      devices.markSeen(BROKER.name);
      options.onConnected?.();
    },
    onDisconnected() {
      epochs?.disconnected();
      outgoing.disconnected();
      accounts.disconnected();
    },
    onRefused: () => outgoing.giveUp(),
  });
  const disposables = stack.move();
  session.start();

  async function send(topic: string, payload: string, qos: 0 | 1, retain: boolean): Promise<void> {
    const problem = topicProblem(topic, capabilities);
    if (problem !== undefined) throw new HubError("invalid", problem);
    fence?.assertOpen();
    await outgoing.publish({ topic, payload, qos, retain });
  }

  async function publish(topic: string, payload: string, qos: 0 | 1, retain: boolean): Promise<void> {
    if (!isTopicName(topic)) throw new HubError("invalid", `"${topic}" is not an MQTT topic for publishing`);
    const emit = (): void => emitMqttMessage(feed, { name: topic, payload: Buffer.from(payload), qos, retain });
    // At once, so that a rule which triggers itself by what it publishes is recognised; but not what is never sent.
    const isSent = isConnected();
    if (isSent) emit();
    await send(topic, payload, qos, retain);
    if (!isSent) emit();
  }

  function checkedId(id: string): string {
    if (!isValidId(id)) throw new HubError("invalid", `"${id}" cannot be an id in an MQTT topic`);
    return id;
  }

  const isConnected = (): boolean => session.state.kind === "connected";

  return {
    ...{ prefix, counts },
    get host() {
      return session.endpoint.host;
    },
    get port() {
      return session.endpoint.port;
    },
    external: {
      ca: endpoint.ca,
      get url() {
        return session.endpoint.url;
      },
      get state() {
        return session.state;
      },
      problems: () => [
        ...("reason" in session.state ? [session.state.reason] : []),
        ...(capabilities?.dotsInTopics === false ? [NO_DOTS] : []),
        ...accounts.problems(),
      ],
    },
    accounts: {
      issue: (pluginId, grant) => accounts.issue(pluginId, grant),
      // They are the broker's.
      revoke() {},
      recheck() {},
    },
    command: (deviceId, payload) =>
      publish(
        formatTopic(prefix, { kind: "device", deviceId: checkedId(deviceId), subtopic: "cmd" }),
        JSON.stringify(payload),
        1,
        false,
      ),
    // Who is connected there is not known: the device's answer, or its plugin's silence, shows it. A command that waits is still sent, or
    // fails with its own reason.
    takesCommands: () => outgoing.takes,
    isConnected: () => outgoing.takes,
    async manage(pluginId: string, payload: JsonObject) {
      const topic = formatTopic(prefix, { kind: "plugin", pluginId: checkedId(pluginId), subtopic: "manage/cmd" });
      // No event: configurations and answers to questions contain passwords.
      await send(topic, JSON.stringify(payload), 1, false);
    },
    async event(eventType, fields) {
      const topic = formatTopic(prefix, { kind: "event", eventType: checkedId(eventType) });
      await publish(topic, JSON.stringify(fields), 1, false);
    },
    publish: (topic, payload, { qos = 0, retain = false } = {}) => publish(topic, payload, qos, retain),
    connections: () => (isConnected() ? 1 : 0),
    // Of accounts nothing is known, and nothing that is kept here is the broker's.
    retained: () => [],
    *retainedOthers(filter) {
      for (const { topic, payload } of incoming.keptOthers(filter))
        yield otherOf({ account: BROKER, name: topic, payload, kept: true });
    },
    endSessionsOf() {},
    async [Symbol.asyncDispose]() {
      await session[Symbol.asyncDispose]();
      disposables.dispose();
    },
  };
}

const NO_DOTS =
  "the MQTT broker closes the connection on topics with dots or spaces (NATS does): devices with such ids get no commands";

function topicProblem(topic: string, capabilities: Capabilities | undefined): string | undefined {
  if (capabilities?.dotsInTopics !== false || !/[. ]/.test(topic)) return undefined;
  return `"${topic}" cannot be sent: this MQTT broker closes the connection on topics with dots or spaces`;
}

/** The hub's own topics are always among them. */
function filtersOf(prefix: string, topics: readonly string[]): string[] {
  const own = `${prefix}/#`;
  return [...new Set(topics.some((filter) => matchesFilter(filter, own)) ? topics : [...topics, own])];
}

function reasonOf(state: BrokerState): string {
  return "reason" in state ? state.reason : "the hub is connecting to the MQTT broker";
}
