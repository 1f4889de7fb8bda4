// A started MQTT part on a free port, between recording fakes for the rest of the hub and real clients.
import { connect, type IClientOptions, type MqttClient } from "mqtt";
import type { DiskBudget } from "../../../src/kit/files/write-behind.ts";
import { createLimitReports } from "../../../src/kit/lifecycle/limits.ts";
import type { Fields, Log } from "../../../src/kit/lifecycle/log.ts";
import { HubError } from "../../../src/kit/schema/errors.ts";
import type { JsonObject } from "../../../src/kit/schema/json.ts";
import { checkValue } from "../../../src/kit/schema/schema.ts";
import { systemClock } from "../../../src/kit/time/clock.ts";
import { MqttSection } from "../../../src/reach/mqtt/config.ts";
import type { DevicePort, PluginPort } from "../../../src/reach/mqtt/ports.ts";
import { type MqttOptions, startMqtt } from "../../../src/reach/mqtt/start.ts";
import { createEventFeed, type Envelope } from "../../../src/server/events/feed.ts";
import { openTestState } from "../../support/state-db.ts";
import { createTemporaryFolder } from "../../support/temporary-folder.ts";
import { until as untilNamed } from "../../support/wait.ts";

/** Polls until the condition holds; fails with its text. */
export async function until(condition: () => unknown, what = condition.toString()): Promise<void> {
  await untilNamed(what, condition, { everyMs: 2 });
}

export interface LogEntry {
  level: string;
  name: string;
  message: string;
  fields: Fields;
}

export function recordingLog(): { log: Log; entries: LogEntry[] } {
  const entries: LogEntry[] = [];
  const at = (name: string): Log => {
    const write =
      (level: string) =>
      (message: string, fields: Fields = {}) =>
        void entries.push({ level, name, message, fields });
    return {
      debug: write("debug"),
      info: write("info"),
      warn: write("warn"),
      error: write("error"),
      always: write("always"),
      child: (part) => at(name ? `${name}.${part}` : part),
    };
  };
  return { log: at(""), entries };
}

export type Call = [name: string, ...args: unknown[]];

/** Stand-ins that record their calls, with an owner for each device. */
function recordingPorts(owners: Record<string, string>) {
  const calls: Call[] = [];
  /** As after a restart, none of the devices was seen. */
  const away = new Set(Object.keys(owners));
  const attended: string[] = [];
  const seen: string[] = [];
  const owner = new Map(Object.entries(owners));
  const note =
    (name: string) =>
    (...args: unknown[]) =>
      void calls.push([name, ...args]);
  const devices: DevicePort = {
    register(registration, pluginId) {
      if (registration.device_id === "refused") throw new HubError("conflict", "not this one");
      owner.set(registration.device_id, pluginId);
      calls.push(["register", registration, pluginId]);
    },
    unregister(deviceId, pluginId) {
      owner.delete(deviceId);
      calls.push(["unregister", deviceId, pluginId]);
    },
    state(deviceId, attributes, from) {
      if (deviceId === "broken") throw new Error("a bug");
      if (!owner.has(deviceId)) owner.set(deviceId, from.pluginId);
      calls.push(["state", deviceId, attributes, from]);
    },
    availability: note("availability"),
    schema: note("schema"),
    markSeen() {},
    ownerOf: (deviceId) => owner.get(deviceId),
    attended(deviceId) {
      if (away.delete(deviceId)) attended.push(deviceId);
    },
    unattended: () => [...away].map((id) => ({ id, pluginId: owner.get(id) ?? "" })),
  };
  const plugins: PluginPort = {
    heartbeat: note("heartbeat"),
    status: note("status"),
    registered: note("registered"),
    capabilities: note("capabilities"),
    response: note("response"),
    report: note("report"),
    markSeen: (pluginId) => void seen.push(pluginId),
    markDeviceSeen: (pluginId) => void seen.push(`a device of ${pluginId}`),
  };
  const restarted = (): void => {
    for (const id of Object.keys(owners)) away.add(id);
  };
  return { calls, seen, attended, restarted, devices, plugins, owner };
}

export function mqttSection(given: Partial<MqttSection>): MqttSection {
  const checked = checkValue(MqttSection, given);
  if (!checked.ok) throw new Error(JSON.stringify(checked.problems));
  return checked.value;
}

export interface TestMqttOptions
  extends Partial<
    Pick<MqttOptions, "connectTimeoutMs" | "clock" | "logins" | "storedAccounts" | "budget" | "flushSecs">
  > {
  /** The state database; one in a temporary folder otherwise. */
  database?: string;
  config?: Partial<MqttSection>;
  owners?: Record<string, string>;
}

/** Never holds anything back. */
const NO_BUDGET: DiskBudget = { allows: () => true, enlist: () => ({ [Symbol.dispose]() {} }) };

export async function startTestMqtt({ config, owners = {}, database, ...rest }: TestMqttOptions = {}) {
  using starting = new DisposableStack();
  const { log, entries } = recordingLog();
  const ports = recordingPorts(owners);
  const events: Envelope[] = [];
  const random = (bytes: number) => crypto.getRandomValues(new Uint8Array(bytes));
  const clock = rest.clock ?? systemClock;
  const feed = createEventFeed({ clock, log, buffer: 100, mark: { load: () => 0, save() {} } });
  feed.on("*", "test", (envelope) => void events.push(envelope));
  const limits = createLimitReports({ clock, log, emit: feed.emit });
  const path = database ?? starting.use(createTemporaryFolder()).at("state.redb");
  const db = starting.use(openTestState(path, clock.now));
  const mqtt = await startMqtt({
    config: mqttSection({ port: 0, ...config }),
    logins: { begin: () => ({ succeed() {}, withdraw() {} }) },
    ...{ limits, db, budget: NO_BUDGET, flushSecs: 1 },
    ...{ log, random, feed, devices: ports.devices, plugins: ports.plugins, ...rest, clock },
  });
  const running = starting.move();
  const clients: MqttClient[] = [];

  /** A client that is connected; rejects with the broker's refusal. */
  function client(options: IClientOptions = {}): Promise<TestClient> {
    const made = connect({
      ...{ host: "127.0.0.1", port: mqtt.port, reconnectPeriod: 0, connectTimeout: 5000, ...options },
    });
    clients.push(made);
    const messages: TestMessage[] = [];
    made.on("message", (topic, payload, { qos, retain }) => {
      messages.push({ topic, text: payload.toString(), qos, retain });
    });
    return new Promise((resolve, reject) => {
      made.once("connect", () => resolve(Object.assign(made, { messages })));
      made.once("error", reject);
      made.once("close", () => reject(new Error("closed")));
      // Later errors show in `connected`.
      made.on("error", () => {});
    });
  }

  return {
    mqtt,
    feed,
    events,
    log: entries,
    limits,
    db,
    ...ports,
    client,
    /** A client with the account of a supervised plugin. */
    plugin: (id: string, options: IClientOptions = {}) =>
      client({ username: id, password: mqtt.accounts.issue(id), ...options }),
    called: (name: string): Call[] => ports.calls.filter(([one]) => one === name),
    logged: (text: string): LogEntry[] => entries.filter(({ message }) => message.includes(text)),
    async [Symbol.asyncDispose]() {
      for (const one of clients) one.end(true);
      await mqtt[Symbol.asyncDispose]();
      running.dispose();
    },
  };
}

export interface TestMessage {
  topic: string;
  text: string;
  qos: number;
  retain: boolean;
}

export type TestClient = MqttClient & { messages: TestMessage[] };

export type TestMqtt = Awaited<ReturnType<typeof startTestMqtt>>;

export function json(value: JsonObject): string {
  return JSON.stringify(value);
}
