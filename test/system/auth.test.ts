// Who is let in: every route without a token and with too small a role, forged tokens, and what ends a session.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { claimsOf, forgeToken } from "../support/forged-token.ts";
import { createHubPlace, SECRET } from "../support/hub-place.ts";
import type { HubProcess } from "../support/hub-process.ts";
import { soon } from "../support/wait.ts";

const place = createHubPlace();
let hub: HubProcess;
beforeAll(async () => {
  hub = await place.start();
});
afterAll(() => place[Symbol.asyncDispose]());

let made = 0;
async function tokenFor(role: "admin" | "user" | "viewer"): Promise<{ username: string; token: string }> {
  const username = `${role}-${++made}`;
  const password = `password of ${username}`;
  const created = await hub.request("POST", "/auth/users", { body: { username, password, role } });
  expect(created.status).toBe(201);
  const answer = await hub.login(username, password);
  return { username, token: answer.json<{ token: string }>().token };
}

test("login answers a token; wrong names and passwords look the same", async () => {
  const wrong = await hub.login("admin", "not the password");
  const nobody = await hub.login("nobody", "not the password");
  expect([wrong.status, nobody.status]).toEqual([401, 401]);
  expect(wrong.text).toBe(nobody.text);
  expect(wrong.text).not.toContain("not the password");
  const { token } = (await hub.login("admin", place.admin?.password ?? "")).json<{ token: string }>();
  const me = await hub.request("GET", "/auth/me", { token });
  expect(me.json()).toMatchObject({ username: "admin", role: "admin", kind: "user" });
});

test("every route of the document is closed without a token and to smaller roles", async () => {
  const document = (await hub.request("GET", "/openapi.json", { token: null })).json<{
    paths: Record<string, Record<string, { "x-access"?: string }>>;
  }>();
  const smaller = { viewer: undefined, user: await tokenFor("viewer"), admin: await tokenFor("user") };
  const seen: string[] = [];
  for (const [path, methods] of Object.entries(document.paths)) {
    const url = path.replace("/api/v1", "").replace(/\{\w+\}/g, "some-id");
    for (const [method, { "x-access": access }] of Object.entries(methods)) {
      const route = `${method.toUpperCase()} ${url}`;
      seen.push(route);
      expect({ route, access }).toEqual({ route, access: expect.stringMatching(/^(public|viewer|user|admin|key)$/) });
      if (access === "public") continue;
      const without = await hub.request(method.toUpperCase(), url, { token: null });
      expect({ route, status: without.status }).toEqual({ route, status: 401 });
      expect(without.headers.get("www-authenticate")).toBe("Bearer");
      const token = smaller[access as keyof typeof smaller]?.token;
      if (!token) continue;
      const refused = await hub.request(method.toUpperCase(), url, { token });
      expect({ route, status: refused.status }).toEqual({ route, status: 403 });
    }
  }
  for (const route of ["POST /system/backup", "POST /notify/test", "GET /events", "GET /plugins", "GET /system/status"])
    expect(seen.map((each) => each.replace(/\/$/, ""))).toContain(route);
  expect(seen.length).toBeGreaterThan(20);
});

test("forged, foreign and expired tokens are refused, on requests and before the upgrade", async () => {
  const token = await hub.adminToken();
  const claims = claimsOf(token);
  const [head, body, signature = ""] = token.split(".");
  const now = Math.floor(Date.now() / 1000);
  const whole = forgeToken({ alg: "HS256", secret: SECRET, claims });
  // The forger works: only what it changes below is what is refused.
  expect((await hub.request("GET", "/auth/me", { token: whole })).status).toBe(200);
  const { exp: _, ...endless } = claims;
  const bad = {
    empty: "",
    nonsense: "nonsense",
    unsigned: `${head}.${body}.`,
    tampered: `${head}.${body}.${signature.startsWith("A") ? "B" : "A"}${signature.slice(1)}`,
    foreign: forgeToken({ alg: "HS256", secret: "another secret that is long enough, too", claims }),
    expired: forgeToken({ alg: "HS256", secret: SECRET, claims: { ...claims, exp: now - 1 } }),
    endless: forgeToken({ alg: "HS256", secret: SECRET, claims: endless }),
    none: forgeToken({ alg: "none", secret: SECRET, claims }),
    hs512: forgeToken({ alg: "HS512", secret: SECRET, claims }),
    rs256: forgeToken({ alg: "RS256", secret: SECRET, claims }),
    stranger: forgeToken({ alg: "HS256", secret: SECRET, claims: { ...claims, sub: "nobody" } }),
    later: forgeToken({ alg: "HS256", secret: SECRET, claims: { ...claims, ver: Number(claims.ver) + 1 } }),
    key: "hub_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",
    long: "x".repeat(6000),
  };
  for (const [name, each] of Object.entries(bad)) {
    const { status, text } = await hub.request("GET", "/auth/me", { token: each });
    expect({ name, status }).toEqual({ name, status: 401 });
    if (each.length > 10) expect(text).not.toContain(each);
    const refused = await hub.openStream({}, each).then(
      () => "open",
      () => "refused",
    );
    expect({ name, refused }).toEqual({ name, refused: "refused" });
  }
});

test("the role is the user's, not what the token claims", async () => {
  const { token } = await tokenFor("viewer");
  const raised = forgeToken({ alg: "HS256", secret: SECRET, claims: { ...claimsOf(token), role: "admin" } });
  expect((await hub.request("GET", "/auth/users", { token: raised })).status).toBe(403);
});

test("a token that expires closes its stream", async () => {
  const claims = claimsOf(await hub.adminToken());
  const exp = Math.floor(Date.now() / 1000) + 2;
  const stream = await hub.openStream({}, forgeToken({ alg: "HS256", secret: SECRET, claims: { ...claims, exp } }));
  expect((await soon("the stream ends", stream.closed)).code).toBe(1008);
});

test.each([
  ["a new role", (name: string) => hub.request("PATCH", `/auth/users/${name}`, { body: { role: "viewer" } })],
  ["a new password", (name: string) => hub.request("PATCH", `/auth/users/${name}`, { body: { password: "12345678" } })],
  ["removal", (name: string) => hub.request("DELETE", `/auth/users/${name}`)],
])("%s ends the user's tokens and streams, and nobody else's", async (_name, change) => {
  const { username, token } = await tokenFor("user");
  const other = await tokenFor("viewer");
  const stream = await hub.openStream({}, token);
  const others = await hub.openStream({}, other.token);
  expect((await change(username)).status).toBeLessThan(300);
  expect((await hub.request("GET", "/auth/me", { token })).status).toBe(401);
  expect((await soon("the stream ends", stream.closed)).code).toBe(1008);
  expect((await hub.request("GET", "/auth/me", { token: other.token })).status).toBe(200);
  const still = await Promise.race([others.closed, hub.get("/health").then(() => "open")]);
  expect(still).toBe("open");
});

test("changing one's own password needs the current one and ends one's tokens", async () => {
  const { username, token } = await tokenFor("viewer");
  const change = (current_password: string, new_password: string) =>
    hub.request("POST", "/auth/change-password", { token, body: { current_password, new_password } });
  expect((await change("wrong", "another password")).status).toBe(403);
  expect((await change(`password of ${username}`, "short")).status).toBe(400);
  expect((await change(`password of ${username}`, "another password")).status).toBe(204);
  expect((await hub.request("GET", "/auth/me", { token })).status).toBe(401);
  expect((await hub.login(username, "another password")).status).toBe(200);
});

test("the last administrator stays", async () => {
  expect((await hub.request("DELETE", "/auth/users/admin")).status).toBe(409);
  expect((await hub.request("PATCH", "/auth/users/admin", { body: { role: "user" } })).status).toBe(409);
});

test("API keys work as bearer and on the stream, until they are withdrawn", async () => {
  const body = { label: "wall panel", role: "viewer", expires_in_days: 1 };
  const { id, key } = (await hub.request("POST", "/auth/api-keys", { body })).json<{ id: string; key: string }>();
  expect(key).toMatch(/^hub_[\w-]{43}$/);
  expect((await hub.request("GET", "/auth/me", { token: key })).json()).toMatchObject({ kind: "api_key" });
  expect((await hub.request("POST", "/system/backup", { token: key })).status).toBe(403);
  expect((await hub.request("GET", "/auth/api-keys")).text).not.toContain(key.slice(8));
  const stream = await hub.openStream({}, key);
  expect((await hub.request("DELETE", `/auth/api-keys/${id}`)).status).toBe(204);
  expect((await soon("the stream ends", stream.closed)).code).toBe(1008);
  expect((await hub.request("GET", "/auth/me", { token: key })).status).toBe(401);
});
