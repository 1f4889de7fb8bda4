// The compiled hub, and Zigbee2MQTT's own code beside it as a client with an account of its own.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createHubPlace } from "../../support/hub-place.ts";
import type { HubProcess } from "../../support/hub-process.ts";
import { createTemporaryFolder } from "../../support/temporary-folder.ts";
import { until } from "../../support/wait.ts";
import { configurationText, databaseText, NETWORK_ADDRESS } from "./network.ts";
import type { Spoken } from "./radio.ts";

export interface DeviceSeen {
  id: string;
  name: string;
  device_type: string;
  manufacturer?: string;
  model?: string;
  parent_device_id?: string;
  available: boolean;
  attributes: Record<string, unknown>;
}

/** What the radio was asked. */
export interface Asked {
  to?: string;
  toGroup?: number;
  command?: string;
  payload?: Record<string, unknown>;
  permitJoin?: number;
  restart?: boolean;
  /** The network address of a device that answers nothing from now on. */
  silent?: number;
  started?: boolean;
}

export interface House extends AsyncDisposable {
  hub: HubProcess;
  /** Everything so far. */
  readonly asked: readonly Asked[];
  /** Everything that Zigbee2MQTT has printed. */
  readonly log: string;
  device(id: string): Promise<DeviceSeen | undefined>;
  /** The status, and what is wrong. */
  command(id: string, wanted: object): Promise<{ status: number; detail: string }>;
  /** As if a device had said it. */
  speak(ieee: keyof typeof NETWORK_ADDRESS, spoken: Omit<Spoken, "networkAddress">): void;
  /** Ends Zigbee2MQTT as its service would. */
  stopBridge(): Promise<void>;
}

const ACCOUNT = { username: "z2m", password: "a password for zigbee2mqtt" };

/** `modules`: the folder where zigbee2mqtt is installed. */
export async function startHouse(binary: string, modules: string): Promise<House> {
  await using stack = new AsyncDisposableStack();
  const place = stack.use(
    createHubPlace(
      {
        toml: `[[mqtt.users]]
username = "${ACCOUNT.username}"
password = "${ACCOUNT.password}"
publish = ["zigbee2mqtt/#"]
subscribe = ["zigbee2mqtt/#"]
`,
      },
      undefined,
      binary,
    ),
  );
  const hub = await place.start();
  const folder = stack.use(createTemporaryFolder());
  mkdirSync(folder.path, { recursive: true });
  const server = `mqtt://127.0.0.1:${hub.mqttPort}`;
  writeFileSync(
    folder.at("configuration.yaml"),
    configurationText({ server, user: ACCOUNT.username, password: ACCOUNT.password }),
  );
  writeFileSync(folder.at("database.db"), databaseText(Date.now()));
  const child = Bun.spawn([process.execPath, join(import.meta.dir, "bridge.ts"), modules], {
    env: { PATH: process.env.PATH ?? "", ZIGBEE2MQTT_DATA: folder.path, NO_COLOR: "1" },
    stdin: "pipe",
    stdout: "pipe",
    stderr: "pipe",
  });
  stack.defer(() => child.kill("SIGKILL"));
  const asked: Asked[] = [];
  let log = "";
  const read = async (stream: ReadableStream<Uint8Array>): Promise<void> => {
    const decoder = new TextDecoder();
    let rest = "";
    for await (const chunk of stream) {
      const lines = (rest + decoder.decode(chunk, { stream: true })).split("\n");
      rest = lines.pop() ?? "";
      for (const line of lines) {
        if (line.startsWith("@")) asked.push(JSON.parse(line.slice(1)) as Asked);
        else log += `${line}\n`;
      }
    }
  };
  const reading = Promise.all([read(child.stdout), read(child.stderr)]);
  await until("Zigbee2MQTT has started", () => asked.some(({ started }) => started) || child.exitCode !== null);
  if (child.exitCode !== null) throw new Error(`Zigbee2MQTT ended with ${child.exitCode}:\n${log}`);
  const parts = stack.move();
  return {
    hub,
    asked,
    get log() {
      return log;
    },
    async device(id) {
      const answer = await hub.request("GET", `/devices/${id}`);
      return answer.status === 200 ? answer.json<DeviceSeen & Record<string, unknown>>() : undefined;
    },
    async command(id, wanted) {
      const answer = await hub.request("PATCH", `/devices/${id}/state`, { body: wanted });
      return { status: answer.status, detail: String(answer.json().detail ?? "") };
    },
    speak(ieee, spoken) {
      child.stdin.write(`${JSON.stringify({ networkAddress: NETWORK_ADDRESS[ieee], ...spoken })}\n`);
      child.stdin.flush();
    },
    async stopBridge() {
      child.kill("SIGTERM");
      await child.exited;
      await reading;
    },
    [Symbol.asyncDispose]: () => parts.disposeAsync(),
  };
}
