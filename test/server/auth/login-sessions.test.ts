// Logins that are listed and ended: what ends, what stays, and what is written for it.
import { afterEach, beforeEach, expect, test } from "bun:test";
import { claimsOf, forgeToken } from "../../support/forged-token.ts";
import {
  type AuthFixture,
  addUser,
  identified,
  openAuth,
  PASSWORD,
  refusalOf,
  SECRET,
  STRANGER,
} from "./auth-fixture.ts";

let fixture: AuthFixture;
beforeEach(async () => {
  fixture = openAuth();
  for (const username of ["ann", "bob"]) addUser(fixture, username);
});
afterEach(() => fixture[Symbol.dispose]());

const login = async (name = "ann", agent = "test/1"): Promise<string> =>
  (await fixture.auth.login(name, PASSWORD, STRANGER, agent)).token;
const idOf = (token: string): string => String(claimsOf(token).jti);
const userId = (name: string): string => fixture.auth.users.get(name)?.id ?? "";
const refused = async (token: string, auth = fixture.auth) =>
  (await refusalOf(() => auth.identify(token, STRANGER))).code;

test("a login is listed with where it came from and when it was used last", async () => {
  const { auth, clock } = fixture;
  const begun = clock.now();
  const token = await login("ann", `agent ${"x".repeat(500)}`);
  await login("bob");
  await clock.advance(5000);
  await identified(auth, token);
  const [session, ...others] = auth.sessions.list(userId("ann"));
  expect(others).toEqual([]);
  expect(session).toMatchObject({
    id: idOf(token),
    username: "ann",
    createdAt: begun,
    lastUsedAt: begun + 5000,
    expiresAt: begun + 86_400_000,
    address: STRANGER,
  });
  expect(session?.userAgent?.length).toBe(200);
  expect(auth.sessions.list().map(({ username }) => username)).toEqual(["ann", "bob"]);
});

test("an ended session is refused at once and after a restart, and no other is", async () => {
  const { auth } = fixture;
  const [token, other] = [await login(), await login()];
  const [open, still] = [await identified(auth, token), await identified(auth, other)];
  let calls = 0;
  using _listener = auth.onRevoked(() => void calls++);
  expect((await refusalOf(() => auth.sessions.end(idOf(token), userId("bob")))).code).toBe("not_found");
  auth.sessions.end(idOf(token), userId("ann"));
  expect(calls).toBe(1);
  expect(await refused(token)).toBe("unauthenticated");
  expect(auth.stillValid(open)).toBe(false);
  expect(auth.stillValid(still)).toBe(true);
  using later = fixture.again();
  expect(await refused(token, later)).toBe("unauthenticated");
  expect(await identified(later, other)).toMatchObject({ name: "ann" });
  expect((await refusalOf(() => later.sessions.end(idOf(token)))).code).toBe("not_found");
  expect(later.sessions.list().map(({ id }) => id)).toEqual([idOf(other)]);
});

test("tokens without a row are valid: from an older hub, and after a restore from before the login", async () => {
  const { auth, db } = fixture;
  const token = await login();
  const { jti: _, ...old } = claimsOf(token);
  expect(await identified(auth, forgeToken({ alg: "HS256", secret: SECRET, claims: old }))).toMatchObject({
    name: "ann",
  });
  db.durable.run("DELETE FROM sessions");
  using restored = fixture.again();
  expect(restored.sessions.list()).toEqual([]);
  await identified(restored, token);
  expect(restored.sessions.list()).toMatchObject([{ id: idOf(token), createdAt: undefined, address: undefined }]);
  restored.sessions.end(idOf(token));
  expect(await refused(token, restored)).toBe("unauthenticated");
});

test("requests hardly write anything", async () => {
  const { auth, db, clock } = fixture;
  const token = await login();
  const before = db.relaxed.query<{ n: number }, []>("SELECT total_changes() AS n").get()?.n ?? 0;
  for (let request = 0; request < 3600; request++) {
    await identified(auth, token);
    await clock.advance(1000);
  }
  const after = db.relaxed.query<{ n: number }, []>("SELECT total_changes() AS n").get()?.n ?? 0;
  expect(after - before).toBeLessThanOrEqual(7);
  expect(after - before).toBeGreaterThanOrEqual(5);
  auth[Symbol.dispose]();
  using later = fixture.again();
  expect(clock.now() - (later.sessions.list()[0]?.lastUsedAt ?? 0)).toBeLessThanOrEqual(660_000);
});

test("sessions are not listed after they expire, after a new password, or after the user is removed", async () => {
  const { auth, clock } = fixture;
  await login("ann");
  await login("bob");
  await auth.users.setPassword("ann", "another password");
  expect(auth.sessions.list().map(({ username }) => username)).toEqual(["bob"]);
  await clock.advance(86_400_000);
  expect(auth.sessions.list()).toEqual([]);
  const token = await login("bob");
  auth.users.remove("bob");
  expect(auth.sessions.list()).toEqual([]);
  expect(await refused(token)).toBe("unauthenticated");
});

test("a user's list is bounded; a session that drops out of it stays valid and comes back when it is used", async () => {
  const { auth, clock, db } = fixture;
  const first = await login("bob");
  const insert = db.relaxed.query(
    "INSERT INTO sessions (id, user_id, ver, created_at, last_used_at, expires_at) VALUES (?, ?, 1, ?, ?, ?)",
  );
  const at = clock.now() + 1000;
  for (let index = 0; index < 150; index++) insert.run(`s${index}`, userId("bob"), at, at, at + 86_400_000);
  await clock.advance(2000);
  await login("bob");
  expect(auth.sessions.list(userId("bob")).length).toBe(100);
  expect(auth.sessions.list().map(({ id }) => id)).not.toContain(idOf(first));
  await clock.advance(700_000);
  await identified(auth, first);
  expect(auth.sessions.list(userId("bob"))[0]?.id).toBe(idOf(first));
});

test("ending a thousand sessions ends all of them, so that the list stays bounded", async () => {
  const { auth, db, clock } = fixture;
  const insert = db.durable.query("INSERT INTO ended_sessions (id, user_id, expires_at) VALUES (?, ?, ?)");
  for (let index = 0; index < 1000; index++) insert.run(`e${index}`, userId("bob"), clock.now() + 86_400_000);
  const [token, other, anns] = [await login("bob"), await login("bob"), await login("ann")];
  auth.sessions.end(idOf(token));
  await clock.advance(21);
  expect(await refused(other)).toBe("unauthenticated");
  expect(await identified(auth, anns)).toMatchObject({ name: "ann" });
  expect(db.durable.query("SELECT count(*) AS n FROM ended_sessions").get()).toEqual({ n: 0 });
});
