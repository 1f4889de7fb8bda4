// The compiled hub with MCP: the official client finds its tools, and the hub ends while somebody is connected.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { openMcpClient } from "../api/mcp/mcp-client.ts";
import { createHubPlace } from "../support/hub-place.ts";
import type { HubProcess } from "../support/hub-process.ts";

const place = createHubPlace({ toml: "[mcp]\nenabled = true" });
let hub: HubProcess;
beforeAll(async () => {
  hub = await place.start();
});
afterAll(() => place[Symbol.asyncDispose]());

async function openClient(generation: 1 | 2): ReturnType<typeof openMcpClient> {
  const body = { label: "assistant", scopes: ["mcp"] };
  const { key } = (await hub.request("POST", "/auth/api-keys", { body })).json<{ key: string }>();
  return openMcpClient(new URL("/mcp", hub.api), key, generation);
}

test.each([1, 2] as const)("clients of generation %d call its tools", async (generation) => {
  await using client = await openClient(generation);
  expect(await client.tools()).toContain("list_devices");
  expect(await client.ask("system_status")).toMatchObject({ ready: true, access: { may_command: false } });
  expect(await client.ask("list_rules")).toEqual({ rules: [] });
});

test("the hub ends at once, with an assistant there", async () => {
  await using client = await openClient(2);
  expect(await client.tools()).toContain("list_devices");
  hub.kill("SIGTERM");
  expect(await hub.exited).toBe(0);
  hub = await place.start();
});
