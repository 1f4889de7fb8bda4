// /auth/sessions over the network: who sees which sessions, and that ending one closes its streams.
import { afterEach, beforeEach, expect, test } from "bun:test";
import { claimsOf } from "../../support/forged-token.ts";
import { startTestHub, type TestHub } from "../../support/test-hub.ts";
import { soon } from "../../support/wait.ts";

let hub: TestHub;
beforeEach(async () => {
  hub = await startTestHub();
});
afterEach(() => hub[Symbol.asyncDispose]());

interface Listed {
  id: string;
  user: string;
  current: boolean;
}

const list = async (token: string, query = ""): Promise<Listed[]> =>
  (await (await hub.request("GET", `/auth/sessions${query}`, { token })).json()) as Listed[];
const end = async (token: string, id: string): Promise<number> =>
  (await hub.request("DELETE", `/auth/sessions/${id}`, { token })).status;
const idOf = (token: string): string => String(claimsOf(token).jti);

test("users see and end their own; administrators everybody's", async () => {
  const [viewer, user] = [await hub.tokenFor("viewer"), await hub.tokenFor("user")];
  expect(await list(viewer)).toEqual([
    {
      id: idOf(viewer),
      user: "viewer-1",
      current: true,
      created_at: expect.stringMatching(/Z$/),
      last_used_at: expect.stringMatching(/Z$/),
      expires_at: expect.stringMatching(/Z$/),
      address: "127.0.0.1",
      user_agent: expect.stringContaining("Bun"),
    } as never,
  ]);
  expect(await list(viewer, "?user=viewer-1")).toHaveLength(1);
  expect((await hub.request("GET", "/auth/sessions?user=user-2", { token: viewer })).status).toBe(403);
  expect((await hub.request("GET", "/auth/sessions?user=nobody", { token: hub.adminToken })).status).toBe(404);
  expect(new Set((await list(hub.adminToken)).map(({ user: name }) => name))).toEqual(
    new Set(["admin", "viewer-1", "user-2"]),
  );
  expect(await list(hub.adminToken, "?user=user-2")).toMatchObject([{ id: idOf(user), current: false }]);
  expect(await end(viewer, idOf(user))).toBe(404);
  expect(await end(viewer, "nothing")).toBe(404);
  expect(await end(viewer, idOf(viewer))).toBe(204);
  expect((await hub.request("GET", "/auth/me", { token: viewer })).status).toBe(401);
});

test("a login can be renewed, until it is ended", async () => {
  const token = await hub.tokenFor("viewer");
  const renew = (credential: string) => hub.request("POST", "/auth/renew", { token: credential });
  const answer = (await (await renew(token)).json()) as { token: string; expires_in: number; user: { role: string } };
  expect(answer).toMatchObject({ token_type: "Bearer", expires_in: 86_400, user: { role: "viewer" } });
  expect((await list(answer.token)).map(({ id }) => id)).toEqual([idOf(token)]);
  expect(await end(answer.token, idOf(token))).toBe(204);
  expect([(await renew(token)).status, (await renew(answer.token)).status]).toEqual([401, 401]);
});

test("an administrator who ends one closes its streams at once, and no others", async () => {
  const token = await hub.tokenFor("user");
  using stream = await hub.openStream({}, token);
  using others = await hub.openStream();
  expect(await end(hub.adminToken, idOf(token))).toBe(204);
  expect(await soon("the stream ends", stream.closed)).toMatchObject({ code: 1008 });
  expect((await hub.request("GET", "/auth/me", { token })).status).toBe(401);
  expect(await Promise.race([others.closed, hub.request("GET", "/health").then(() => "open")])).toBe("open");
});

test("the keys of a demoted administrator end, with their streams", async () => {
  const admin = await hub.tokenFor("admin");
  const { username } = (await (await hub.request("GET", "/auth/me", { token: admin })).json()) as { username: string };
  const make = async (token: string): Promise<{ key: string; owner: string | null }> =>
    (await (
      await hub.request("POST", "/auth/api-keys", { token, body: { label: "panel", role: "admin" } })
    ).json()) as never;
  const made = await make(admin);
  const second = await make(made.key);
  expect([made.owner, second.owner]).toEqual([username, username]);
  using stream = await hub.openStream({}, second.key);
  await hub.request("PATCH", `/auth/users/${username}`, { token: hub.adminToken, body: { role: "user" } });
  for (const token of [made.key, second.key])
    expect((await hub.request("GET", "/auth/me", { token })).status).toBe(401);
  expect(await soon("the stream ends", stream.closed)).toMatchObject({ code: 1008 });
});
