// Exports to PostgreSQL as far as that needs no real one, which test/interop/export.ts has: what is said to it, and what is made of
// each kind of its answers.
import { expect, test } from "bun:test";
import { createExportRig } from "./export-rig.ts";
import { type Reply, type Statement, startPostgresServer } from "./postgres-server.ts";

const to = (url: string, more: object = {}) => ({
  ...{ name: "pg", kind: "postgres", url, username: "hub", password: "s3cret", interval_secs: 1 },
  ...more,
});
const FOUND = { version: "150000", made: "t", timescale: null };
/** A server of this kind; `insert` answers what writes rows. */
const as =
  (found: Record<string, string | null>, insert: (statement: Statement) => Reply = () => []) =>
  (statement: Statement): Reply =>
    statement.text.includes("server_version_num")
      ? [found]
      : statement.text.startsWith("INSERT") && statement.parameters.length > 0
        ? insert(statement)
        : [];
const rowsIn = ({ parameters }: Statement) => JSON.parse(parameters[0] ?? "[]") as Record<string, unknown>[];
const inserted = (statements: readonly Statement[]) =>
  statements.filter(({ text }) => text.startsWith("INSERT")).flatMap(rowsIn);

test("each kind of value goes into its column, as one parameter; what PostgreSQL cannot store is replaced", async () => {
  await using rig = await createExportRig();
  await using server = await startPostgresServer();
  server.answer = as(FOUND);
  const exports = await rig.start(to(server.url));
  const t = rig.history.clock.now();
  const list = ["x\0y", 1];
  rig.history.report("lamp", { on: true, level: 4.5, mode: "a\0b", list, pin_code: 1 });
  await rig.pass("they are sent", () => exports.list()[0]?.sent === 4);
  const row = { t, d: "lamp", n: 0, r: "kitchen", p: "zigbee" };
  expect(inserted(server.statements).sort((a, b) => String(a.a).localeCompare(String(b.a)))).toEqual([
    { ...row, a: "level", v: 4.5 },
    { ...row, a: "list", j: ["x\ufffdy", 1] },
    { ...row, a: "mode", s: "a\ufffdb" },
    { ...row, a: "on", b: true },
  ]);
  expect(server.statements.every(({ text }) => !text.includes("CREATE"))).toBe(true);
  rig.history.report("lamp", { on: true, level: 4.5, list, pin_code: 1 });
  await rig.pass("the removed one as well", () => exports.list()[0]?.sent === 5);
  expect(inserted(server.statements).at(-1)).toEqual({ ...row, t: expect.any(Number), a: "mode" });
});

test.each([
  [null, false],
  ["t", true],
])("a missing table is made, with TimescaleDB as a hypertable: %p", async (timescale, isHyper) => {
  await using rig = await createExportRig();
  await using server = await startPostgresServer();
  server.answer = as({ ...FOUND, made: null, timescale });
  const exports = await rig.start(to(server.url, { table: "house.history" }));
  rig.history.report("lamp", { on: true });
  await rig.pass("it is sent", () => exports.list()[0]?.sent === 1);
  const texts = server.statements.map(({ text }) => text);
  expect(texts.some((text) => text.includes('CREATE TABLE IF NOT EXISTS "house"."history"'))).toBe(true);
  expect(texts.some((text) => text.includes("create_hypertable"))).toBe(isHyper);
  expect(rig.log()).toContain("hub export backfill");
});

test.each([
  ["28P01", "password authentication failed", 'does not accept the user "hub" with this password'],
  ["3D000", "database does not exist", 'has no database "house": make it'],
  ["57P03", "the database system is starting up", "the database system is starting up"],
])("a login that is refused says what to do: %s", async (state, message, says) => {
  await using rig = await createExportRig();
  await using server = await startPostgresServer();
  server.answer = as(FOUND);
  server.refusal = { state, message };
  const exports = await rig.start(to(server.url));
  rig.history.report("lamp", { on: true });
  await rig.pass("it says so", () => exports.list()[0]?.problem !== undefined);
  expect(exports.list()[0]?.problem).toContain(says);
  expect(rig.log() + JSON.stringify(exports.list())).not.toContain("s3cret");
  server.refusal = undefined;
  await rig.pass("it is sent", () => exports.list()[0]?.sent === 1, 5000);
});

test.each([
  ["42501", "permission denied for schema public", "does not let this user do it"],
  ["42703", 'column "seq" does not exist', "with other columns: give table another name"],
  ["53100", "could not extend file: No space left", "No space left"],
])("a statement that is refused keeps everything for later: %s", async (state, message, says) => {
  await using rig = await createExportRig();
  await using server = await startPostgresServer();
  let isWrong = true;
  server.answer = as(FOUND, () => (isWrong ? { state, message } : []));
  const exports = await rig.start(to(server.url));
  rig.history.report("lamp", { on: true });
  await rig.pass("it says so", () => exports.list()[0]?.problem !== undefined);
  expect(exports.list()[0]?.problem).toContain(says);
  isWrong = false;
  await rig.pass("it is sent", () => exports.list()[0]?.sent === 1, 5000);
  expect(exports.list()[0]).toMatchObject({ dropped: 0, problem: undefined });
});

test("a value that cannot be stored is left out alone, over the same connection", async () => {
  await using rig = await createExportRig();
  await using server = await startPostgresServer();
  server.answer = as(FOUND, (statement) =>
    rowsIn(statement).some(({ a }) => a === "bad") ? { state: "22003", message: "value out of range" } : [],
  );
  const exports = await rig.start(to(server.url));
  rig.history.report("lamp", { on: true, bad: 1e300, level: 1 });
  await rig.pass("the others are sent", () => exports.list()[0]?.sent === 2);
  expect(exports.list()[0]).toMatchObject({ dropped: 1, state: "running" });
  expect(server.logins).toBe(1);
});

test("a table that is gone is made anew, and a connection that is cut is opened again", async () => {
  await using rig = await createExportRig();
  await using server = await startPostgresServer();
  let isThere = false;
  server.answer = (statement) => {
    if (statement.text.includes("CREATE TABLE")) isThere = true;
    return as({ ...FOUND, made: isThere ? "t" : null }, () =>
      isThere ? [] : { state: "42P01", message: "relation does not exist" },
    )(statement);
  };
  const exports = await rig.start(to(server.url));
  rig.history.report("lamp", { level: 1 });
  await rig.pass("one is sent", () => exports.list()[0]?.sent === 1, 2000);
  isThere = false;
  rig.history.report("lamp", { level: 2 });
  await rig.pass("two are sent", () => exports.list()[0]?.sent === 2, 2000);
  expect(isThere).toBe(true);
  server.cut();
  rig.history.report("lamp", { level: 3 });
  await rig.pass("three are sent", () => exports.list()[0]?.sent === 3, 2000);
  expect(server.logins).toBe(3);
});

test("one that is too old, or has no TLS although that is wanted, is refused in so many words", async () => {
  await using rig = await createExportRig();
  await using server = await startPostgresServer();
  server.answer = as({ ...FOUND, version: "90600" });
  const exports = await rig.start(to(server.url), to(`${server.url}?sslmode=require`, { name: "tls" }));
  rig.history.report("lamp", { on: true });
  await rig.pass("both say so", () => exports.list().every(({ problem }) => problem !== undefined));
  const [old, tls] = exports.list();
  expect(old?.problem).toContain("is older than PostgreSQL 11");
  expect(tls?.problem).toContain("has no TLS: turn it on there, or leave out ca and sslmode");
});
