// An evening in a house: the whole hub on a virtual clock, with rule files and the MQTT client of a plugin. Records the
// notifications and firings, also over a restart.
import { mkdirSync, writeFileSync } from "node:fs";
import { connectAsync, type MqttClient } from "mqtt";
import type { StreamClient } from "../support/stream-client.ts";
import { createTemporaryFolder } from "../support/temporary-folder.ts";
import { startTestHub, type TestHub, type TestHubOptions } from "../support/test-hub.ts";
import { createVirtualClock, type VirtualClock } from "../support/virtual-clock.ts";
import { until } from "../support/wait.ts";

export interface House extends AsyncDisposable {
  readonly clock: VirtualClock;
  /** Goes to a time of the evening, UTC. */
  moveTo(time: string): Promise<void>;
  /** A plugin registers a device. */
  register(device: string, name: string): Promise<void>;
  /** A device reports its state; resolves when the hub has it. */
  report(device: string, state: object): Promise<void>;
  /** What was sent to the channel `log`, as `time message`, also before a restart. */
  sent(): string[];
  /** `time trigger_type` of every firing, also before a restart. */
  fired(): Promise<string[]>;
  /** Stops the hub and starts it again after some time. */
  restart(offMs: number): Promise<void>;
}

export async function openHouse(
  files: Record<string, string>,
  options: Pick<TestHubOptions, "toml" | "fetch"> = {},
): Promise<House> {
  const folder = createTemporaryFolder();
  const clock = createVirtualClock(Date.parse("2026-11-21T20:00:00Z"));
  mkdirSync(folder.at("rules"));
  for (const [name, text] of Object.entries(files)) writeFileSync(folder.at("rules", name), text);
  let hub: TestHub;
  let stream: StreamClient;
  let plugin: MqttClient;
  const past = { log: "", fired: [] as string[] };

  async function start(admin?: TestHub["admin"]): Promise<void> {
    hub = await startTestHub({ ...options, folder, clock, ...(admin ? { admin } : {}) });
    stream = await hub.openStream();
    // No keep-alive: the hub counts it on the virtual clock, the client on its own.
    plugin = await connectAsync({ host: "127.0.0.1", port: hub.mqttPort, reconnectPeriod: 0, keepalive: 0 });
  }

  async function level(): Promise<void> {
    const answer = await hub.request("GET", "/system/status", { token: hub.adminToken });
    const { events_seq: head } = (await answer.json()) as { events_seq: number };
    await until("the stream is level", () => stream.frames.length === 0 || (stream.frames.at(-1)?.seq ?? 0) >= head);
  }

  async function firedNow(): Promise<string[]> {
    await level();
    return stream.frames
      .filter(({ type }) => type === "rule_fired")
      .map(({ timestamp, trigger_type }) => `${timestamp.slice(11, 19)} ${trigger_type}`);
  }

  async function stop(): Promise<void> {
    past.fired.push(...(await firedNow()));
    plugin.end(true);
    stream[Symbol.dispose]();
    await hub[Symbol.asyncDispose]();
    past.log += hub.platform.stdout.text;
  }

  await start();
  return {
    clock,
    moveTo: (time) => clock.advance(Date.parse(`2026-11-21T${time}Z`) - clock.now()),
    async report(device, state) {
      await plugin.publishAsync(`hub/devices/${device}/state`, JSON.stringify(state), { qos: 1 });
      await until("the report is known", async () => {
        const answer = await hub.request("GET", `/devices/${device}`, { token: hub.adminToken });
        return Bun.deepEquals(((await answer.json()) as { attributes?: object }).attributes, state);
      });
      await clock.advance(0);
    },
    async register(device, name) {
      await plugin.publishAsync(
        "hub/plugins/a-test/register",
        JSON.stringify({ device_id: device, plugin_id: "a-test", name }),
        { qos: 1 },
      );
      await until("the device is known", async () => {
        const answer = await hub.request("GET", `/devices/${device}`, { token: hub.adminToken });
        return ((await answer.json()) as { name?: string }).name === name;
      });
    },
    sent: () =>
      (past.log + hub.platform.stdout.text).split("\n").flatMap((line) => {
        const [, time, message] = /^\S+ (\S+)\.\d+ .*?(sent: [^"]*)/.exec(line) ?? [];
        return message ? [`${time} ${message}`] : [];
      }),
    fired: async () => [...past.fired, ...(await firedNow())],
    async restart(offMs) {
      const { admin } = hub;
      await stop();
      await clock.advance(offMs);
      await start(admin);
    },
    async [Symbol.asyncDispose]() {
      await stop();
      folder[Symbol.dispose]();
    },
  };
}
