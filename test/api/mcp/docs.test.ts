// docs/assistants.md: each of its examples does what it says, in the house that the virtual plugin brings.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { connectAsync, type MqttClient } from "mqtt";
import { lightNames } from "../../../plugins/virtual/house.ts";
import { startTestHub, type TestHub } from "../../support/test-hub.ts";
import { until } from "../../support/wait.ts";
import { openMcpClient } from "./mcp-client.ts";

const page = readFileSync(join(import.meta.dir, "../../../docs/assistants.md"), "utf8");
const blocks = [...page.matchAll(/^ *```(\w+)\n([\s\S]*?)^ *```/gm)].map(([, language = "", text = ""]) => ({
  language,
  text: text.replace(/^ {3}/gm, ""),
}));
const ofLanguage = (wanted: string): string[] =>
  blocks.flatMap(({ language, text }) => (language === wanted ? [text] : []));

let hub: TestHub;
let plugin: MqttClient;
/** That the example of the page made. */
let key: string;

beforeAll(async () => {
  hub = await startTestHub({ toml: ofLanguage("toml").join("\n") });
  plugin = await connectAsync(`mqtt://127.0.0.1:${hub.mqttPort}`, { clientId: "virtual", keepalive: 0 });
  for (const { slug, name, area } of lightNames(4)) {
    const registration = { device_id: `virtual_light_${slug}`, plugin_id: "virtual", name, area, device_type: "light" };
    await plugin.publishAsync("hub/plugins/virtual/register", JSON.stringify(registration), { qos: 1 });
  }
  await until("the house is there", async () => {
    const answer = await hub.request("GET", "/devices?plugin_id=virtual", { token: hub.adminToken });
    return ((await answer.json()) as unknown[]).length === 4;
  });
  const [curl = ""] = ofLanguage("sh").filter((text) => text.startsWith("curl"));
  const [, path = "", body = ""] = /\$API(\S+)[\s\S]*-d '([^']*)'/.exec(curl) ?? [];
  const made = await hub.request("POST", path, { token: hub.adminToken, body });
  const answer = (await made.json()) as { key: string; detail?: string };
  expect({ status: made.status, detail: answer.detail }).toEqual({ status: 201, detail: undefined });
  key = answer.key;
});
afterAll(async () => {
  await plugin?.endAsync();
  await hub?.[Symbol.asyncDispose]();
});

test("the key of the example sees and commands the lights of its two rooms, by the words of a question", async () => {
  await using client = await openMcpClient(new URL("/mcp", hub.api), key);
  const idsOf = async (given: Record<string, unknown>) =>
    (await client.ask<{ devices: { id: string }[] }>("list_devices", given)).devices.map(({ id }) => id);
  expect(await idsOf({})).toEqual(["virtual_light_kitchen", "virtual_light_living_room"]);
  expect(await idsOf({ query: "lamp", area: "living room" })).toEqual(["virtual_light_living_room"]);
  expect(await client.tools()).toContain("command_device");
});

/** Wherever a client's settings stand: an address and the header with the key. */
const settings = [
  ...ofLanguage("json").map((text) => JSON.stringify(JSON.parse(text))),
  ...ofLanguage("sh").filter((text) => text.startsWith("claude")),
];

test("the page has settings for four clients", () => expect(settings).toHaveLength(4));

test.each(settings)("%s leads to the hub", async (text) => {
  const address = new URL(/http:\/\/hub\.local:8080\S*?(?=["\s])/.exec(text)?.[0] ?? "");
  expect(text).toContain("Bearer hub_…".slice(0, 6));
  await using client = await openMcpClient(new URL(address.pathname, hub.api), key);
  expect(await client.ask("system_status")).toMatchObject({ access: { may_command: true } });
});

test("its table has all tools, and each field that it names", async () => {
  const tools = page.slice(page.indexOf("## Tools"));
  const rows = [...tools.matchAll(/^\| `(\w+)` +\| (.*?) +\|$/gm)].map(([, name = "", does = ""]) => ({ name, does }));
  const answer = await hub.request("POST", "/auth/api-keys", {
    token: hub.adminToken,
    body: { label: "whole house", scopes: ["mcp"], read_only: false },
  });
  const { key: whole } = (await answer.json()) as { key: string };
  const response = await fetch(new URL("/mcp", hub.api), {
    method: "POST",
    headers: {
      ...{ authorization: `Bearer ${whole}`, "content-type": "application/json" },
      accept: "application/json, text/event-stream",
    },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list", params: {} }),
  });
  const reported = (await response.text()).replace(/^[\s\S]*?data: /, "");
  const { result } = JSON.parse(reported) as {
    result: { tools: { name: string; inputSchema: { properties: object } }[] };
  };
  expect(rows.map(({ name }) => name).sort()).toEqual(result.tools.map(({ name }) => name).sort());
  for (const { name, does } of rows) {
    const fields = Object.keys(result.tools.find((tool) => tool.name === name)?.inputSchema.properties ?? {});
    for (const [, field = ""] of does.matchAll(/`(\w+)`/g))
      expect({ name, fields }).toMatchObject({
        ...{ name, fields: expect.arrayContaining([field]) },
      });
  }
});
