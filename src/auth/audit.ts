// Who did what from where, bounded in rows and in bytes. Room is shared by fairness: when it is full, whoever has most of it
// gives up their oldest row, so that nobody pushes out what others did by doing something else very often.
import type { Database } from "bun:sqlite";
import type { Clock } from "../core/clock.ts";
import { messageOf } from "../core/errors.ts";
import type { Log } from "../core/log.ts";
import { startWriteBehind } from "../core/write-behind.ts";
import type { StateDb } from "../db/state-db.ts";
import { networkOf } from "./addresses.ts";
import { type AuditQuery, type AuditRow, carryAudit, createAuditStore, type Held, type NewRow } from "./audit-store.ts";

export type { AuditQuery, AuditRow };
export { carryAudit };

export interface AuditActor {
  /** `user`, `api_key`, `whitelist`, `nobody`, `hub`, … */
  kind: string;
  id: string;
  name: string;
}

export interface AuditEntry {
  actor: AuditActor;
  /** Where from; empty where it was no network. */
  address: string;
  /** `rule.change`, `login`, … */
  action: string;
  target?: string;
  outcome: "ok" | "refused" | "failed";
  /** Without secrets. */
  detail?: string;
}

export type Refusal = Omit<AuditEntry, "outcome" | "actor"> & { actor?: AuditActor };

export interface Audit extends Disposable {
  /** On disk when it returns, unless the same actor does the same more than ten times a minute. Never throws. */
  record(entry: AuditEntry): void;
  /** What was not done, by nobody unless somebody is named: the same within ten minutes is one row, written behind. Never throws. */
  refused(entry: Refusal): void;
  /** Newest first. */
  list(query: AuditQuery): AuditRow[];
}

export interface AuditOptions {
  db: StateDb;
  clock: Clock;
  log: Log;
  /** `[auth] audit_rows`. */
  rows: number;
}

const NOBODY: AuditActor = { kind: "nobody", id: "", name: "" };
const FLUSH_MS = 60_000;
const MINUTE_MS = 60_000;
const WINDOW_MS = 600_000;
/** Rows a minute that one actor's doing gets synced, and gets at all; what is more counts in the last one. */
const SYNCED_A_MINUTE = 10;
const ROWS_A_MINUTE = 60;
/** Of one actor; strangers are one together. */
const REFUSALS_A_MINUTE = 20;

export function openAudit({ db, clock, log, rows }: AuditOptions): Audit {
  const store = createAuditStore(db, rows);
  /** Share → how many rows it got in this minute, and the last of them. */
  const minute = new Map<string, { count: number; last: Held | undefined }>();
  /** What was refused lately, by action, address and account. */
  const windows = new Map<string, Held>();
  let minuteBegan = clock.mono();

  const behind = startWriteBehind<Held>({
    clock,
    log,
    periodMs: FLUSH_MS,
    write: store.update,
    what: "the audit log",
    trouble: db.trouble,
  });

  function beginMinute(): void {
    if (clock.mono() - minuteBegan < MINUTE_MS) return;
    minuteBegan = clock.mono();
    minute.clear();
    for (const [key, { since }] of windows) if (clock.mono() - since >= WINDOW_MS) windows.delete(key);
  }

  function insert(into: Database, row: NewRow): Held | undefined {
    try {
      return { ...store.insert(into, row), since: clock.mono() };
    } catch (error) {
      db.trouble.note(error);
      log.error("the audit log cannot be written", {
        action: row.action,
        actor: row.actor.name,
        error: messageOf(error),
      });
      return undefined;
    }
  }

  function again(held: Held): void {
    held.count++;
    held.until = clock.now();
    behind.mark(held);
  }

  return {
    record(entry) {
      beginMinute();
      const row = rowOf(entry, clock.now());
      const lately = minute.get(row.share) ?? { count: 0, last: undefined };
      minute.set(row.share, lately);
      lately.count++;
      if (lately.count > ROWS_A_MINUTE && lately.last) again(lately.last);
      else lately.last = insert(lately.count > SYNCED_A_MINUTE ? db.behind : db.own, row) ?? lately.last;
    },
    refused(entry) {
      beginMinute();
      const { actor = NOBODY, action, target = "", address, detail = "" } = entry;
      const row = rowOf({ ...entry, actor, outcome: "refused" }, clock.now());
      const key = [row.share, target.toLowerCase(), networkOf(address), detail].join("\n");
      const known = windows.get(key);
      if (known) return again(known);
      const lately = minute.get(row.share) ?? { count: 0, last: undefined };
      minute.set(row.share, lately);
      const isOne = lately.count < REFUSALS_A_MINUTE;
      const others = windows.get(row.share);
      if (!isOne && others) return again(others);
      lately.count++;
      const held = insert(
        db.behind,
        isOne ? row : rowOf({ actor, action, address: "", outcome: "refused", detail: "many others" }, row.at),
      );
      if (held) windows.set(isOne ? key : row.share, held);
    },
    list(query) {
      behind.flush();
      return store.list(query);
    },
    [Symbol.dispose]: () => behind[Symbol.dispose](),
  };
}

/** One entry from a command beside the hub. Throws what the database throws. */
export function recordOnce(db: StateDb, at: number, entry: AuditEntry): void {
  createAuditStore(db, Number.POSITIVE_INFINITY).insert(db.own, rowOf(entry, at));
}

function rowOf({ actor, address, action, target = "", outcome, detail = "" }: AuditEntry, at: number): NewRow {
  // What was refused has a share of its own: trying is not doing.
  const share = clip(`${actor.kind} ${actor.id} ${action}${outcome === "refused" ? " refused" : ""}`, 200);
  return {
    at,
    actor: { kind: actor.kind, id: clip(actor.id, 100), name: clip(actor.name, 100) },
    address: clip(address, 64),
    action,
    target: clip(target, 200),
    outcome,
    detail: clip(detail, 400),
    share,
  };
}

// In characters; so no row is larger than some four kilobytes.
function clip(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, most - 1)}…`;
}
