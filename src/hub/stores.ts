// The stores a hub stands on: the lock of its home, the state database, the events, the users.
import type { Finding } from "../alerts/alert.ts";
import { databaseLost, HISTORY_LOST, UNCLEAN_STOP } from "../alerts/watches/process.ts";
import { type Audit, openAudit } from "../auth/audit.ts";
import { type Auth, createAuth } from "../auth/auth.ts";
import { mendOfLoss, type Traces, tracesOf } from "../backup/lost-state.ts";
import { settleDatabases } from "../backup/settle-databases.ts";
import type { HubConfig } from "../config/sections.ts";
import { createLimitReports, type LimitReports } from "../core/limits.ts";
import { createStorageTrouble, STORAGE_TEXTS, type StorageTrouble } from "../core/storage-fault.ts";
import { createWriteBudget, type WriteBudget } from "../core/write-budget.ts";
import { createMeta } from "../db/meta.ts";
import { stateMigrations } from "../db/migrations/index.ts";
import { openStateDb, type StateDb } from "../db/state-db.ts";
import { createEventFeed, type EventFeed } from "../events/feed.ts";
import { historyMigrations } from "../history/migrations/index.ts";
import type { HomeLock } from "../home/lock.ts";
import { bytesWritten } from "../system/bytes-written.ts";
import { auditStart, keepAuditOverRestore } from "./audit.ts";
import { keepCopy } from "./disk-recovery.ts";
import type { HubOptions } from "./options.ts";

/** How new the databases of this hub are. */
export const databaseSchemas = { state: stateMigrations.length, history: historyMigrations.length };

const EVENT_LIMITS = { event: "the size of an event", buffer: "[events] buffer_mb" } as const;

export interface Stores {
  db: StateDb;
  feed: EventFeed;
  auth: Auth;
  audit: Audit;
  budget: WriteBudget;
  limits: LimitReports;
  trouble: StorageTrouble;
  /** What the start itself found. */
  found: readonly Finding[];
}

/** The home is locked. */
export async function openStores(
  options: HubOptions,
  lock: Pick<HomeLock, "wasLeftLocked">,
  stack: AsyncDisposableStack,
): Promise<Stores> {
  const { config, home, log, edge } = options;
  const { clock, random } = edge;
  const traces = tracesOf(home, config.backup.directory);
  // Before anything opens them: files may have been placed by hand beside what a killed hub left.
  settleDatabases({ home, random, now: clock.now(), log, schemas: databaseSchemas });
  const trouble = createStorageTrouble(clock, home.data);
  const db = stack.use(openStateDb(home.stateDb, clock.now, trouble));
  if (db.setAside)
    log.error("the state database was damaged; it was set aside and a new one begun", { kept_as: db.setAside });
  if (db.copy) {
    const { what, mend } = STORAGE_TEXTS[db.copy.fault];
    log.error(`${what}: the hub runs from a copy in memory, and takes no changes`, { mend });
    // Behind everything that writes into the copy while it ends.
    const { copy } = db;
    stack.defer(() => keepCopy(copy, log));
  }
  const meta = createMeta(db);
  const mark = {
    // Not a number, it would make every later one none.
    load: () => Number(meta.get("event_seq") ?? 0) || 0,
    save: (seq: number) => meta.set("event_seq", String(seq)),
  };
  const feed = createEventFeed({
    clock,
    log: log.child("events"),
    buffer: config.events.buffer,
    bufferBytes: config.events.buffer_mb * 1_048_576,
    mark,
    onTooLarge: (limit, message) => limits.reached({ limit: EVENT_LIMITS[limit], account: "all", message }),
  });
  const authLog = log.child("auth");
  const kept = { home, db, meta, log: authLog };
  keepAuditOverRestore(kept);
  const audit = stack.use(openAudit({ db, clock, log: authLog, rows: config.auth.audit_rows }));
  const auth = stack.use(createAuth({ config: config.auth, db, clock, random, log: authLog, audit }));
  auditStart(kept, audit);
  const found = [...(lock.wasLeftLocked ? [UNCLEAN_STOP] : []), ...lossOf(options, { db, auth, traces })];
  if (traces.historyGone && config.history.enabled) found.push(HISTORY_LOST);
  // Whoever lost a house is not given a new one as if nothing had happened.
  const isNew = !traces.ofHub && db.setAside === undefined && db.copy === undefined;
  if (isNew) await auth.ensureAdministrator(options.onFirstAdministrator);
  const budget = stack.use(createWriteBudget({ clock, bytesPerDay: diskLimit(config), bytesWritten }));
  const limits = createLimitReports({ clock, log: log.child("limits"), emit: feed.emit });
  return { db, feed, auth, audit, budget, limits, trouble, found };
}

const COPIED_RULES = "If this is a new house with copied rules, nothing is wrong. Otherwise: ";

/** A house without users is new, or lost. Rules alone may have been copied into a new one: then nobody's phone rings. */
function lossOf(
  { config, home }: HubOptions,
  { db, auth, traces }: { db: StateDb; auth: Auth; traces: Traces },
): Finding[] {
  if (auth.users.list().length > 0) return [];
  if (!traces.ofHub && !traces.ofRules && db.setAside === undefined) return [];
  const lost = databaseLost(db.setAside, mendOfLoss(home, config.backup.directory));
  const perhapsNew = !traces.ofHub && !traces.ofBackup && db.setAside === undefined;
  return [perhapsNew ? { ...lost, severity: "warning", mend: COPIED_RULES + lost.mend } : lost];
}

/** Bytes a day; undefined for no limit. */
export function diskLimit({ storage }: HubConfig): number | undefined {
  return storage.max_write_mb_per_day === 0 ? undefined : storage.max_write_mb_per_day * 1_000_000;
}
