// Where a request comes from: proxies that are believed, networks that need no token, addresses that guess too often.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { networkInterfaces } from "node:os";
import { createHubPlace } from "../support/hub-place.ts";
import type { HubProcess } from "../support/hub-process.ts";

const place = createHubPlace({
  server: 'trusted_proxies = ["127.0.0.1"]',
  auth: 'whitelist = ["203.0.113.64/26", "2001:db8:1::/48"]',
});
let hub: HubProcess;
beforeAll(async () => {
  hub = await place.start();
});
afterAll(() => place[Symbol.asyncDispose]());

test("listed networks are administrators without a token, their neighbours are not", async () => {
  const from = (address: string, more: Record<string, string> = {}) =>
    hub.request("GET", "/auth/me", { token: null, headers: { "x-forwarded-for": address, ...more } });
  expect((await from("203.0.113.64")).json()).toMatchObject({ kind: "whitelist", role: "admin" });
  expect((await from("2001:db8:1:2::3")).status).toBe(200);
  expect((await from("::ffff:203.0.113.100")).status).toBe(200);
  for (const other of ["203.0.113.63", "203.0.113.128", "2001:db8:2::1", "203.0.113.64, 198.51.100.1", "nonsense"])
    expect({ other, status: (await from(other)).status }).toEqual({ other, status: 401 });
  expect((await from("203.0.113.70", { origin: "https://evil.example" })).status).toBe(401);
  expect((await from("203.0.113.70", { authorization: "Bearer wrong" })).status).toBe(401);
});

test("nobody who is no trusted proxy is believed about addresses", async () => {
  const own = Object.values(networkInterfaces())
    .flat()
    .find((each) => each && !each.internal && each.family === "IPv4");
  if (!own) throw new Error("this test needs an address beside loopback");
  await using other = createHubPlace({ auth: 'whitelist = ["203.0.113.64/26"]' });
  await using closed = await other.start();
  const answer = await closed.request("GET", "/auth/me", {
    token: null,
    headers: { "x-forwarded-for": "203.0.113.70" },
  });
  expect(answer.status).toBe(401);
  await using listed = createHubPlace({ auth: `whitelist = ["${own.address}/32"]` });
  listed.put("config/hub.toml", listed.read("config", "hub.toml").replace("127.0.0.1", "0.0.0.0"), 0o600);
  await using open = await listed.start();
  const direct = await fetch(`http://${own.address}:${open.port}/api/v1/auth/me`);
  expect({ status: direct.status, body: await direct.json() }).toMatchObject({
    status: 200,
    body: { kind: "whitelist" },
  });
  expect((await open.request("GET", "/auth/me", { token: null })).status).toBe(401);
});

test("after five failures an address waits; this machine does too, the whitelist never does", async () => {
  const attempt = (address: string, password: string) =>
    hub.request("POST", "/auth/login", {
      token: null,
      headers: { "x-forwarded-for": address },
      body: { username: "admin", password },
    });
  for (let failure = 0; failure < 5; failure++) expect((await attempt("203.0.113.5", "wrong one")).status).toBe(401);
  const banned = await attempt("203.0.113.5", place.admin?.password ?? "");
  expect(banned.status).toBe(429);
  expect(Number(banned.headers.get("retry-after"))).toBeGreaterThan(0);
  expect(Number(banned.headers.get("retry-after"))).toBeLessThanOrEqual(60);
  expect((await attempt("203.0.113.6", place.admin?.password ?? "")).status).toBe(200);
  for (let failure = 0; failure < 6; failure++) expect((await attempt("203.0.113.70", "wrong one")).status).toBe(401);
  for (let failure = 0; failure < 5; failure++) expect((await hub.login("admin", "wrong one")).status).toBe(401);
  expect((await hub.login("admin", "wrong one")).status).toBe(429);
});
