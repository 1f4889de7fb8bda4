// The compiled hub with MCP: the official client finds its tools, and the hub ends while somebody is connected.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { openMcpClient } from "../mcp/mcp-client.ts";
import { createHubPlace } from "../support/hub-place.ts";
import type { HubProcess } from "../support/hub-process.ts";

const place = createHubPlace({ toml: "[mcp]\nenabled = true" });
let hub: HubProcess;
beforeAll(async () => {
  hub = await place.start();
});
afterAll(() => place[Symbol.asyncDispose]());

test.each([1, 2] as const)("clients of generation %d call its tools", async (generation) => {
  const body = { label: "assistant", scopes: ["mcp"] };
  const { key } = (await hub.request("POST", "/auth/api-keys", { body })).json<{ key: string }>();
  await using client = await openMcpClient(new URL("/mcp", hub.api), key, generation);
  expect(await client.tools()).toContain("list_devices");
  expect(await client.ask("system_status")).toMatchObject({ ready: true, access: { may_command: false } });
  expect(await client.ask("list_rules")).toMatchObject({ more: false });
});

test("the hub ends at once, with an assistant there", async () => {
  hub.kill("SIGTERM");
  expect(await hub.exited).toBe(0);
});
