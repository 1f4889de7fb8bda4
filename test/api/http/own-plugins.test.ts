// What a plugin on the hub's own machine gets by the address it shares with it: no entry of the whitelist, no forwarded address, and
// no more tries at a password than others.
import { expect, test } from "bun:test";
import { startTestHub, type TestHub } from "../../support/test-hub.ts";
import { until } from "../../support/wait.ts";

const PLUGIN = '[[plugins]]\nid = "p"\nbinary = "/bin/sleep"\nconfine = "off"\n';
const AUTH = 'whitelist = ["127.0.0.0/8", "203.0.113.0/24"]';
const SERVER = 'trusted_proxies = ["127.0.0.1"]';

const statusOf = async (hub: TestHub, headers: Record<string, string> = {}): Promise<number> =>
  (await hub.request("GET", "/auth/me", { headers })).status;

test("without plugins, the whitelist may name this machine and its proxies", async () => {
  await using hub = await startTestHub({ auth: AUTH, server: SERVER });
  expect(await statusOf(hub)).toBe(200);
  expect(await statusOf(hub, { "x-forwarded-for": "203.0.113.9" })).toBe(200);
});

test("once a plugin ran, this machine needs a token, directly and behind a proxy that may be a plugin", async () => {
  await using hub = await startTestHub({ auth: AUTH, server: SERVER, toml: PLUGIN });
  const { status } = await hub.request("POST", "/plugins/p/start", { token: hub.adminToken });
  expect(status).toBe(200);
  const answer = await hub.request("GET", "/auth/me");
  expect({ status: answer.status, text: await answer.text() }).toEqual({
    status: 401,
    text: expect.stringContaining("as its plugins have the same address: log in, or make an API key"),
  });
  // These tests run as root, or as the user that the plugin has as well.
  for (const forged of ["203.0.113.9", "203.0.113.9, 127.0.0.1", "127.0.0.1"])
    expect({ forged, status: await statusOf(hub, { "x-forwarded-for": forged }) }).toEqual({ forged, status: 401 });
  expect((await hub.request("GET", "/auth/me", { token: hub.adminToken })).status).toBe(200);
});

test("who guesses from this machine waits, also by MQTT's count, and an alert says so", async () => {
  await using hub = await startTestHub();
  const login = async (password: string) =>
    (await hub.request("POST", "/auth/login", { body: { ...hub.admin, password } })).status;
  for (let guess = 0; guess < 5; guess++) expect(await login("wrong")).toBe(401);
  expect(await login(hub.admin.password)).toBe(429);
  await until("the alert is there", async () => {
    const alerts = await (await hub.request("GET", "/system/alerts", { token: hub.adminToken })).json();
    return (alerts as { id: string }[]).some(({ id }) => id === "password_guessing:this machine");
  });
});
