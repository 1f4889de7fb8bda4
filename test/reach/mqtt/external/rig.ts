// A hub whose broker is another process, with clients of that broker.
import { dirname, join } from "node:path";
import { connectAsync, type IClientOptions, type MqttClient } from "mqtt";
import { freePort } from "../../../support/free-port.ts";
import { isAlive } from "../../../support/processes.ts";
import { startTestHub, type TestHub } from "../../../support/test-hub.ts";
import { until } from "../../../support/wait.ts";
import type { BrokerOptions } from "./broker-process.ts";

export interface BrokerProcess extends AsyncDisposable {
  readonly port: number;
  readonly pid: number;
  /** A connected client that sees everything that comes to it. */
  client(options?: IClientOptions): Promise<Client>;
  /** SIGKILL; it may be started again at the same port. */
  kill(): Promise<void>;
}

export type Client = MqttClient & { messages: { topic: string; text: string }[] };

export async function startBroker(options: Partial<BrokerOptions> = {}): Promise<BrokerProcess> {
  const child = Bun.spawn(
    [
      process.execPath,
      join(dirname(import.meta.path), "broker-process.ts"),
      JSON.stringify({ port: freePort(), ...options }),
    ],
    { stdin: "ignore", stdout: "pipe", stderr: "inherit", env: { PATH: process.env.PATH ?? "" } },
  );
  const reader = child.stdout.getReader();
  const line = new TextDecoder().decode((await reader.read()).value);
  if (line === "") throw new Error("the broker did not start");
  const { port } = JSON.parse(line) as { port: number };
  const clients: MqttClient[] = [];
  const kill = async (): Promise<void> => {
    for (const client of clients.splice(0)) client.end(true);
    child.kill("SIGKILL");
    // Not by `exited`: with many tests at once, Bun 1.4.5 now and then never resolves it.
    await until("the broker has ended", () => !isAlive(child.pid));
  };
  return {
    port,
    pid: child.pid,
    async client(given = {}) {
      const client = await connectAsync({ host: "127.0.0.1", port, reconnectPeriod: 0, ...given });
      client.on("error", () => {});
      clients.push(client);
      const messages: Client["messages"] = [];
      client.on("message", (topic, payload) => messages.push({ topic, text: payload.toString() }));
      return Object.assign(client, { messages });
    },
    kill,
    [Symbol.asyncDispose]: kill,
  };
}

export interface ExternalHub extends TestHub {
  get<T>(path: string): Promise<T>;
  /** Waits until the hub receives the broker; `meanwhile` moves a clock that stands still. */
  connected(meanwhile?: () => Promise<void>): Promise<void>;
  /** Waits for a problem of MQTT that contains the text. */
  troubled(text: string, meanwhile?: () => Promise<void>): Promise<string>;
  device(id: string): Promise<DeviceRow | undefined>;
}

export interface DeviceRow {
  id: string;
  plugin_id: string;
  available: boolean;
  last_seen: string | null;
  attributes: Record<string, unknown>;
}

interface Status {
  problems: { part: string; message: string }[];
}

/** `toml`: keys of [mqtt], then further sections. */
export async function startExternalHub(
  url: string,
  { toml = "", ...options }: Parameters<typeof startTestHub>[0] = {},
): Promise<ExternalHub> {
  const hub = await startTestHub({ ...options, toml: `mode = "external"\nurl = "${url}"\n${toml}` });
  const get = async <T>(path: string): Promise<T> => {
    const answer = await hub.request("GET", path, { token: hub.adminToken });
    return (await answer.json()) as T;
  };
  const problems = async (): Promise<string[]> =>
    (await get<Status>("/system/status")).problems.filter(({ part }) => part === "mqtt").map(({ message }) => message);
  let connections = 0;
  return Object.assign(hub, {
    get,
    async connected(meanwhile?: () => Promise<void>) {
      const said = (): number => hub.platform.stdout.text.split("connected to the MQTT broker").length - 1;
      await until("the hub is connected", async () => {
        await meanwhile?.();
        return said() > connections;
      });
      connections = said();
    },
    troubled: (text: string, meanwhile?: () => Promise<void>) =>
      until(`a problem says "${text}"`, async () => {
        await meanwhile?.();
        return (await problems()).find((message) => message.includes(text));
      }),
    device: async (id: string) => (await get<DeviceRow[]>("/devices")).find((device) => device.id === id),
  });
}

export const retained = { qos: 1, retain: true } as const;
