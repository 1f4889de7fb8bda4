// Tokens: what is let in, every forgery that is not, and that one that was let in before ends in time.
import { afterEach, beforeEach, expect, test } from "bun:test";
import { createHmac } from "node:crypto";
import type { LoggedIn } from "../../../src/server/auth/login.ts";
import { createTokens } from "../../../src/server/auth/tokens.ts";
import {
  type AuthFixture,
  addUser,
  everythingIn,
  identified,
  openAuth,
  PASSWORD,
  random,
  refusalOf,
  SECRET,
  STRANGER,
} from "./auth-fixture.ts";

let fixture: AuthFixture;
let session: LoggedIn;
beforeEach(async () => {
  fixture = openAuth();
  addUser(fixture, "ann");
  addUser(fixture, "bob");
  session = await fixture.auth.login("ann", PASSWORD, STRANGER);
});
afterEach(() => fixture[Symbol.dispose]());

const base64 = (value: object): string => Buffer.from(JSON.stringify(value)).toString("base64url");
const payloadOf = (token: string): Record<string, unknown> =>
  JSON.parse(Buffer.from(token.split(".")[1] ?? "", "base64url").toString());

function forge(payload: object, { alg = "HS256", hash = "sha256", secret = SECRET, header = {} } = {}): string {
  const content = `${base64({ alg, typ: "JWT", ...header })}.${base64(payload)}`;
  return `${content}.${alg === "none" ? "" : createHmac(hash, secret).update(content).digest("base64url")}`;
}

/** A payload that would be let in, with changes. */
function claims(changes: object = {}): object {
  return { ...payloadOf(session.token), ...changes };
}

async function expectRefused(token: string): Promise<void> {
  const error = await refusalOf(() => fixture.auth.identify(token, STRANGER));
  expect(error).toMatchObject({ code: "unauthenticated", details: { tokenSent: true } });
  if (token !== "") expect(everythingIn(error)).not.toContain(token);
  expect(everythingIn(error)).not.toContain(SECRET);
}

test("a token says who, until when and which version", async () => {
  const { clock, auth } = fixture;
  expect(session).toMatchObject({ expiresIn: 86_400, user: { username: "ann", role: "admin" } });
  const { sub, role, ver, iat, exp, jti } = payloadOf(session.token);
  expect({ sub, role, ver, exp }).toEqual({
    sub: session.user.id,
    role: "admin",
    ver: 1,
    exp: clock.now() / 1000 + 86_400,
  });
  expect(typeof iat).toBe("number");
  expect(await identified(auth, session.token)).toEqual({
    kind: "user",
    id: session.user.id,
    name: "ann",
    role: "admin",
    expiresAt: clock.now() + 86_400_000,
    ver: 1,
    session: String(jti),
  });
});

test("the forger of these tests makes good tokens when nothing is wrong with them", async () => {
  expect(await identified(fixture.auth, forge(claims()))).toMatchObject({ name: "ann" });
});

const YEAR_SECS = 31_536_000;
const forgeries: Record<string, () => string> = {
  "alg none": () => forge(claims(), { alg: "none" }),
  "alg none with a signature": () => forge(claims(), { alg: "None" }),
  "HS384 with the right secret": () => forge(claims(), { alg: "HS384", hash: "sha384" }),
  "HS512 with the right secret": () => forge(claims(), { alg: "HS512", hash: "sha512" }),
  "HS256 in the header, another hash": () => forge(claims(), { hash: "sha512" }),
  "another secret": () => forge(claims(), { secret: `${SECRET}!` }),
  "an empty secret": () => forge(claims(), { secret: "" }),
  "a critical header nobody knows": () => forge(claims(), { header: { crit: ["x"], x: 1 } }),
  expired: () => forge(claims({ exp: fixture.clock.now() / 1000 - 1 })),
  "expiring now": () => forge(claims({ exp: fixture.clock.now() / 1000 })),
  "no exp": () => forge(claims({ exp: undefined })),
  "exp as text": () => forge(claims({ exp: String(fixture.clock.now() / 1000 + YEAR_SECS) })),
  "exp as null": () => forge(claims({ exp: null })),
  "not valid yet": () => forge(claims({ nbf: fixture.clock.now() / 1000 + 60 })),
  "nbf as text": () => forge(claims({ nbf: "1" })),
  "a header that is no object": () =>
    `${Buffer.from('"HS256"').toString("base64url")}.${session.token.split(".").slice(1).join(".")}`,
  "no sub": () => forge(claims({ sub: undefined })),
  "sub as a list": () => forge(claims({ sub: [session.user.id] })),
  "no ver": () => forge(claims({ ver: undefined })),
  "ver as text": () => forge(claims({ ver: "1" })),
  "an old ver": () => forge(claims({ ver: 0 })),
  "a ver to come": () => forge(claims({ ver: 2 })),
  "a user nobody knows": () => forge(claims({ sub: "00000000-0000-4000-8000-000000000000" })),
  "another payload under the same signature": () =>
    session.token.replace(/\.[^.]+\./, `.${base64(claims({ role: "admin", exp: 9_999_999_999 }))}.`),
  "a changed signature": () => session.token.replace(/.{4}$/, "AAAA"),
  "no signature": () => session.token.replace(/[^.]+$/, ""),
  "something behind it": () => `${session.token}.x`,
  "no token at all": () => "not-a-token",
  empty: () => "",
  huge: () => "e".repeat(1_000_000),
  "huge but signed": () => forge(claims({ padding: "x".repeat(10_000) })),
};

for (const [what, make] of Object.entries(forgeries)) {
  test(`refused: ${what}`, async () => {
    await expectRefused(make());
    // The good one beside it is remembered by now and stays good.
    await identified(fixture.auth, session.token);
    await expectRefused(make());
  });
}

test("a token answers at once, and its role comes from the database", async () => {
  const { auth, db, clock } = fixture;
  expect(auth.identify(session.token, STRANGER)).toMatchObject({ name: "ann", role: "admin" });
  db.durable.run("UPDATE users SET role = 'viewer' WHERE username = 'ann'");
  await clock.advance(21);
  expect(auth.identify(session.token, STRANGER)).toMatchObject({ name: "ann", role: "viewer" });
});

test("a remembered token ends when it expires", async () => {
  const { auth, clock } = fixture;
  const identity = await identified(auth, session.token);
  clock.step(86_400_000 - 1);
  expect(auth.identify(session.token, STRANGER)).toMatchObject({ name: "ann" });
  expect(auth.stillValid(identity)).toBe(true);
  clock.step(1);
  expect(auth.stillValid(identity)).toBe(false);
  await expectRefused(session.token);
});

const endings: Record<string, () => unknown> = {
  "another role": () => fixture.auth.users.setRole("ann", "viewer"),
  "another password": () => fixture.auth.users.setPassword("ann", "another password"),
  removal: () => fixture.auth.users.remove("ann"),
};

for (const [what, end] of Object.entries(endings)) {
  test(`ended by ${what}, and the listeners are called once`, async () => {
    const { auth } = fixture;
    const identity = await identified(auth, session.token);
    let calls = 0;
    using _broken = auth.onRevoked(() => {
      throw new Error("a listener's own fault");
    });
    using _listener = auth.onRevoked(() => {
      calls++;
      expect(auth.stillValid(identity)).toBe(false);
    });
    await end();
    expect(calls).toBe(1);
    await expectRefused(session.token);
    await expectRefused(session.token);
  });
}

test("a user who is made again under the same name does not inherit tokens", async () => {
  fixture.auth.users.remove("ann");
  addUser(fixture, "ann");
  await expectRefused(session.token);
});

test("tokens outlive a restart, but not another secret", async () => {
  expect(await identified(fixture.again(), session.token)).toMatchObject({ name: "ann" });
  const other = fixture.again({ jwt_secret: SECRET.toUpperCase() });
  expect((await refusalOf(() => other.identify(session.token, STRANGER))).code).toBe("unauthenticated");
});

test("a short lifetime is kept to", async () => {
  const { expiresIn } = await fixture.again({ token_lifetime_hours: 0.5 }).login("ann", PASSWORD, STRANGER);
  expect(expiresIn).toBe(1800);
});

test("the memory of verified tokens is bounded", async () => {
  const tokens = createTokens({ secret: SECRET, lifetimeHours: 1, clock: fixture.clock, random, capacity: 2 });
  const issued = await Promise.all(["a", "b", "c"].map((id) => tokens.issue({ id, role: "user", ver: 1 })));
  const first = issued.map(({ token }) => tokens.verify(token));
  expect(first.map((claims) => claims?.userId)).toEqual(["a", "b", "c"]);
  const again = issued.toReversed().map(({ token }) => tokens.verify(token));
  // The oldest was forgotten: it is verified once more.
  expect(again.map((claims) => first.includes(claims))).toEqual([true, true, false]);
  expect(again[2]).toEqual(first[0]);
});
