// A hub with a small house and MCP.
import { mkdirSync, writeFileSync } from "node:fs";
import { connectAsync, type MqttClient } from "mqtt";
import { createTemporaryFolder } from "../../support/temporary-folder.ts";
import { startTestHub, type TestHub, type TestHubOptions } from "../../support/test-hub.ts";
import { until } from "../../support/wait.ts";
import { type McpClient, openMcpClient } from "./mcp-client.ts";

/** Device → type, area and, of a cover, its class. */
const DEVICES: Record<string, { type: string; area?: string; class?: string }> = {
  hall_lamp: { type: "light", area: "hall" },
  hall_sensor: { type: "sensor", area: "hall" },
  bed_lamp: { type: "light", area: "bedroom" },
  front_door: { type: "lock", area: "hall" },
  garage_door: { type: "cover", area: "hall", class: "garage" },
  blind: { type: "cover", area: "bedroom", class: "blind" },
};

export interface McpKey {
  areas?: string[];
  devices?: string[];
  read_only?: boolean;
}

export interface McpHouse extends AsyncDisposable {
  hub: TestHub;
  plugin: MqttClient;
  url: URL;
  /** Payloads of commands that reached the plugin, by device. */
  commands: { device: string; payload: Record<string, unknown> }[];
  admin<T = unknown>(method: string, path: string, body?: unknown): Promise<T>;
  key(rights?: McpKey): Promise<string>;
  /** Of the newest generation unless it is said otherwise. */
  client(key: string, generation?: 1 | 2): Promise<McpClient>;
  say(topic: string, payload: unknown): Promise<unknown>;
  /** Which tool calls are in the audit log, newest first. */
  audited(): Promise<{ action: string; target: string; outcome: string; actor: { kind: string; name: string } }[]>;
}

export async function startMcpHouse(options: TestHubOptions = {}): Promise<McpHouse> {
  await using stack = new AsyncDisposableStack();
  const folder = stack.use(createTemporaryFolder());
  mkdirSync(folder.at("config"), { recursive: true });
  writeFileSync(
    folder.at("config", "modes.toml"),
    '[[modes]]\nid = "away"\nname = "Nobody at home"\nkind = "manual"\n',
  );
  const hub = stack.use(await startTestHub({ folder, toml: "[mcp]\nenabled = true\n", ...options }));
  const url = new URL("/mcp", hub.api);
  async function admin<T>(method: string, path: string, body?: unknown): Promise<T> {
    const response = await hub.request(method, path, { token: hub.adminToken, ...(body !== undefined && { body }) });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
    return (text === "" ? undefined : JSON.parse(text)) as T;
  }
  const plugin = await connectAsync(`mqtt://127.0.0.1:${hub.mqttPort}`, { clientId: "zigbee", keepalive: 0 });
  stack.defer(() => plugin.endAsync());
  const commands: McpHouse["commands"] = [];
  plugin.on("message", (topic, payload) => {
    commands.push({ device: topic.split("/").at(-2) ?? "", payload: JSON.parse(String(payload)) });
  });
  await plugin.subscribeAsync("hub/devices/+/cmd");
  const say = (topic: string, payload: unknown): Promise<unknown> =>
    plugin.publishAsync(`hub/${topic}`, typeof payload === "string" ? payload : JSON.stringify(payload), { qos: 1 });
  for (const [device_id, { type, area, class: kind }] of Object.entries(DEVICES)) {
    const capabilities = kind && { properties: { position: { type: "number", class: kind } } };
    const about = { device_id, plugin_id: "zigbee", name: device_id.replace("_", " "), device_type: type, area };
    await say("plugins/zigbee/register", { ...about, ...(capabilities && { capabilities }) });
    await say(`devices/${device_id}/availability`, "online");
    await say(`devices/${device_id}/state`, type === "lock" ? { locked: true } : { on: false });
  }
  await until("all devices have said something", async () => {
    const every = await admin<{ plugin_id: string; available: boolean; attributes: object }[]>("GET", "/devices");
    const all = every.filter(({ plugin_id }) => plugin_id === "zigbee");
    return (
      all.length === Object.keys(DEVICES).length &&
      all.every(({ available, attributes }) => available && Object.keys(attributes).length > 0)
    );
  });
  const parts = stack.move();
  let keys = 0;
  return {
    hub,
    plugin,
    url,
    commands,
    admin,
    say,
    async key(rights = {}) {
      const body = { label: `assistant ${++keys}`, scopes: ["mcp"], ...rights };
      return (await admin<{ key: string }>("POST", "/auth/api-keys", body)).key;
    },
    client: (key, generation) => openMcpClient(url, key, generation),
    async audited() {
      const rows = await admin<Awaited<ReturnType<McpHouse["audited"]>>>("GET", "/system/audit?limit=500&action=mcp");
      return rows.filter(({ action }) => action.startsWith("mcp."));
    },
    [Symbol.asyncDispose]: () => parts.disposeAsync(),
  };
}
