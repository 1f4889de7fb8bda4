// The composition root of the kit: creates the components of one plugin and connects them.
import type { Static, TObject } from "@sinclair/typebox";
import { createActions } from "./actions.ts";
import { openConfig } from "./config.ts";
import type { Plugin, PluginDefinition } from "./definition.ts";
import { createDevices } from "./devices.ts";
import type { Environment } from "./environment.ts";
import { startHeartbeat } from "./heartbeat.ts";
import { messageOf, withoutUndefined } from "./json.ts";
import { createLog } from "./log.ts";
import { createManager } from "./manage.ts";
import { startSession } from "./mqtt/session.ts";
import { createTimers } from "./timers.ts";
import { assertTopicLevel, createTopics } from "./topics.ts";
import { createWork } from "./work.ts";

export interface RunningPlugin {
  /** Resolves with the reason when the broker refuses the plugin's credentials. */
  refused: Promise<string>;
  stop(): Promise<void>;
}

export interface Kit {
  environment: Environment;
  printError(line: string): void;
  heartbeatMs?: number;
}

const KEEP_ALIVE_SECS = 30;
// Together less than the 3 s in which a plugin should end.
const LAST_WORK_MS = 1200;
const LAST_MESSAGES_MS = 800;

/** Throws when the configuration or the plugin's own `start` fails; waits for a broker that cannot be reached. */
export async function startPlugin<S extends TObject>(
  definition: PluginDefinition<S>,
  kit: Kit,
): Promise<RunningPlugin> {
  const { environment, printError, heartbeatMs = 30_000 } = kit;
  const { pluginId, prefix, host, port, tls, username, password, clientId, configPath } = environment;
  const config = openConfig(configPath, definition.configSchema);
  const topics = createTopics(prefix, pluginId);
  const refused = Promise.withResolvers<string>();
  const log = createLog({
    target: pluginId,
    secret: password,
    printError,
    send(line) {
      if (session.connected) session.publish(topics.logs, line, { qos: 0 });
      return session.connected;
    },
  });
  const will = { topic: topics.status, payload: "offline" };
  const login = password === undefined ? {} : { password };
  const session = startSession(
    // Always the same client id: after a network failure the new connection replaces the old one, whose will
    // would otherwise report the running plugin as offline.
    { host, port, tls, username, ...login, clientId, keepAliveSecs: KEEP_ALIVE_SECS, will },
    {
      onConnected: announce,
      onDisconnected: (reason) => log.warn("lost the broker, trying again", { reason }),
      onRefused: refused.resolve,
      onProblem: (message) => log.warn(message),
    },
  );
  const heartbeat = startHeartbeat({
    version: definition.version,
    everyMs: heartbeatMs,
    deviceCount: () => devices.count,
    send: (body) => session.connected && session.publish(topics.heartbeat, JSON.stringify(body), { qos: 0 }),
    onStatus: sendStatus,
  });
  const devices = createDevices(pluginId, topics, session, log);
  const timers = createTimers(log);
  const actions = createActions({
    streamTopic: topics.commandEvents,
    publish: (topic, payload) => session.publish(topic, payload, { retain: true, keep: true }),
    onChanged: sendCapabilities,
  });
  const manage = createManager({
    actions,
    log,
    ping: heartbeat.uptime,
    readConfig: () => config.json,
    changeConfig: (edited) => work.change(edited),
    respond: (body) => session.publish(topics.manageResponse, JSON.stringify(body), { keep: true }),
  });
  session.subscribe(topics.manageCommand, (payload) => void manage(payload));

  function sendStatus(): void {
    if (session.connected) session.publish(topics.status, heartbeat.status, { retain: true });
  }

  function sendCapabilities(): void {
    if (!session.connected) return;
    const body = {
      spec: "1",
      plugin_id: pluginId,
      actions: actions.describe(),
      config_schema: definition.configSchema,
    };
    session.publish(topics.capabilities, JSON.stringify(body), { retain: true });
  }

  function announce(): void {
    sendStatus();
    heartbeat.beat();
    devices.announce();
    sendCapabilities();
  }

  const plugin: Plugin<Static<S>> = {
    id: pluginId,
    get config() {
      return config.value;
    },
    log,
    device: devices.declare,
    action: actions.add,
    notice: heartbeat.notice,
    clearNotice: heartbeat.clearNotice,
    emit(type, fields) {
      assertTopicLevel(type, "an event's type");
      session.publish(topics.event(type), JSON.stringify(withoutUndefined(fields)), { keep: true });
    },
    every: timers.every,
    after: timers.after,
  };

  const work = createWork({
    start() {
      heartbeat.clearNotices();
      return definition.start(plugin);
    },
    config,
    devices,
    actions,
    timers,
  });

  async function stop(): Promise<void> {
    heartbeat[Symbol.dispose]();
    await Promise.race([
      work.end().catch((error: unknown) => log.error("stop failed", { error: messageOf(error) })),
      Bun.sleep(LAST_WORK_MS),
    ]);
    devices.goOffline();
    if (session.connected) session.publish(topics.status, "offline", { retain: true });
    await session.close(LAST_MESSAGES_MS);
  }

  try {
    await work.start();
  } catch (error) {
    await stop();
    throw error;
  }
  return { refused: refused.promise, stop };
}
