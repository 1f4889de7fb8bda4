// The audit log: who did what from where, bounded in rows and in bytes. When it is full, the largest share loses its oldest
// row, so that nobody can push out the rows of others by doing something very often.
import type { Database } from "bun:sqlite";
import { startWriteBehind } from "../../kit/files/write-behind.ts";
import type { Log } from "../../kit/lifecycle/log.ts";
import { messageOf } from "../../kit/schema/errors.ts";
import { networkOf } from "../../kit/text/addresses.ts";
import type { Clock } from "../../kit/time/clock.ts";
import type { StateDb } from "../db/state-db.ts";
import {
  type AuditQuery,
  type AuditRow,
  createAuditStore,
  mergeAudit,
  type NewRow,
  type OpenRow,
} from "./audit-store.ts";

export type { AuditQuery, AuditRow };
export { mergeAudit };

export interface AuditActor {
  /** `user`, `api_key`, `whitelist`, `nobody`, `hub`, … */
  kind: string;
  id: string;
  name: string;
}

export interface AuditEntry {
  actor: AuditActor;
  /** The network address; empty for what did not come over the network. */
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
  /**
   * Something that was refused, to nobody unless an actor is given. Repetitions within ten minutes are counted in one row,
   * which is written behind. Never throws.
   */
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

/** The target of a login under a name that no account has. The name itself is not recorded: people type passwords there. */
export const UNKNOWN_ACCOUNT = "(unknown)";

const NOBODY: AuditActor = { kind: "nobody", id: "", name: "" };
const FLUSH_MS = 60_000;
const MINUTE_MS = 60_000;
const WINDOW_MS = 600_000;
/** Rows a minute for one actor and action that are synced to disk, and rows at all; more only raise the count of the last row. */
const SYNCED_A_MINUTE = 10;
const ROWS_A_MINUTE = 60;
/** Rows a minute for one actor and action; all strangers together are one actor. */
const REFUSALS_A_MINUTE = 20;

export function openAudit({ db, clock, log, rows }: AuditOptions): Audit {
  const store = createAuditStore(db, rows);
  /** Share → how many entries it had in this minute, and its last row. */
  const thisMinute = new Map<string, { count: number; last: OpenRow | undefined }>();
  /** Rows of refusals of the last ten minutes, by share, target, network and detail. */
  const refusals = new Map<string, OpenRow>();
  let minuteStartedAt = clock.mono();

  const writeBehind = startWriteBehind<OpenRow>({
    clock,
    log,
    periodMs: FLUSH_MS,
    write: store.update,
    what: "the audit log",
    trouble: db.trouble,
  });

  function startMinuteIfDue(): void {
    if (clock.mono() - minuteStartedAt < MINUTE_MS) return;
    minuteStartedAt = clock.mono();
    thisMinute.clear();
    for (const [key, { since }] of refusals) if (clock.mono() - since >= WINDOW_MS) refusals.delete(key);
  }

  function minuteOf(share: string): { count: number; last: OpenRow | undefined } {
    const minute = thisMinute.get(share) ?? { count: 0, last: undefined };
    thisMinute.set(share, minute);
    return minute;
  }

  function insert(into: Database, row: NewRow): OpenRow | undefined {
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

  function countAgain(row: OpenRow): void {
    row.count++;
    row.until = clock.now();
    writeBehind.mark(row);
  }

  return {
    record(entry) {
      startMinuteIfDue();
      const row = rowOf(entry, clock.now());
      const minute = minuteOf(row.share);
      minute.count++;
      if (minute.count > ROWS_A_MINUTE && minute.last) countAgain(minute.last);
      else minute.last = insert(minute.count > SYNCED_A_MINUTE ? db.relaxed : db.own, row) ?? minute.last;
    },
    refused(entry) {
      startMinuteIfDue();
      const { actor = NOBODY, action, target = "", address, detail = "" } = entry;
      const row = rowOf({ ...entry, actor, outcome: "refused" }, clock.now());
      const key = [row.share, target.toLowerCase(), networkOf(address), detail].join("\n");
      const known = refusals.get(key);
      if (known) return countAgain(known);
      const minute = minuteOf(row.share);
      const hasOwnRow = minute.count < REFUSALS_A_MINUTE;
      const others = refusals.get(row.share);
      if (!hasOwnRow && others) return countAgain(others);
      minute.count++;
      const inserted = insert(
        db.relaxed,
        hasOwnRow ? row : rowOf({ actor, action, address: "", outcome: "refused", detail: "many others" }, row.at),
      );
      if (inserted) refusals.set(hasOwnRow ? key : row.share, inserted);
    },
    list(query) {
      writeBehind.flush();
      return store.list(query);
    },
    [Symbol.dispose]: () => writeBehind[Symbol.dispose](),
  };
}

/** One entry written by a command of the command line. Throws what the database throws. */
export function recordOnce(db: StateDb, at: number, entry: AuditEntry): void {
  createAuditStore(db, Number.POSITIVE_INFINITY).insert(db.own, rowOf(entry, at));
}

function rowOf({ actor, address, action, target = "", outcome, detail = "" }: AuditEntry, at: number): NewRow {
  // Refusals have a share of their own, so that they cannot push out what the actor did.
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

// In characters, so that no row is larger than about four kilobytes.
function clip(text: string, maxLength: number): string {
  return text.length <= maxLength ? text : `${text.slice(0, maxLength - 1)}…`;
}
