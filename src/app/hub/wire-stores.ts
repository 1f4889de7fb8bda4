// Wires what every other part needs: the state database, events, users, the audit log, limits.
import { mendOfLoss, type Traces, tracesOf } from "../../copies/backup/lost-state.ts";
import { setAsideStaleWal } from "../../copies/backup/restore/stale-wal.ts";
import { historyMigrations } from "../../house/history/migrations/index.ts";
import { createStorageTrouble, STORAGE_TEXTS, type StorageTrouble } from "../../kit/files/storage-fault.ts";
import { createWriteBudget, type WriteBudget } from "../../kit/files/write-budget.ts";
import { createLimitReports, type LimitReports } from "../../kit/lifecycle/limits.ts";
import { messageOf } from "../../kit/schema/errors.ts";
import type { DeviceAccounts } from "../../reach/mqtt/accounts/device-accounts.ts";
import type { Finding } from "../../server/alerts/alert.ts";
import { databaseLost, HISTORY_LOST, UNCLEAN_STOP } from "../../server/alerts/watches/process.ts";
import { type Audit, openAudit } from "../../server/auth/audit.ts";
import { Auth } from "../../server/auth/auth.ts";
import { createMeta } from "../../server/db/meta.ts";
import { stateMigrations } from "../../server/db/migrations/index.ts";
import type { Exchanged, OwnFile } from "../../server/db/own-file.ts";
import { openStateDb, type StateDb } from "../../server/db/state-db.ts";
import { createEventFeed, type EventFeed } from "../../server/events/feed.ts";
import type { HomeLock } from "../../server/home/lock.ts";
import { bytesWritten } from "../../server/system/this-process.ts";
import type { HubConfig } from "../config/sections.ts";
import { openMqttAccounts } from "./mqtt-accounts.ts";
import type { HubOptions } from "./options.ts";
import { addressesOfMachine } from "./own-machine.ts";
import { keepCopy } from "./start/disk-recovery.ts";
import { mergeAuditAfterRestore, recordStart } from "./start/start-audit.ts";

const EVERY_MS = 2000;
// Whoever copies a house copies more than one file.
const QUIET_MS = 10_000;

/** The schema versions of this hub's databases. */
export const databaseSchemas = { state: stateMigrations.length, history: historyMigrations.length };

const EVENT_LIMITS = { event: "the size of an event", buffer: "[events] buffer_mb" } as const;

export interface Stores {
  db: StateDb;
  feed: EventFeed;
  auth: Auth;
  audit: Audit;
  mqttAccounts: DeviceAccounts;
  budget: WriteBudget;
  limits: LimitReports;
  trouble: StorageTrouble;
  /** What was found wrong while starting. */
  findings: readonly Finding[];
  /** This home has no administrator yet, and never had one. */
  isNew: boolean;
}

/** In the meta table: `begun` until the administrator exists. A start that fails leaves files like those of a lost house. */
const FIRST_START = "first_start";

/** The home must be locked. */
export function wireStores(
  options: HubOptions,
  lock: Pick<HomeLock, "wasLeftLocked">,
  stack: AsyncDisposableStack,
): Stores {
  const { config, home, log, platform } = options;
  const { clock, random } = platform;
  const left = tracesOf(home, config.backup.directory);
  // Before anything opens them: files may have been placed by hand beside what a killed hub left.
  setAsideStaleWal({ home, random, now: clock.now(), log, schemas: databaseSchemas });
  const trouble = createStorageTrouble(clock, home.data);
  const db = stack.use(openStateDb(home.stateDb, clock.now, trouble));
  if (db.file) stack.use(tendDatabase(db.file, options));
  if (db.setAside)
    log.error("the state database was damaged; it was set aside and a new one begun", { kept_as: db.setAside });
  if (db.copy) {
    const { what, mend } = STORAGE_TEXTS[db.copy.fault];
    log.error(`${what}: the hub runs from a copy in memory, and takes no changes`, { mend });
    // Runs after everything that still writes into the copy while the hub stops.
    const { copy } = db;
    stack.defer(() => keepCopy(copy, log));
  }
  const meta = createMeta(db);
  const mark = {
    // NaN here would make every later number NaN.
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
  const context = { home, db, meta, log: authLog };
  mergeAuditAfterRestore(context);
  const audit = stack.use(openAudit({ db, clock, log: authLog, rows: config.auth.audit_rows }));
  const auth = stack.use(
    new Auth({ config: config.auth, db, clock, random, log: authLog, audit, own: addressesOfMachine() }),
  );
  recordStart(context, audit);
  const traces = { ...left, ofHub: left.ofHub && meta.get(FIRST_START) !== "begun" };
  const findings = [...(lock.wasLeftLocked ? [UNCLEAN_STOP] : []), ...lossOf({ db, auth, traces })];
  if (traces.historyGone && config.history.enabled) findings.push(HISTORY_LOST);
  // A lost house gets no new administrator, as if nothing had happened.
  const isEmpty = auth.users.list().length === 0;
  const isNew = isEmpty && !traces.ofHub && db.setAside === undefined && db.copy === undefined;
  if (isNew) meta.set(FIRST_START, "begun");
  const budget = stack.use(createWriteBudget({ clock, bytesPerDay: diskLimit(config), bytesWritten }));
  const limits = createLimitReports({ clock, log: log.child("limits"), emit: feed.emit });
  const mqttAccounts = openMqttAccounts(config, db, platform);
  return { db, feed, auth, audit, mqttAccounts, budget, limits, trouble, findings, isNew };
}

/** In a new home, makes the administrator and reports the password. To be called when nothing can stop the start any more. */
export async function finishFirstStart(
  { isNew, auth, db }: Pick<Stores, "isNew" | "auth" | "db">,
  report: Parameters<Auth["ensureAdministrator"]>[0],
): Promise<void> {
  if (!isNew) return;
  await auth.ensureAdministrator(report);
  createMeta(db).set(FIRST_START, "done");
}

/** A house without users is new, or lost. Rules say nothing of it: whoever moves a house copies them into a new one. */
function lossOf({ db, auth, traces }: { db: StateDb; auth: Auth; traces: Traces }): Finding[] {
  if (auth.users.list().length > 0) return [];
  if (!traces.ofHub && traces.newestBackup === undefined && db.setAside === undefined) return [];
  return [databaseLost(db.setAside, mendOfLoss(traces))];
}

/** Bytes a day; undefined for no limit. */
export function diskLimit({ storage }: HubConfig): number | undefined {
  return storage.max_write_mb_per_day === 0 ? undefined : storage.max_write_mb_per_day * 1_000_000;
}

/**
 * Where the file was renamed over, the hub goes on with the former until somebody restarts it. Where it was written over, nothing is left to
 * go on with: it restarts by itself, once all is copied.
 */
function tendDatabase(
  file: OwnFile,
  { platform: { clock }, log, requestRestart }: Pick<HubOptions, "platform" | "log" | "requestRestart">,
): Disposable {
  let reported = false;
  let quietSince: number | undefined;
  function look(): Exchanged | undefined {
    const found = file.exchanged();
    if (found && !reported)
      log.error("the state database was exchanged while the hub ran: it is used from the next start on", {
        former_kept_as: found.keptAs,
      });
    reported = found !== undefined;
    return found;
  }

  const timer = clock.every("state database", EVERY_MS, () => {
    const found = look();
    if (!found) return checkpoint();
    if (!found.isWrittenOver) return;
    if (!file.isQuiet()) quietSince = undefined;
    quietSince ??= clock.mono();
    if (clock.mono() - quietSince < QUIET_MS) return;
    timer[Symbol.dispose]();
    log.info("the new state database is complete: the hub restarts with it");
    requestRestart({ apply: async () => {} });
  });

  function checkpoint(): void {
    try {
      file.checkpointIfDue();
    } catch (error) {
      log.debug("the log of the state database cannot be checkpointed; it is tried again", { error: messageOf(error) });
    }
  }
  return {
    [Symbol.dispose]() {
      look();
      timer[Symbol.dispose]();
    },
  };
}
