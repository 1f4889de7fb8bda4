// Whitelisted addresses need no token, but only with the hub's own host name, from its own pages, and not through an unknown
// proxy.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { hostname } from "node:os";
import { startTestHub, type TestHub } from "../../support/test-hub.ts";

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

test("a whitelisted address is admitted with the hub's own host names", async () => {
  expect(await statusWith({})).toBe(200);
  for (const host of ["localhost", "127.0.0.1:8080", "[::1]", "hub.local", hostname(), "home.example:8080"])
    expect({ host, status: await statusWith({ host }) }).toEqual({ host, status: 200 });
});

test("not with a host name that others may point at it, unless it has a token", async () => {
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

test("not through an unknown proxy", async () => {
  expect(await statusWith({ "x-forwarded-for": "127.0.0.1" })).toBe(401);
  expect(await statusWith({ "x-forwarded-for": "" })).toBe(401);
  expect(await statusWith({ forwarded: "for=127.0.0.1" })).toBe(401);
  expect(await statusWith({ forwarded: "for=127.0.0.1" }, hub.adminToken)).toBe(200);
  expect(hub.platform.stdout.text).toContain("[server] trusted_proxies");
});

test("all clients of an unknown proxy share one login limit, whatever address they claim", async () => {
  const attempt = async (from: string): Promise<number> =>
    (
      await hub.request("POST", "/auth/login", {
        headers: { "x-forwarded-for": from },
        body: { username: "admin", password: "wrong" },
      })
    ).status;
  for (let n = 0; n < 5; n++) expect(await attempt(`203.0.113.${n}`)).toBe(401);
  expect(await attempt("198.51.100.1")).toBe(429);
  // A client that connects from a whitelisted address itself is never limited.
  const direct = await hub.request("POST", "/auth/login", { body: hub.admin });
  expect(direct.status).toBe(200);
});

test("the stream has the same rules", async () => {
  const { status } = await hub.request("GET", "/events/stream", {
    headers: { host: "evil.example", connection: "upgrade", upgrade: "websocket" },
  });
  expect(status).toBe(401);
});

test("an address alone opens neither a backup nor what opens the hub; the token of an administrator does", async () => {
  for (const [method, path] of [
    ["POST", "/system/backup"],
    ["GET", "/system/config"],
    ["PUT", "/system/config"],
    ["GET", "/system/audit"],
    ["POST", "/auth/users"],
    ["PATCH", "/auth/users/admin"],
    ["DELETE", "/auth/users/admin"],
    ["POST", "/auth/api-keys"],
    ["DELETE", "/auth/api-keys/1"],
    ["POST", "/mqtt/accounts"],
    ["POST", "/mqtt/accounts/lamp/password"],
    ["DELETE", "/mqtt/accounts/lamp"],
    ["POST", "/system/backups/recovery"],
    ["POST", "/standby/pair"],
  ] as const) {
    const answer = await hub.request(method, path);
    expect({ method, path, status: answer.status }).toEqual({ method, path, status: 401 });
    expect(answer.headers.get("www-authenticate")).toBe("Bearer");
    expect(await answer.text()).toContain("the token of an administrator");
  }
  const backup = await hub.request("POST", "/system/backup", { token: hub.adminToken });
  expect([backup.status, backup.headers.get("content-type")]).toEqual([200, "application/zip"]);
  await backup.arrayBuffer();
  // The rest is open as before.
  for (const path of ["/system/status", "/devices", "/rules", "/system/config/schema"])
    expect({ path, status: (await hub.request("GET", path)).status }).toEqual({ path, status: 200 });
});
