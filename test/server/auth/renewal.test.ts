// Another token for the same login: what it is good for, and when there is none.
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

const DAY_MS = 86_400_000;
let fixture: AuthFixture;
let token: string;
beforeEach(async () => {
  fixture = openAuth();
  addUser(fixture, "ann", "user");
  token = (await fixture.auth.login("ann", PASSWORD, STRANGER)).token;
});
afterEach(() => fixture[Symbol.dispose]());

const idOf = (one: string): string => String(claimsOf(one).jti);
async function renewed(from = token, auth = fixture.auth): Promise<string> {
  return (await auth.renew(await identified(auth, from))).token;
}

test("a login that is renewed in time never ends, and stays one entry of the list", async () => {
  const { auth, clock } = fixture;
  let current = token;
  for (let half = 0; half < 20; half++) {
    await clock.advance(DAY_MS / 2);
    current = await renewed(current);
  }
  expect(await identified(auth, current)).toMatchObject({ name: "ann", session: idOf(token) });
  expect(auth.sessions.list()).toMatchObject([{ id: idOf(token), address: STRANGER }]);
  expect(auth.sessions.list()[0]?.expiresAt).toBe(clock.now() + DAY_MS);
  auth[Symbol.dispose]();
  expect(fixture.again().sessions.list()[0]?.expiresAt).toBe(clock.now() + DAY_MS);
});

test("it answers who that is now, and the token it was asked for with stays good until its end", async () => {
  const { auth, clock } = fixture;
  await clock.advance(1000);
  const answer = await auth.renew(await identified(auth, token));
  expect(answer).toMatchObject({ expiresIn: 86_400, user: { username: "ann", role: "user" } });
  await identified(auth, token);
  await clock.advance(DAY_MS - 1000);
  expect((await refusalOf(() => auth.identify(token, STRANGER))).code).toBe("unauthenticated");
  await identified(auth, answer.token);
});

test("ending the session ends all of its tokens, for good", async () => {
  const { auth, clock } = fixture;
  const identity = await identified(auth, token);
  await clock.advance(1000);
  const second = await renewed();
  auth.sessions.end(idOf(second));
  expect((await refusalOf(() => auth.renew(identity))).code).toBe("unauthenticated");
  for (const one of [token, second]) {
    expect((await refusalOf(() => auth.identify(one, STRANGER))).code).toBe("unauthenticated");
    expect((await refusalOf(() => fixture.again().identify(one, STRANGER))).code).toBe("unauthenticated");
  }
});

test("a session that is ended while its token is made gets none", async () => {
  const { auth } = fixture;
  const renewal = auth.renew(await identified(auth, token));
  auth.sessions.end(idOf(token));
  expect((await refusalOf(() => renewal)).code).toBe("unauthenticated");
});

test("an ended session is remembered for as long as its latest token would be good", async () => {
  const short = fixture.again({ token_lifetime_hours: 24 * 30 });
  const first = (await short.login("ann", PASSWORD, STRANGER)).token;
  await fixture.clock.advance(29 * DAY_MS);
  const late = await renewed(first, short);
  short.sessions.end(idOf(late));
  await fixture.clock.advance(20 * DAY_MS);
  expect((await refusalOf(() => fixture.again().identify(late, STRANGER))).code).toBe("unauthenticated");
});

test("a new password and another role end it", async () => {
  const { auth } = fixture;
  const identity = await identified(auth, token);
  auth.users.setRole("ann", "viewer");
  expect((await refusalOf(() => auth.renew(identity))).code).toBe("unauthenticated");
});

test("who has not logged in has nothing to renew", async () => {
  const { auth } = fixture;
  const { key } = auth.apiKeys.create({
    label: "panel",
    role: "viewer",
    createdBy: "ann",
    owner: undefined,
    expiresInDays: undefined,
  });
  const { jti: _, ...old } = claimsOf(token);
  for (const credential of [key, forgeToken({ alg: "HS256", secret: SECRET, claims: old })]) {
    const identity = await identified(auth, credential);
    expect((await refusalOf(() => auth.renew(identity))).code).toBe("forbidden");
  }
});
