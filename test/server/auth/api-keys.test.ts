// API keys and the whitelist: the two ways in without a login.
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { type AuthFixture, addUser, everythingIn, identified, openAuth, refusalOf, STRANGER } from "./auth-fixture.ts";

let fixture: AuthFixture;
beforeEach(() => {
  fixture = openAuth({ whitelist: ["192.168.1.0/24", "fd00::/8"] });
});
afterEach(() => fixture[Symbol.dispose]());

test("a key is shown once, stored hashed, and lets in with its own role", async () => {
  const { auth, db, clock } = fixture;
  const { key, ...made } = auth.apiKeys.create({ label: " wall panel ", role: "viewer", createdBy: "ann" });
  expect(key).toMatch(/^hub_[A-Za-z0-9_-]{43}$/);
  expect(made).toMatchObject({ label: "wall panel", role: "viewer", createdBy: "ann", createdAt: clock.now() });
  expect(auth.apiKeys.list()).toEqual([made]);
  expect(JSON.stringify(db.durable.query("SELECT * FROM api_keys").all())).not.toContain(key.slice(4));
  expect(auth.identify(key, STRANGER)).toEqual({
    kind: "api_key",
    id: made.id,
    name: "wall panel",
    role: "viewer",
    expiresAt: undefined,
    ver: undefined,
  });
});

test("a key that is wrong, expired or deleted", async () => {
  const { auth, clock } = fixture;
  const { key, id, expiresAt } = auth.apiKeys.create({ label: "x", role: "user", createdBy: "a", expiresInDays: 0.5 });
  expect(expiresAt).toBe(clock.now() + 43_200_000);
  const identity = await identified(auth, key);
  clock.step(43_200_000 - 1);
  expect(auth.stillValid(identity)).toBe(true);
  clock.step(1);
  expect(auth.stillValid(identity)).toBe(false);
  const lasting = auth.apiKeys.create({ label: "y", role: "user", createdBy: "a" });
  const open = await identified(auth, lasting.key);
  let calls = 0;
  using _listener = auth.onRevoked(() => void calls++);
  auth.apiKeys.remove(lasting.id);
  expect(calls).toBe(1);
  expect(auth.stillValid(open)).toBe(false);
  for (const bad of [key, lasting.key, `${key}x`, key.toUpperCase(), "hub_", `hub_${"A".repeat(43)}`]) {
    const error = await refusalOf(() => auth.identify(bad, STRANGER));
    expect(error).toMatchObject({ code: "unauthenticated", details: { tokenSent: true } });
    if (bad.length > 4) expect(everythingIn(error)).not.toContain(bad);
  }
  expect((await refusalOf(() => auth.apiKeys.remove(lasting.id))).code).toBe("not_found");
  expect(auth.apiKeys.list().map((other) => other.id)).toEqual([id]);
});

describe("a key and the account of its maker", () => {
  async function makerAndKey() {
    const { auth } = fixture;
    for (const username of ["root", "ann"]) addUser(fixture, username);
    const ann = auth.users.get("ann");
    const owner = ann?.id ?? "";
    const { key, id } = auth.apiKeys.create({ label: "panel", role: "viewer", createdBy: "ann", owner });
    return { auth, key, id, open: await identified(auth, key) };
  }

  test("it is listed with its owner", async () => {
    const { auth, open } = await makerAndKey();
    expect(auth.apiKeys.list()).toMatchObject([{ ownerName: "ann" }]);
    expect(open.owner).toBe(auth.users.get("ann")?.id as string);
  });

  test.each(["user", "viewer"] as const)("it ends when that becomes a %s, and does not come back", async (role) => {
    const { auth, key, open } = await makerAndKey();
    auth.users.setRole("ann", role);
    expect(auth.stillValid(open)).toBe(false);
    expect((await refusalOf(() => auth.identify(key, STRANGER))).code).toBe("unauthenticated");
    expect(auth.apiKeys.list()).toEqual([]);
    auth.users.setRole("ann", "admin");
    expect((await refusalOf(() => auth.identify(key, STRANGER))).code).toBe("unauthenticated");
  });

  test("it ends with the account, and a new one of that name has nothing of it", async () => {
    const { auth, key, open } = await makerAndKey();
    auth.users.remove("ann");
    expect(auth.stillValid(open)).toBe(false);
    addUser(fixture, "ann");
    expect((await refusalOf(() => auth.identify(key, STRANGER))).code).toBe("unauthenticated");
  });

  test("another process that demotes its owner ends it within 20 ms", async () => {
    const { auth, db, clock, key, open } = { ...(await makerAndKey()), ...fixture };
    db.durable.run("UPDATE users SET role = 'user' WHERE username = 'ann'");
    await clock.advance(21);
    expect(auth.stillValid(open)).toBe(false);
    expect((await refusalOf(() => auth.identify(key, STRANGER))).code).toBe("unauthenticated");
  });

  test("a new password of its owner leaves it, and so does anything with one that has no owner", async () => {
    const { auth, key } = await makerAndKey();
    const orphan = auth.apiKeys.create({ label: "old", role: "admin", createdBy: "ann" });
    await auth.users.setPassword("ann", "another password");
    expect((await identified(auth, key)).role).toBe("viewer");
    auth.users.remove("ann");
    expect((await identified(auth, orphan.key)).role).toBe("admin");
    expect(auth.apiKeys.list()).toMatchObject([{ id: orphan.id, owner: undefined, ownerName: undefined }]);
  });
});

test("labels and lifetimes that are refused", async () => {
  const { apiKeys } = fixture.auth;
  for (const label of ["", "  ", "x".repeat(101)]) {
    expect((await refusalOf(() => apiKeys.create({ label, role: "user", createdBy: "a" }))).code).toBe("invalid");
  }
  for (const expiresInDays of [0, -1, 3651, Number.NaN]) {
    const refusal = await refusalOf(() => apiKeys.create({ label: "x", role: "user", createdBy: "a", expiresInDays }));
    expect(refusal.message).toContain("expires_in_days");
  }
  expect(apiKeys.list()).toEqual([]);
});

test("a whitelisted address is an administrator without a credential", async () => {
  const { auth } = fixture;
  for (const address of ["192.168.1.9", "::ffff:192.168.1.9", "fd12::1%eth0"]) {
    const identity = await identified(auth, undefined, address);
    expect(identity).toMatchObject({ kind: "whitelist", role: "admin", expiresAt: undefined, ver: undefined });
    expect(auth.stillValid(identity)).toBe(true);
  }
  expect((await identified(auth, undefined, "::ffff:192.168.1.9")).name).toBe("192.168.1.9");
  for (const address of ["192.168.2.9", "fe80::1", "127.0.0.1", "", STRANGER]) {
    expect(auth.identify(undefined, address)).toBeUndefined();
  }
});

test("from a whitelisted address too, a bad credential is refused and a good one keeps its role", async () => {
  const { auth } = fixture;
  for (const bad of ["nonsense", "hub_nonsense", ""]) {
    expect((await refusalOf(() => auth.identify(bad, "192.168.1.9"))).code).toBe("unauthenticated");
  }
  const { key } = auth.apiKeys.create({ label: "x", role: "viewer", createdBy: "a" });
  expect((await identified(auth, key, "192.168.1.9")).role).toBe("viewer");
});

test("the number of keys is bounded, and a deleted one frees a place", async () => {
  const { auth, db } = fixture;
  const create = () => auth.apiKeys.create({ label: "x", role: "viewer", createdBy: "ann" });
  const { id } = create();
  db.durable.transaction(() => {
    for (let n = 1; n < 1000; n++) create();
  })();
  expect((await refusalOf(create)).code).toBe("conflict");
  expect(auth.apiKeys.list()).toHaveLength(1000);
  auth.apiKeys.remove(id);
  create();
});
