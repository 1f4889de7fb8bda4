// Brokers of others, the compiled hub as their client, and clients of the test beside it.
import { readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { connect, type IClientOptions, type MqttClient } from "mqtt";
import { freePort } from "../../support/free-port.ts";
import { createHubPlace, type HubPlace } from "../../support/hub-place.ts";
import type { HubProcess } from "../../support/hub-process.ts";
import type { TemporaryFolder } from "../../support/temporary-folder.ts";
import { until } from "../../support/wait.ts";

const root = join(import.meta.dir, "..", "..", "..");
export const [binary = join(root, "bin", "hub"), only] = process.argv.slice(2);
const page = readFileSync(join(root, "docs/external-broker.md"), "utf8");

export function assert(isSo: boolean, otherwise: string): void {
  if (!isSo) throw new Error(otherwise);
}

/** The block of the page that begins so. */
export function block(beginning: string): string {
  const found = page.split("```").find((part) => part.replace(/^\w*\n/, "").startsWith(beginning));
  if (found === undefined) throw new Error(`docs/external-broker.md has no block that begins with "${beginning}"`);
  return found.replace(/^\w*\n/, "");
}

export interface Server extends AsyncDisposable {
  readonly port: number;
  kill(): Promise<void>;
}

export async function serve(command: string[], port: number): Promise<Server> {
  const child = Bun.spawn(command, { stdout: "ignore", stderr: "ignore" });
  const kill = async (): Promise<void> => {
    child.kill("SIGKILL");
    await child.exited;
  };
  await until(`${command[0]} listens`, () =>
    Bun.connect({ hostname: "127.0.0.1", port, socket: { data() {} } }).then(
      (socket) => {
        socket.terminate();
        return true;
      },
      () => false,
    ),
  );
  return { port, kill, [Symbol.asyncDispose]: kill };
}

export function mosquitto(folder: TemporaryFolder, name: string, lines: string, port = freePort()): Promise<Server> {
  const file = folder.at(`${name}.conf`);
  writeFileSync(file, `user root\nlistener ${port} 127.0.0.1\n${lines}`);
  return serve(["mosquitto", "-c", file], port);
}

export async function client(options: IClientOptions): Promise<MqttClient & { received: string[] }> {
  const made = connect({
    host: "127.0.0.1",
    reconnectPeriod: 0,
    protocolVersion: 4,
    connectTimeout: 45_000,
    ...options,
  });
  made.on("error", () => {});
  await new Promise<void>((resolve, reject) => {
    made.once("connect", () => resolve());
    made.once("close", () => reject(new Error("the broker closed the connection")));
  });
  const received: string[] = [];
  made.on("message", (topic, payload) => void received.push(`${topic} ${payload}`));
  return Object.assign(made, { received });
}

export const retained = { qos: 1, retain: true } as const;

export function place(mqtt: string, toml = ""): HubPlace {
  return createHubPlace({ mqtt: `mode = "external"\n${mqtt}`, toml }, undefined, resolve(binary));
}

export interface Row {
  id: string;
  plugin_id: string;
  attributes: Record<string, unknown>;
  available: boolean;
}
export const device = async (hub: HubProcess, id: string) =>
  (await hub.get<Row[]>("/devices")).find((row) => row.id === id);
export const problems = async (hub: HubProcess): Promise<string> =>
  JSON.stringify((await hub.get<{ problems: { part: string }[] }>("/system/status")).problems);
export const command = (hub: HubProcess, id: string, body: object) =>
  hub.request("PATCH", `/devices/${encodeURIComponent(id)}/state?force=true`, { body });
export const CONNECTED = "connected to the MQTT broker";
