// Accounts: names, roles, versions, the last administrator, and another process at the same file.
import { afterEach, beforeEach, expect, test } from "bun:test";
import { resetPassword } from "../../../src/server/auth/login.ts";
import { createUsers } from "../../../src/server/auth/users.ts";
import { connect } from "../../../src/server/db/open.ts";
import { openStateDb } from "../../../src/server/db/state-db.ts";
import {
  type AuthFixture,
  everythingIn,
  identified,
  openAuth,
  PASSWORD,
  random,
  refusalOf,
  STRANGER,
} from "./auth-fixture.ts";

let fixture: AuthFixture;
beforeEach(() => {
  fixture = openAuth();
});
afterEach(() => fixture[Symbol.dispose]());

test("create, list, get, remove", async () => {
  const { auth, clock } = fixture;
  const ann = await auth.users.create({ username: "Ann", password: PASSWORD, role: "admin" });
  expect(ann).toMatchObject({ username: "Ann", role: "admin", ver: 1, createdAt: clock.now() });
  await auth.users.create({ username: "bob@home.example", password: PASSWORD, role: "viewer" });
  expect(auth.users.list().map(({ username }) => username)).toEqual(["Ann", "bob@home.example"]);
  expect(auth.users.get("ann")).toEqual(ann);
  auth.users.remove("BOB@home.example");
  expect(auth.users.list()).toHaveLength(1);
  expect(JSON.stringify(auth.users.list())).not.toContain("argon2");
  expect((await refusalOf(() => auth.users.remove("bob@home.example"))).code).toBe("not_found");
  expect((await refusalOf(() => auth.users.setRole("nobody", "user"))).code).toBe("not_found");
  expect((await refusalOf(() => auth.users.setPassword("nobody", PASSWORD))).code).toBe("not_found");
});

test("names that are taken or not allowed, passwords that are too short", async () => {
  const { auth } = fixture;
  await auth.users.create({ username: "ann", password: PASSWORD, role: "user" });
  expect((await refusalOf(() => auth.users.create({ username: "ANN", password: PASSWORD, role: "user" }))).code).toBe(
    "conflict",
  );
  for (const username of ["", "x".repeat(65), "two words", "ann\n", "änn", "a/b"]) {
    expect((await refusalOf(() => auth.users.create({ username, password: PASSWORD, role: "user" }))).code).toBe(
      "invalid",
    );
  }
  const error = await refusalOf(() => auth.users.create({ username: "bob", password: "hunter2", role: "user" }));
  expect(error.code).toBe("invalid");
  expect(everythingIn(error)).not.toContain("hunter2");
});

test("role and password changes raise the version, the same role does not", async () => {
  const { auth } = fixture;
  await auth.users.create({ username: "ann", password: PASSWORD, role: "user" });
  expect(auth.users.setRole("ann", "user").ver).toBe(1);
  expect(auth.users.setRole("ann", "viewer")).toMatchObject({ role: "viewer", ver: 2 });
  expect((await auth.users.setPassword("ann", "another password")).ver).toBe(3);
});

test("the last administrator cannot be removed or demoted", async () => {
  const { auth } = fixture;
  await auth.users.create({ username: "ann", password: PASSWORD, role: "admin" });
  await auth.users.create({ username: "bob", password: PASSWORD, role: "user" });
  expect((await refusalOf(() => auth.users.remove("ann"))).code).toBe("conflict");
  expect((await refusalOf(() => auth.users.setRole("ann", "viewer"))).code).toBe("conflict");
  expect(auth.users.get("ann")).toMatchObject({ role: "admin", ver: 1 });
  auth.users.setRole("bob", "admin");
  auth.users.remove("ann");
  expect((await refusalOf(() => auth.users.remove("bob"))).code).toBe("conflict");
});

test("two connections that demote each other's administrator leave one", async () => {
  const { auth, path, clock } = fixture;
  for (const username of ["ann", "bob"]) await auth.users.create({ username, password: PASSWORD, role: "admin" });
  const other = connect(path, "full");
  const elsewhere = createUsers(other, random, () => clock.now());
  const outcomes = await Promise.allSettled([
    (async () => auth.users.setRole("ann", "user"))(),
    (async () => elsewhere.setRole("bob", "user"))(),
  ]);
  other.close();
  expect(outcomes.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
  expect(auth.users.list().filter(({ role }) => role === "admin")).toHaveLength(1);
});

test("processes that remove all administrators at the same moment leave one", async () => {
  const { auth, path } = fixture;
  const names = ["a", "b", "c", "d"];
  for (const username of names) await auth.users.create({ username, password: PASSWORD, role: "admin" });
  const room = (file: string): string => JSON.stringify(`${import.meta.dir}/../../../src/${file}`);
  const script = `
    import { createUsers } from ${room("server/auth/users.ts")};
    import { connect } from ${room("server/db/open.ts")};
    const [path, name] = process.argv.slice(-2);
    const db = connect(path, "full");
    const users = createUsers(db, (n) => new Uint8Array(n), () => 0);
    process.stdout.write("ready");
    await Bun.stdin.text();
    try { users.remove(name); } catch (error) { process.exitCode = error.code === "conflict" ? 7 : 1; }
    db.close();`;
  const children = names.map((name) =>
    Bun.spawn([process.execPath, "-e", script, path, name], { stdin: "pipe", stdout: "pipe", stderr: "inherit" }),
  );
  for (const child of children) await child.stdout.getReader().read();
  for (const child of children) await child.stdin.end();
  const codes = await Promise.all(children.map((child) => child.exited));
  expect(codes.sort()).toEqual([0, 0, 0, 7]);
  expect(auth.users.list()).toHaveLength(1);
});

test("the first administrator is made once, also when asked twice at the same time", async () => {
  const { auth } = fixture;
  const made: { username: string; password: string }[] = [];
  const show = (credentials: (typeof made)[number]) => void made.push(credentials);
  await Promise.all([auth.ensureAdministrator(show), auth.ensureAdministrator(show)]);
  expect(made).toHaveLength(1);
  expect(made[0]?.username).toBe("admin");
  expect(made[0]?.password).toMatch(/^[a-zA-Z2-9]{16}$/);
  await auth.ensureAdministrator(show);
  expect(made).toHaveLength(1);
  const { token, user } = await auth.login("admin", made[0]?.password ?? "", STRANGER);
  expect(user.role).toBe("admin");
  expect(await identified(auth, token)).toMatchObject({ kind: "user", name: "admin", role: "admin" });
});

test("resetPassword from another process ends the tokens of a running hub", async () => {
  const { auth, path, clock } = fixture;
  await auth.users.create({ username: "ann", password: PASSWORD, role: "viewer" });
  const { token } = await auth.login("ann", PASSWORD, STRANGER);
  const before = await identified(auth, token);
  using other = openStateDb(path, () => clock.now());
  expect(await resetPassword(other, "ann", "a new password", { clock, random })).toEqual({ created: false });
  await clock.advance(21);
  expect(auth.stillValid(before)).toBe(false);
  expect((await refusalOf(() => auth.identify(token, STRANGER))).code).toBe("unauthenticated");
  expect((await auth.login("ann", "a new password", STRANGER)).user.role).toBe("viewer");
  expect(await resetPassword(other, "admin", "the way back in", { clock, random })).toEqual({ created: true });
  expect((await auth.login("admin", "the way back in", STRANGER)).user.role).toBe("admin");
  expect((await refusalOf(() => resetPassword(other, "admin", "short", { clock, random }))).code).toBe("invalid");
  expect((await refusalOf(() => resetPassword(other, "no good", PASSWORD, { clock, random }))).code).toBe("invalid");
});

test("the printed password counts as replaced at once, and within 20 ms where another process replaced it", async () => {
  const { auth, path, clock } = fixture;
  using other = openStateDb(path, () => clock.now());
  await auth.ensureAdministrator(() => {});
  expect(auth.hasInitialPassword("admin")).toBe(true);
  await resetPassword(other, "admin", "from another process", { clock, random });
  await clock.advance(21);
  expect(auth.hasInitialPassword("admin")).toBe(false);

  using house = openAuth();
  await house.auth.ensureAdministrator(() => {});
  expect(house.auth.hasInitialPassword("admin")).toBe(true);
  await house.auth.users.setPassword("admin", PASSWORD);
  expect(house.auth.hasInitialPassword("admin")).toBe(false);
});

test("the number of users is bounded, and a removed one frees a place", () => {
  const { db, clock } = fixture;
  const users = createUsers(db.durable, random, () => clock.now());
  const create = (n: number) => users.create({ username: `user_${n}`, passwordHash: "x", role: "viewer" });
  db.durable.transaction(() => {
    for (let n = 0; n < 1000; n++) create(n);
  })();
  expect(() => create(1000)).toThrow(expect.objectContaining({ code: "conflict" }));
  expect(users.count()).toBe(1000);
  users.remove("user_7");
  expect(create(1000).username).toBe("user_1000");
});
