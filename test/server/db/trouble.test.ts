// Everything that writes to the state database reports failed writes: the alert about the disk depends on it.
import { describe, expect, test } from "bun:test";
import { openRegistry } from "../../../src/house/state/registry.ts";
import { openVariables } from "../../../src/house/state/variables.ts";
import { silentLog } from "../../../src/kit/lifecycle/log.ts";
import { openRuleStore } from "../../../src/rules/engine/store.ts";
import { openAudit } from "../../../src/server/auth/audit.ts";
import { LoginSessions } from "../../../src/server/auth/login-sessions.ts";
import { createMeta } from "../../../src/server/db/meta.ts";
import { openStateDb, type StateDb } from "../../../src/server/db/state-db.ts";
import { createTemporaryFolder } from "../../support/temporary-folder.ts";
import { createVirtualClock, type VirtualClock } from "../../support/virtual-clock.ts";

const log = silentLog;
const HOUR_MS = 3_600_000;
type Writer = (db: StateDb, clock: VirtualClock) => () => void;

const WRITERS: Record<string, Writer> = {
  "small values": (db) => () => createMeta(db).set("a", "1"),
  "the audit log": (db, clock) => {
    const audit = openAudit({ db, clock, log, rows: 100 });
    const actor = { kind: "user", id: "1", name: "anna" };
    return () => audit.record({ actor, address: "", action: "login", outcome: "ok" });
  },
  "refusals in the audit log": (db, clock) => {
    const audit = openAudit({ db, clock, log, rows: 100 });
    return () => audit.refused({ address: "", action: "login" });
  },
  logins: (db, clock) => {
    const sessions = new LoginSessions({ db, clock, log, endAll() {} });
    const claims = { session: "s", userId: "u", ver: 1, expiresAt: clock.now() + HOUR_MS };
    return () => sessions.begin(claims, { address: "", userAgent: "" });
  },
  "states of devices": (db, clock) => {
    const registry = openRegistry({ db, clock, log, emit() {}, flushSecs: 1 });
    registry.state("door", { open: true }, { pluginId: "p", partial: false });
    return () => registry.state("door", { open: false }, { pluginId: "p", partial: false });
  },
  variables: (db, clock) => {
    const variables = openVariables({ db, clock, log, emit() {}, flushSecs: 1 });
    return () => variables.set("a", 1, { deferred: true });
  },
  "behind state of rules": (db, clock) => {
    const store = openRuleStore({ db, clock, log, flushMs: 1000 });
    return () => store.saveMark({ id: "a", at: 1 });
  },
  "durable state of rules": (db, clock) => {
    const store = openRuleStore({ db, clock, log, flushMs: 1000 });
    return () =>
      store.saveStateNow({ rule_id: "a", last_fired_at: 1, fire_count: 1, paused_at: null, paused_ms: null });
  },
};

describe("a disk that cannot be written is reported by", () => {
  test.each(Object.entries(WRITERS))("%s", async (_name, prepare) => {
    using folder = createTemporaryFolder();
    const clock = createVirtualClock();
    const codes: unknown[] = [];
    const note = (error: unknown): void => void codes.push((error as { code?: unknown }).code);
    using db = openStateDb(folder.at("state.redb"), clock.now, { note });
    const write = prepare(db, clock);
    await clock.advance(2000);
    expect(codes).toEqual([]);
    for (const one of [db.durable, db.relaxed]) one.run("PRAGMA query_only = ON");
    try {
      write();
    } catch {
      // Some also throw.
    }
    await clock.advance(60_000);
    expect(codes).toContain("SQLITE_READONLY");
    for (const one of [db.durable, db.relaxed]) one.run("PRAGMA query_only = OFF");
  });
});
