// Login and password changes: the same answer for every mistake, and limits that cannot be run past.
import { afterEach, beforeEach, expect, test } from "bun:test";
import {
  type AuthFixture,
  addUser,
  costsAboutTheSame,
  everythingIn,
  identified,
  openAuth,
  PASSWORD,
  refusalOf,
  STRANGER,
} from "./auth-fixture.ts";

let fixture: AuthFixture;
beforeEach(async () => {
  fixture = openAuth({ whitelist: ["192.168.1.0/24"] });
  addUser(fixture, "ann");
});
afterEach(() => fixture[Symbol.dispose]());

const WRONG = "a wrong password";

test("an unknown user and a wrong password get the same answer in the same time", async () => {
  const { auth } = fixture;
  // At the product's cost, as that is what an unknown user is to take.
  await auth.users.create({ username: "eve", password: PASSWORD, role: "user" });
  const answers = new Set<string>();
  const login = (username: string) => async () => {
    const error = await refusalOf(() => auth.login(username, WRONG, "192.168.1.5"));
    expect(everythingIn(error)).not.toContain(WRONG);
    answers.add(JSON.stringify([error.code, error.message, error.details]));
  };
  expect(await costsAboutTheSame(login("zoe"), login("eve"))).toBe(true);
  expect([...answers]).toEqual(['["unauthenticated","wrong username or password",{}]']);
});

test("five failures are answered, the sixth try is refused with the time to wait, also with the right password", async () => {
  const { auth, clock } = fixture;
  for (let time = 0; time < 5; time++) {
    expect((await refusalOf(() => auth.login("ann", WRONG, STRANGER))).code).toBe("unauthenticated");
  }
  const refusal = await refusalOf(() => auth.login("ann", PASSWORD, STRANGER));
  expect(refusal).toMatchObject({ code: "rate_limited", details: { retryAfterSecs: 60 } });
  expect((await auth.login("ann", PASSWORD, "203.0.113.8")).user.username).toBe("ann");
  await clock.advance(60_000);
  expect((await auth.login("ANN", PASSWORD, STRANGER)).user.username).toBe("ann");
});

test("parallel tries count too", async () => {
  const { auth } = fixture;
  const tries = Array.from({ length: 20 }, () => refusalOf(() => auth.login("ann", WRONG, STRANGER)));
  const codes = (await Promise.all(tries)).map(({ code }) => code);
  expect(codes.filter((code) => code === "unauthenticated")).toHaveLength(5);
  expect(codes.filter((code) => code === "rate_limited")).toHaveLength(15);
});

test("the whitelist is never banned, this machine is, from all its addresses together", async () => {
  const { auth } = fixture;
  for (const address of ["192.168.1.5", "::ffff:192.168.1.5"]) {
    for (let time = 0; time < 7; time++) {
      expect((await refusalOf(() => auth.login("ann", WRONG, address))).code).toBe("unauthenticated");
    }
  }
  for (const address of ["127.0.0.1", "::1", "::ffff:127.0.0.1", "127.0.0.9", "127.1.1.1"])
    expect((await refusalOf(() => auth.login("ann", WRONG, address))).code).toBe("unauthenticated");
  expect((await refusalOf(() => auth.login("ann", PASSWORD, "127.0.0.10"))).code).toBe("rate_limited");
  addUser(fixture, "bob", "user");
  expect((await auth.login("bob", PASSWORD, "127.0.0.1")).user.username).toBe("bob");
});

test("where the whitelist names this machine, its programs are limited nevertheless", async () => {
  const auth = fixture.again({ whitelist: ["127.0.0.0/8"] });
  for (let time = 0; time < 5; time++)
    expect((await refusalOf(() => auth.login("ann", WRONG, "127.0.0.1"))).code).toBe("unauthenticated");
  expect((await refusalOf(() => auth.login("ann", PASSWORD, "127.0.0.1"))).code).toBe("rate_limited");
});

test("when too many log in at once, those turned away have not failed", async () => {
  const { auth } = fixture;
  const crowd = Array.from({ length: 40 }, () => refusalOf(() => auth.login("ann", WRONG, "192.168.1.5")));
  for (let time = 0; time < 8; time++) {
    expect((await refusalOf(() => auth.login("ann", WRONG, STRANGER))).code).toBe("unavailable");
  }
  await Promise.all(crowd);
  expect((await refusalOf(() => auth.login("ann", WRONG, STRANGER))).code).toBe("unauthenticated");
});

test("an account that changes while the password is checked gives no token", async () => {
  const { auth } = fixture;
  addUser(fixture, "bob", "user");
  const removed = refusalOf(() => auth.login("bob", PASSWORD, STRANGER));
  auth.users.remove("bob");
  expect((await removed).code).toBe("unauthenticated");
  const changed = refusalOf(() => auth.login("ann", PASSWORD, STRANGER));
  fixture.db.durable.run("UPDATE users SET password_hash = 'another', ver = ver + 1 WHERE username = 'ann'");
  expect((await changed).code).toBe("unauthenticated");
});

test("changing one's password ends all tokens and needs the current one", async () => {
  const { auth } = fixture;
  const { token } = await auth.login("ann", PASSWORD, STRANGER);
  const identity = await identified(auth, token);
  let calls = 0;
  using _listener = auth.onRevoked(() => void calls++);

  const wrong = await refusalOf(() => auth.changePassword(identity, WRONG, "a better password", STRANGER));
  expect(wrong.code).toBe("forbidden");
  expect(everythingIn(wrong)).not.toContain("a better password");
  expect((await refusalOf(() => auth.changePassword(identity, PASSWORD, "short", STRANGER))).code).toBe("invalid");
  expect(calls).toBe(0);
  expect(auth.stillValid(identity)).toBe(true);

  await auth.changePassword(identity, PASSWORD, "a better password", STRANGER);
  expect(calls).toBe(1);
  expect(auth.stillValid(identity)).toBe(false);
  expect((await refusalOf(() => auth.login("ann", PASSWORD, STRANGER))).code).toBe("unauthenticated");
  await auth.login("ann", "a better password", STRANGER);
});

test("guessing at the current password counts as failed logins", async () => {
  const { auth } = fixture;
  const identity = await identified(auth, (await auth.login("ann", PASSWORD, STRANGER)).token);
  for (let time = 0; time < 5; time++) {
    expect((await refusalOf(() => auth.changePassword(identity, WRONG, PASSWORD, STRANGER))).code).toBe("forbidden");
  }
  expect((await refusalOf(() => auth.changePassword(identity, PASSWORD, "a better one", STRANGER))).code).toBe(
    "rate_limited",
  );
  expect((await refusalOf(() => auth.login("ann", PASSWORD, STRANGER))).code).toBe("rate_limited");
});

test("keys and whitelisted addresses have no password to change", async () => {
  const { auth } = fixture;
  const { key } = auth.apiKeys.create({ label: "ann", role: "admin", createdBy: "ann" });
  for (const identity of [await identified(auth, key), await identified(auth, undefined, "192.168.1.5")]) {
    expect((await refusalOf(() => auth.changePassword(identity, PASSWORD, "a better one"))).code).toBe("forbidden");
  }
});
