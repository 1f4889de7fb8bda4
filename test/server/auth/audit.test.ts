// The audit log: what is kept when there is too much, what it costs, and what is never written to it.
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { silentLog } from "../../../src/kit/lifecycle/log.ts";
import { type Audit, type AuditEntry, openAudit } from "../../../src/server/auth/audit.ts";
import { type AuthFixture, addUser, openAuth, PASSWORD, refusalOf, STRANGER } from "./auth-fixture.ts";

let fixture: AuthFixture;
let audit: Audit;
beforeEach(() => {
  fixture = openAuth();
  audit = open(1000);
});
afterEach(() => {
  audit[Symbol.dispose]();
  fixture[Symbol.dispose]();
});

const open = (rows: number): Audit => openAudit({ db: fixture.db, clock: fixture.clock, log: silentLog, rows });
const all = (from = audit) => from.list({ limit: 1_000_000 });
const act = (name: string, entry: Partial<AuditEntry> = {}): AuditEntry => ({
  actor: { kind: "user", id: `id of ${name}`, name },
  address: "192.0.2.1",
  action: "rule.change",
  outcome: "ok",
  ...entry,
});
const guess = (number: number) => ({
  action: "login",
  target: number % 3 === 0 ? "admin" : "(unknown)",
  address: `198.51.${(number >> 8) & 255}.${number & 255}`,
  detail: "wrong username or password",
});

test("100,000 refused logins from everywhere push out nothing else, and cost few writes", async () => {
  const { clock, db } = fixture;
  for (let rule = 0; rule < 50; rule++) {
    audit.record(act("ann", { target: `rule ${rule}` }));
    await clock.advance(10_000);
  }
  const changes = () => db.relaxed.query<{ n: number }, []>("SELECT total_changes() AS n").get()?.n ?? 0;
  const before = changes();
  for (let number = 0; number < 100_000; number++) {
    audit.refused(guess(number));
    if (number % 100 === 99) await clock.advance(6000);
  }
  const rows = all();
  expect(rows.length).toBeLessThanOrEqual(1000);
  expect(rows.filter(({ actor }) => actor.name === "ann")).toHaveLength(50);
  const refused = rows.filter(({ outcome }) => outcome === "refused");
  expect(refused[0]).toMatchObject({ action: "login", actor: { kind: "nobody" } });
  // Each of the hundred minutes: at most 20 new rows, as many dropped ones, and the counts of those open.
  expect(changes() - before).toBeLessThan(100 * 300);
  const bytes = db.durable
    .query<{ n: number }, []>("SELECT page_count * page_size AS n FROM pragma_page_count, pragma_page_size")
    .get();
  expect(bytes?.n ?? 0).toBeLessThan(2_000_000);
});

test("100,000 guesses at one account from one address are counted in one row for every ten minutes", async () => {
  for (let number = 0; number < 100_000; number++) {
    audit.refused({ ...guess(0), address: STRANGER });
    if (number % 1000 === 999) await fixture.clock.advance(12_000);
  }
  const rows = all();
  expect(rows.length).toBeLessThanOrEqual(3);
  expect(rows.reduce((sum, { count }) => sum + count, 0)).toBe(100_000);
});

test("an actor who does one thing very often pushes out only rows of that", async () => {
  audit.record(act("ann", { action: "user.create", target: "eve" }));
  audit.record(act("eve", { action: "login" }));
  for (let number = 0; number < 3000; number++) {
    audit.record(act("eve", { action: "device.command", target: `${number}` }));
    if (number % 50 === 49) await fixture.clock.advance(60_000);
  }
  const rows = all();
  expect(rows).toHaveLength(1000);
  expect(rows.slice(-2).map(({ action }) => action)).toEqual(["login", "user.create"]);
});

test("what one actor does more than sixty times a minute is counted in one row", async () => {
  for (let number = 0; number < 1000; number++) audit.record(act("ann", { target: `${number}` }));
  const rows = all();
  expect(rows).toHaveLength(60);
  expect(rows[0]).toMatchObject({ target: "59", count: 941 });
});

test("actions are in the file at once, refusals after a clean stop", () => {
  audit.record(act("ann", { target: "front door" }));
  audit.refused(guess(0));
  audit.refused(guess(0));
  expect(all(open(1000))).toMatchObject([{ count: 1 }, { target: "front door", address: "192.0.2.1" }]);
  audit[Symbol.dispose]();
  audit = open(1000);
  expect(all()).toMatchObject([{ outcome: "refused", count: 2 }, { actor: { name: "ann" } }]);
});

test("a smaller limit removes the oldest rows at the next start", () => {
  for (const name of ["ann", "bob"]) for (let n = 0; n < 55; n++) audit.record(act(name, { target: `${n}` }));
  audit[Symbol.dispose]();
  audit = open(100);
  const rows = all();
  expect(rows).toHaveLength(100);
  expect(rows.filter(({ actor }) => actor.name === "ann").at(-1)?.target).toBe("5");
});

test("filters and pages", () => {
  audit.record(act("ann", { action: "rule.run" }));
  audit.record(act("bob", { action: "rule.change" }));
  audit.record(act("ann", { action: "ruleless" }));
  const ids = all().map(({ id }) => id);
  const actions = (query: object) => audit.list({ limit: 10, ...query }).map(({ action }) => action);
  expect(actions({ action: "rule" })).toEqual(["rule.change", "rule.run"]);
  expect(actions({ actor: "ANN" })).toEqual(["ruleless", "rule.run"]);
  expect(actions({ actor: "id of bob" })).toEqual(["rule.change"]);
  expect(actions({ before: ids[0] })).toEqual(["rule.change", "rule.run"]);
  expect(actions({ since: ids[1] })).toEqual(["ruleless"]);
  expect(audit.list({ limit: 1 })).toHaveLength(1);
});

test("long texts are cut", () => {
  const long = "x".repeat(100_000);
  audit.record(act(long, { target: long, detail: long, address: long }));
  expect(JSON.stringify(all()).length).toBeLessThan(1500);
});

test("a file that cannot be written stops nobody", () => {
  fixture.db.durable.run("ALTER TABLE audit RENAME TO elsewhere");
  audit.record(act("ann"));
  audit.refused(guess(1));
  fixture.db.durable.run("ALTER TABLE elsewhere RENAME TO audit");
  audit.record(act("ann", { target: "again" }));
  expect(all()).toMatchObject([{ target: "again" }]);
});

describe("logins", () => {
  test("successes and refusals are recorded; an unknown name is not written down", async () => {
    const { auth } = fixture;
    addUser(fixture, "ann");
    await auth.login("ann", PASSWORD, "192.0.2.9", "curl/8");
    await refusalOf(() => auth.login("ANN", "wrong password", STRANGER));
    await refusalOf(() => auth.login("my secret password", "x", STRANGER));
    for (let tries = 0; tries < 10; tries++) await refusalOf(() => auth.login("ann", "wrong again", STRANGER));
    const rows = fixture.audit.list({ limit: 10 });
    expect(rows.map(({ target, outcome, detail, count }) => [target, outcome, detail, count])).toEqual([
      ["ann", "refused", "too many failed logins from this address", 7],
      ["(unknown)", "refused", "wrong username or password", 1],
      ["ann", "refused", "wrong username or password", 4],
      ["ann", "ok", "curl/8", 1],
    ]);
    expect(rows[0]).toMatchObject({ address: STRANGER, actor: { kind: "nobody", name: "" } });
    expect(rows.at(-1)).toMatchObject({ address: "192.0.2.9", actor: { kind: "user", name: "ann" } });
    const written = JSON.stringify(fixture.db.durable.query("SELECT * FROM audit").all());
    for (const secret of ["my secret password", "wrong again", PASSWORD]) expect(written).not.toContain(secret);
  });
});
