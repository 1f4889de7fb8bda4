// Who gets to /mcp, what is refused there, and that nothing of it is loaded before somebody comes.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { createCallLimit } from "../../../src/api/mcp/call-limit.ts";
import { openRawSocket } from "../../support/raw-socket.ts";
import { runScenarios } from "../../support/scenarios.ts";
import { startTestHub } from "../../support/test-hub.ts";
import { createVirtualClock } from "../../support/virtual-clock.ts";
import { type McpHouse, startMcpHouse } from "./mcp-house.ts";

const MODERN = "2026-07-28";
const LIST = { jsonrpc: "2.0", id: 1, method: "tools/list", params: {} };

let house: McpHouse;
let key: string;
beforeAll(async () => {
  house = await startMcpHouse({ server: 'hosts = ["hub.example"]\ncors_origins = ["https://chat.example"]' });
  key = await house.key();
});
afterAll(() => house[Symbol.asyncDispose]());

function post(body: unknown, headers: Record<string, string> = {}, method = "POST"): Promise<Response> {
  const all: Record<string, string> = {
    authorization: `Bearer ${key}`,
    "content-type": "application/json",
    accept: "application/json, text/event-stream",
    ...headers,
  };
  if (all.authorization === "") delete all.authorization;
  return fetch(house.url, { method, headers: all, ...(method === "POST" && { body: JSON.stringify(body) }) });
}

describe("without a key made for it", () => {
  test.each([
    ["no key", ""],
    ["an unknown key", "Bearer hub_nobody-has-this-key"],
    ["no bearer", "Basic YWRtaW46YWRtaW4="],
  ])("%s is 401, and says how", async (_, authorization) => {
    const response = await post(LIST, { authorization });
    expect(response.status).toBe(401);
    expect(response.headers.get("www-authenticate")).toStartWith("Bearer");
  });

  test("a token and a key for the API are refused, an administrator's too", async () => {
    const made = await house.admin<{ key: string }>("POST", "/auth/api-keys", { label: "script", role: "admin" });
    for (const credential of [house.hub.adminToken, made.key]) {
      const response = await post(LIST, { authorization: `Bearer ${credential}` });
      expect(response.status).toBe(403);
      expect(await response.text()).toContain("made for it");
    }
  });

  test("a whitelisted address is not enough", async () => {
    await using hub = await startTestHub({ auth: 'whitelist = ["127.0.0.1"]', toml: "[mcp]\nenabled = true\n" });
    const response = await fetch(new URL("/mcp", hub.api), { method: "POST", body: "{}" });
    expect(response.status).toBe(401);
    expect(response.headers.get("www-authenticate")).toStartWith("Bearer");
  });
});

test("a key made for it opens nothing of the API", async () => {
  for (const path of ["/devices", "/system/status", "/events/stream", "/auth/me"]) {
    const response = await house.hub.request("GET", path, { token: key });
    expect({ path, status: response.status }).toEqual({ path, status: 403 });
  }
  expect((await house.hub.request("POST", "/auth/renew", { token: key })).status).toBe(403);
});

test("a withdrawn key is one no longer", async () => {
  const body = { label: "short-lived", scopes: ["mcp"] };
  const made = await house.admin<{ id: string; key: string }>("POST", "/auth/api-keys", body);
  const authorization = `Bearer ${made.key}`;
  expect((await post(LIST, { authorization })).status).toBe(200);
  await house.admin("DELETE", `/auth/api-keys/${made.id}`);
  expect((await post(LIST, { authorization })).status).toBe(401);
});

describe("pages and names of others (DNS rebinding)", () => {
  test("a page of another origin is refused, also with the key", async () => {
    for (const origin of ["https://evil.example", "null", "http://127.0.0.1:1"]) {
      expect({ origin, status: (await post(LIST, { origin })).status }).toEqual({ origin, status: 403 });
    }
    expect((await post(LIST, { "sec-fetch-site": "cross-site" })).status).toBe(403);
    expect((await post(LIST, { origin: house.url.origin })).status).toBe(200);
    expect((await post(LIST, { origin: "https://chat.example" })).status).toBe(200);
  });

  test("a name that is not the hub's is refused, before the key is looked at", async () => {
    const statusOf = async (host: string, bearer: string): Promise<number> => {
      using socket = await openRawSocket(Number(house.url.port));
      const body = JSON.stringify(LIST);
      const head = [
        "POST /mcp HTTP/1.1",
        `Host: ${host}`,
        `Authorization: Bearer ${bearer}`,
        "Content-Type: application/json",
        "Accept: application/json, text/event-stream",
        `Content-Length: ${body.length}`,
        "Connection: close",
      ];
      socket.write(`${head.join("\r\n")}\r\n\r\n${body}`);
      return await socket.status();
    };
    expect(await statusOf("rebound.evil.example", key)).toBe(403);
    expect(await statusOf("rebound.evil.example", "nobody")).toBe(403);
    expect(await statusOf("hub.example", key)).toBe(200);
    expect(await statusOf(`localhost:${house.url.port}`, key)).toBe(200);
  });
});

describe("the protocol", () => {
  test("GET and DELETE are not possible: there are no sessions", async () => {
    for (const method of ["GET", "DELETE"]) {
      const response = await post(undefined, {}, method);
      expect({ method, status: response.status, allow: response.headers.get("allow") }).toEqual({
        method,
        status: 405,
        allow: "POST",
      });
    }
  });

  test("an unknown version is 400", async () => {
    expect((await post(LIST, { "mcp-protocol-version": "1999-01-01" })).status).toBe(400);
    expect((await post(LIST, { "mcp-protocol-version": "2025-06-18" })).status).toBe(200);
  });

  test("what is no message is 400, and what is too large 413", async () => {
    expect((await post({ hello: "world" })).status).toBe(400);
    expect((await post(Array.from({ length: 11 }, () => LIST))).status).toBe(400);
    expect((await post({ ...LIST, params: { filler: "x".repeat(70_000) } })).status).toBe(413);
  });

  test("what is no JSON is reported as the protocol wants it, also where it begins as several messages", async () => {
    const headers = {
      authorization: `Bearer ${key}`,
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
    };
    for (const body of ["{", "[", `[${JSON.stringify(LIST)}`, "[".repeat(20_000)]) {
      const response = await fetch(house.url, { method: "POST", headers, body });
      expect(response.status).toBe(400);
      expect(await response.json()).toMatchObject({ jsonrpc: "2.0", id: null, error: { code: -32700 } });
    }
  });

  test("the newest revision is spoken", async () => {
    const meta = {
      "io.modelcontextprotocol/protocolVersion": MODERN,
      "io.modelcontextprotocol/clientInfo": { name: "test", version: "1" },
      "io.modelcontextprotocol/clientCapabilities": {},
    };
    const response = await post(
      { ...LIST, params: { _meta: meta } },
      { "mcp-protocol-version": MODERN, "mcp-method": "tools/list" },
    );
    expect(response.status).toBe(200);
    expect(await response.text()).toContain("list_devices");
  });
});

describe("how often", () => {
  test("a key may call so many tools a minute, another one goes on", async () => {
    await using client = await house.client(await house.key());
    for (let call = 0; call < 60; call++) await client.ask("list_scenes");
    expect(await client.fail("list_scenes")).toMatch(/more than 60 calls a minute: try again in \d+ s/);
    await using other = await house.client(await house.key());
    await other.ask("list_scenes");
  });

  test("and ask so many times a minute at all", async () => {
    const authorization = `Bearer ${await house.key()}`;
    const statuses: number[] = [];
    for (let request = 0; request <= 300; request++) {
      const response = await post(LIST, { authorization });
      statuses.push(response.status);
      if (response.status === 429) expect(Number(response.headers.get("retry-after"))).toBeGreaterThan(0);
      await response.text();
    }
    expect(statuses.slice(0, 300).every((status) => status === 200)).toBe(true);
    expect(statuses[300]).toBe(429);
  });

  test("after a minute it may again", async () => {
    const clock = createVirtualClock();
    const limit = createCallLimit(clock, 2);
    expect(limit.take("a")).toBeUndefined();
    await clock.advance(30_000);
    expect(limit.take("a")).toBeUndefined();
    expect(limit.take("a")).toBe(30);
    expect(limit.take("b")).toBeUndefined();
    await clock.advance(30_000);
    expect(limit.take("a")).toBeUndefined();
    expect(limit.take("a")).toBe(30);
  });
});

describe("keys", () => {
  const path = "/auth/api-keys";
  const mcp = { label: "assistant", scopes: ["mcp"] };
  runScenarios(
    () => house.hub,
    [
      {
        name: "read the whole house unless it is said otherwise",
        method: "POST",
        path,
        body: mcp,
        status: 201,
        contains: ['"role":"viewer"', '"scopes":["mcp"],"areas":null,"devices":[],"read_only":true'],
      },
      {
        name: "for an area and a device",
        method: "POST",
        path,
        body: { ...mcp, areas: ["hall"], devices: ["front_door"], read_only: false },
        status: 201,
        contains: ['"areas":["hall"],"devices":["front_door"],"read_only":false'],
      },
      { name: "are for administrators", method: "POST", path, as: "user", body: mcp, status: 403 },
      {
        name: "for an area that does not exist",
        method: "POST",
        path,
        body: { ...mcp, areas: ["hal"] },
        status: 400,
        contains: ["areas[0]", 'there is no area \\"hal\\"', "hall"],
      },
      {
        name: "for a device that does not exist",
        method: "POST",
        path,
        body: { ...mcp, devices: ["back_door"] },
        status: 400,
        contains: ["devices[0]", "back_door"],
      },
      { name: "for a scope that does not exist", method: "POST", path, body: { ...mcp, scopes: ["all"] }, status: 400 },
      {
        name: "of the API have no areas",
        method: "POST",
        path,
        body: { label: "x", role: "user", areas: ["hall"] },
        status: 400,
        contains: ["areas", "scopes"],
      },
      { name: "of the API need a role", method: "POST", path, body: { label: "x" }, status: 400, contains: ["role"] },
      {
        name: "that command are no viewer's",
        method: "POST",
        path,
        body: { ...mcp, role: "viewer", read_only: false },
        status: 400,
        contains: ["viewer"],
      },
      { name: "are listed with what they may", path, status: 200, contains: ['"scopes":["mcp"]'], lacks: ['"key"'] },
    ],
  );
});

test("where it is off, it says what to do", async () => {
  await using hub = await startTestHub();
  const response = await fetch(new URL("/mcp", hub.api), { method: "POST", body: "{}" });
  expect(response.status).toBe(404);
  expect(await response.text()).toContain("[mcp]");
});
