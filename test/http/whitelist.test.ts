// Addresses that need no token: only for who calls the hub by its own name, from its own pages, and not through a proxy
// that nobody named.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { hostname } from "node:os";
import { startTestHub, type TestHub } from "../support/test-hub.ts";

let hub: TestHub;
beforeAll(async () => {
  hub = await startTestHub({
    auth: 'whitelist = ["127.0.0.1"]',
    server: 'hosts = ["Home.Example"]\ncors_origins = ["https://panel.example"]',
  });
});
afterAll(() => hub[Symbol.asyncDispose]());

const statusWith = async (headers: Record<string, string>, token?: string): Promise<number> =>
  (await hub.request("GET", "/auth/me", { headers, ...(token ? { token } : {}) })).status;

test("a listed address gets in by the hub's own names", async () => {
  expect(await statusWith({})).toBe(200);
  for (const host of ["localhost", "127.0.0.1:8080", "[::1]", "hub.local", hostname(), "home.example:8080"])
    expect({ host, status: await statusWith({ host }) }).toEqual({ host, status: 200 });
});

test("not by a name that a stranger may point at it, unless with a token", async () => {
  for (const host of ["evil.example", "127.0.0.1.evil.example", "localhost.evil.example:8080"]) {
    expect({ host, status: await statusWith({ host }) }).toEqual({ host, status: 401 });
    expect({ host, status: await statusWith({ host }, hub.adminToken) }).toEqual({ host, status: 200 });
  }
  const answer = await hub.request("GET", "/auth/me", { headers: { host: "evil.example" } });
  expect(await answer.text()).toContain("[server] hosts");
});

test("not from another site's page, unless it is listed", async () => {
  expect(await statusWith({ "sec-fetch-site": "cross-site" })).toBe(401);
  expect(await statusWith({ "sec-fetch-site": "same-site" })).toBe(401);
  expect(await statusWith({ "sec-fetch-site": "same-origin" })).toBe(200);
  expect(await statusWith({ "sec-fetch-site": "none" })).toBe(200);
  expect(await statusWith({ origin: "null" })).toBe(401);
  expect(await statusWith({ origin: "https://evil.example" })).toBe(401);
  expect(await statusWith({ origin: "https://panel.example", "sec-fetch-site": "cross-site" })).toBe(200);
});

test("not through a proxy that nobody named", async () => {
  expect(await statusWith({ "x-forwarded-for": "127.0.0.1" })).toBe(401);
  expect(await statusWith({ "x-forwarded-for": "" })).toBe(401);
  expect(await statusWith({ forwarded: "for=127.0.0.1" })).toBe(401);
  expect(await statusWith({ forwarded: "for=127.0.0.1" }, hub.adminToken)).toBe(200);
  expect(hub.edge.stdout.text).toContain("[server] trusted_proxies");
});

test("all who come that way share one login limit, from whichever address they say they are", async () => {
  const attempt = async (from: string): Promise<number> =>
    (
      await hub.request("POST", "/auth/login", {
        headers: { "x-forwarded-for": from },
        body: { username: "admin", password: "wrong" },
      })
    ).status;
  for (let n = 0; n < 5; n++) expect(await attempt(`203.0.113.${n}`)).toBe(401);
  expect(await attempt("198.51.100.1")).toBe(429);
  // Who comes straight from a listed address is never kept waiting.
  const direct = await hub.request("POST", "/auth/login", { body: hub.admin });
  expect(direct.status).toBe(200);
});

test("the stream is behind the same door", async () => {
  const { status } = await hub.request("GET", "/events/stream", {
    headers: { host: "evil.example", connection: "upgrade", upgrade: "websocket" },
  });
  expect(status).toBe(401);
});
