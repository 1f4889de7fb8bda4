// The audit log at a start: keeps this machine's rows over a restore, and records a restore or a changed hub.toml.
import { Database } from "bun:sqlite";
import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { readLastRestore } from "../../../copies/backup/restore/last-restore.ts";
import { newestOldState } from "../../../copies/backup/restore/old-states.ts";
import type { Log } from "../../../kit/lifecycle/log.ts";
import { messageOf } from "../../../kit/schema/errors.ts";
import { type Audit, type AuditActor, mergeAudit } from "../../../server/auth/audit.ts";
import type { Meta } from "../../../server/db/meta.ts";
import type { StateDb } from "../../../server/db/state-db.ts";
import { type Home, homeAt } from "../../../server/home/paths.ts";

interface StartContext {
  home: Home;
  db: StateDb;
  meta: Meta;
  log: Log;
}

const HUB: AuditActor = { kind: "hub", id: "", name: "hub" };
const RESTORE_SEEN = "audit_restore_seen";
const CONFIG_SEEN = "audit_config_seen";

/**
 * A restore brings the archive's audit log. The rows that this machine wrote since, the restore's own included, are merged
 * into it: otherwise a restore would be a way to wipe one's traces.
 */
export function mergeAuditAfterRestore({ home, db, meta, log }: StartContext): void {
  const restore = newRestore(home, meta);
  const before = restore?.ok === false ? undefined : restore && newestOldState(home);
  const file = before && homeAt(before.folder).stateDb;
  if (!file || !existsSync(file)) return;
  try {
    using old = new Database(file, { readonly: true });
    mergeAudit(old, db.own);
  } catch (error) {
    log.warn("the audit log from before the restore could not be merged", { error: messageOf(error), file });
  }
}

/** To be called once at each start, after `mergeAuditAfterRestore`. */
export function recordStart(context: Pick<StartContext, "home" | "meta" | "log">, audit: Pick<Audit, "record">): void {
  try {
    recordChanges(context, audit);
  } catch (error) {
    context.log.warn("what changed since the last start cannot be written to the audit log", {
      error: messageOf(error),
    });
  }
}

function recordChanges({ home, meta }: Pick<StartContext, "home" | "meta">, audit: Pick<Audit, "record">): void {
  const restore = newRestore(home, meta);
  if (restore) {
    audit.record({
      actor: HUB,
      address: "",
      action: "restore",
      outcome: restore.ok === false ? "failed" : "ok",
      detail: `at ${restore.at}${restore.error === null ? "" : `: ${restore.error}`}`,
    });
    meta.set(RESTORE_SEEN, markOf(restore));
  }
  if (!existsSync(home.hubToml)) return;
  const config = sumOf(home.hubToml);
  const known = meta.get(CONFIG_SEEN);
  if (known === config) return;
  if (known !== undefined) {
    audit.record({ actor: HUB, address: "", action: "config.change", target: "hub.toml", outcome: "ok" });
  }
  meta.set(CONFIG_SEEN, config);
}

/** Whoever changed hub.toml over the API is in the log already. */
export function noteConfig(home: Home, meta: Meta): void {
  meta.set(CONFIG_SEEN, sumOf(home.hubToml));
}

function sumOf(path: string): string {
  return createHash("sha256").update(readFileSync(path)).digest("hex");
}

function newRestore(home: Home, meta: Meta) {
  const last = readLastRestore(home);
  return last && meta.get(RESTORE_SEEN) !== markOf(last) ? last : undefined;
}

// While the restored hub is on trial its outcome is open (null); it must not be recorded a second time when it is decided.
function markOf({ at, ok }: { at: string; ok: boolean | null }): string {
  return `${at} ${ok !== false}`;
}
