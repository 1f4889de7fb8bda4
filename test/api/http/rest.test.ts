import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { runScenarios } from "../../support/scenarios.ts";
import { startTestHub, type TestHub } from "../../support/test-hub.ts";

let hub: TestHub;
beforeAll(async () => {
  hub = await startTestHub({
    server: 'cors_origins = ["https://home.example"]\ntrusted_proxies = ["127.0.0.1"]\nmax_body_bytes = 65536',
    auth: 'whitelist = ["198.51.100.0/24"]',
  });
});
afterAll(() => hub[Symbol.asyncDispose]());

const listed = { "x-forwarded-for": "198.51.100.7" };

describe("requests", () => {
  runScenarios(
    () => hub,
    [
      {
        name: "health needs no token",
        path: "/health",
        as: "nobody",
        status: 200,
        contains: ['"status":"ok"', '"uptime_secs"'],
      },
      { name: "health answers HEAD", method: "HEAD", path: "/health", as: "nobody", status: 200 },
      { name: "an unknown address", path: "/nothing", status: 404 },
      { name: "an unknown address, without a token", path: "/nothing", as: "nobody", status: 404 },
      {
        name: "a wrong method: the answer lists the right ones",
        method: "PUT",
        path: "/devices",
        status: 405,
        answers: { allow: "GET" },
      },
      { name: "a collection with its slash", path: "/devices/", status: 200, contains: ["[]"] },
      { name: "broken JSON", method: "POST", path: "/auth/login", as: "nobody", body: '{"username":', status: 400 },
      { name: "no body", method: "POST", path: "/auth/login", as: "nobody", status: 400 },
      {
        name: "an unknown key is named, with a suggestion, and no value is repeated",
        method: "POST",
        path: "/auth/login",
        as: "nobody",
        body: { username: "admin", pasword: "a-secret-of-mine" },
        status: 400,
        contains: ["pasword", "did you mean", "password"],
        lacks: ["a-secret-of-mine"],
      },
      { name: "a body of another type", method: "POST", path: "/auth/login", as: "nobody", body: [1, 2], status: 400 },
      {
        name: "a body too large",
        method: "POST",
        path: "/auth/login",
        as: "nobody",
        body: { username: "x".repeat(70_000), password: "x" },
        status: 413,
      },
      {
        name: "deep nesting",
        method: "POST",
        path: "/auth/login",
        as: "nobody",
        body: "[".repeat(50_000),
        status: 400,
      },
      {
        name: "a key that reaches into prototypes",
        method: "PATCH",
        path: "/devices/x/state",
        body: '{"a":{"__proto__":{"b":1}}}',
        status: 400,
      },
      { name: "an unknown query key", path: "/events?limt=3", status: 400, contains: ["limt", "limit"] },
      { name: "a limit that is not a number", path: "/events?limit=many", status: 400, contains: ["limit"] },
      {
        name: "a limit above the maximum is the maximum",
        path: "/events?limit=5000",
        status: 200,
        contains: ["system_started"],
      },
      {
        name: "events that are not kept",
        path: "/events?type=rule_fired,mqtt_message",
        status: 400,
        contains: ["mqtt_message is not kept", "/api/v1/events/stream?type=mqtt_message"],
      },
      { name: "no event at all", path: "/events?limit=0", status: 400, contains: ["limit: "] },
      { name: "events of an unknown type", path: "/events?type=nothing", status: 200, contains: ["[]"] },
      { name: "an unknown device", path: "/devices/nobody", status: 404, contains: ["nobody"] },
      { name: "a device id with invalid escapes", path: "/devices/%E0%A4%A", status: 400, contains: ["UTF-8"] },
      {
        name: "commanding an unknown device",
        method: "PATCH",
        path: "/devices/nobody/state",
        body: { on: true },
        status: 404,
      },
      { name: "an unknown plugin", method: "POST", path: "/plugins/nobody/start", status: 404 },
      { name: "the stream without an upgrade", path: "/events/stream", status: 426, answers: { upgrade: "websocket" } },
      {
        name: "MQTT traffic is for administrators",
        path: "/events/stream?type=mqtt_message",
        as: "user",
        headers: { upgrade: "websocket" },
        status: 403,
      },
      {
        name: "a test notification goes to the log",
        method: "POST",
        path: "/notify/test",
        body: { channel: "log", message: "x" },
        status: 200,
        contains: ['"sent":true', '"channel":"log"'],
      },
      {
        name: "a backup is a zip",
        method: "POST",
        path: "/system/backup",
        status: 200,
        answers: { "content-type": "application/zip" },
      },
      { name: "backups are the administrator's", method: "POST", path: "/system/backup", as: "user", status: 403 },
      { name: "a token in the query is for the stream only", path: "/devices?token=x", as: "nobody", status: 401 },
    ],
  );
});

describe("callers", () => {
  runScenarios(
    () => hub,
    [
      {
        name: "a whitelisted address needs no token",
        path: "/auth/me",
        as: "nobody",
        headers: listed,
        status: 200,
        contains: ['"role":"admin"', '"whitelist"'],
      },
      {
        name: "an address that is not listed does",
        path: "/auth/me",
        as: "nobody",
        headers: { "x-forwarded-for": "203.0.113.7" },
        status: 401,
      },
      {
        name: "a page of another origin at a whitelisted address does too",
        path: "/auth/me",
        as: "nobody",
        headers: { ...listed, origin: "https://evil.example" },
        status: 401,
      },
      {
        name: "a page in [server] cors_origins does not",
        path: "/auth/me",
        as: "nobody",
        headers: { ...listed, origin: "https://home.example" },
        status: 200,
        answers: { "access-control-allow-origin": "https://home.example" },
      },
      {
        name: "an origin that is not listed gets no CORS header",
        path: "/health",
        as: "nobody",
        headers: { origin: "https://evil.example" },
        status: 200,
      },
    ],
  );

  test("a preflight request is answered for a listed origin only", async () => {
    const headers = (origin: string) => ({ origin, "access-control-request-method": "PATCH" });
    const named = await hub.request("OPTIONS", "/devices", { headers: headers("https://home.example") });
    expect([named.status, named.headers.get("access-control-allow-methods")]).toEqual([
      204,
      "GET, POST, PUT, PATCH, DELETE",
    ]);
    expect((await hub.request("OPTIONS", "/devices", { headers: headers("https://evil.example") })).status).toBe(405);
  });

  test("five wrong passwords a minute from one address, then 429 with Retry-After", async () => {
    const attempt = (from: string) =>
      hub.request("POST", "/auth/login", {
        body: { username: "admin", password: "wrong password" },
        headers: { "x-forwarded-for": from },
      });
    const statuses: number[] = [];
    for (let count = 0; count < 7; count++) statuses.push((await attempt("203.0.113.9")).status);
    expect(statuses).toEqual([401, 401, 401, 401, 401, 429, 429]);
    const refused = await attempt("203.0.113.9");
    expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
    expect((await attempt("203.0.113.10")).status).toBe(401);
  });

  test("hosts with short names are served", async () => {
    const response = await hub.request("GET", "/health", { headers: { host: "pi" } });
    expect(response.status).toBe(200);
  });
});

describe("accounts", () => {
  test("a user is made, changed, and removed; the last administrator stays", async () => {
    const token = hub.adminToken;
    const made = await hub.request("POST", "/auth/users", {
      token,
      body: { username: "ann", password: "long enough", role: "viewer" },
    });
    expect(made.status).toBe(201);
    expect(await made.json()).toEqual({
      id: expect.any(String),
      username: "ann",
      role: "viewer",
      created_at: expect.stringMatching(/Z$/),
    });
    expect(
      (
        await hub.request("POST", "/auth/users", {
          token,
          body: { username: "Ann", password: "long enough", role: "viewer" },
        })
      ).status,
    ).toBe(409);
    expect(
      (
        await hub.request("POST", "/auth/users", {
          token,
          body: { username: "bob", password: "short", role: "viewer" },
        })
      ).status,
    ).toBe(400);
    expect(
      await (await hub.request("PATCH", "/auth/users/ann", { token, body: { role: "user" } })).json(),
    ).toMatchObject({ role: "user" });
    expect((await hub.request("DELETE", "/auth/users/ann", { token })).status).toBe(204);
    expect((await hub.request("DELETE", "/auth/users/ann", { token })).status).toBe(404);
  });

  test("changing the own password ends the own tokens", async () => {
    const token = await hub.tokenFor("viewer");
    const change = (current: string) =>
      hub.request("POST", "/auth/change-password", {
        token,
        body: { current_password: current, new_password: "another password" },
      });
    expect((await change("wrong password")).status).toBe(403);
    expect((await change("password of viewer")).status).toBe(204);
    expect((await hub.request("GET", "/auth/me", { token })).status).toBe(401);
  });

  test("an API key works until it is withdrawn, and is shown once", async () => {
    const token = hub.adminToken;
    const made = (await (
      await hub.request("POST", "/auth/api-keys", {
        token,
        body: { label: "panel", role: "viewer", expires_in_days: 30 },
      })
    ).json()) as { id: string; key: string };
    expect(made.key).toMatch(/^hub_/);
    expect(await (await hub.request("GET", "/auth/me", { token: made.key })).json()).toMatchObject({
      username: "panel",
      role: "viewer",
      kind: "api_key",
    });
    expect(await (await hub.request("GET", "/auth/api-keys", { token })).text()).not.toContain(made.key);
    expect((await hub.request("DELETE", `/auth/api-keys/${made.id}`, { token })).status).toBe(204);
    expect((await hub.request("GET", "/auth/me", { token: made.key })).status).toBe(401);
  });
});

test("no secret of a request is in the log", async () => {
  const post = (path: string, body: object, token?: string) =>
    hub.request("POST", path, { body, ...(token && { token }), headers: { "x-forwarded-for": "203.0.113.11" } });
  const bodies = {
    misspelt: { username: "admin", pasword: "my-secret" },
    wrong: { username: "admin", password: "no!no" },
  };
  expect((await post("/auth/login", bodies.misspelt)).status).toBe(400);
  expect((await post("/auth/login", bodies.wrong)).status).toBe(401);
  const change = { current_password: "password of viewer", new_password: "a newer password" };
  expect((await post("/auth/change-password", change, await hub.tokenFor("viewer"))).status).toBe(204);
  const made = await post("/auth/api-keys", { label: "door", role: "viewer" }, hub.adminToken);
  expect(made.status).toBe(201);
  const { text } = hub.platform.stdout;
  const { key } = (await made.json()) as { key: string };
  const secrets = ["my-secret", "no!no", "password of viewer", "a newer password", key, "hub_"];
  for (const secret of [hub.admin.password, hub.adminToken, ...secrets]) expect(text).not.toContain(secret);
});
