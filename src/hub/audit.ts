// The audit log over restarts and restores: what the hub finds done when it starts, and who was not let in by the broker.
import { Database } from "bun:sqlite";
import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { type Audit, type AuditActor, carryAudit } from "../auth/audit.ts";
import { UNKNOWN_ACCOUNT } from "../auth/audited-login.ts";
import { newestOldState } from "../backup/old-states.ts";
import { readLastRestore } from "../backup/restore.ts";
import type { HubConfig } from "../config/sections.ts";
import { messageOf } from "../core/errors.ts";
import type { Log } from "../core/log.ts";
import type { Meta } from "../db/meta.ts";
import type { StateDb } from "../db/state-db.ts";
import { type Home, homeAt } from "../home/paths.ts";
import type { RefusedLogin } from "../mqtt/refused-logins.ts";

interface Found {
  home: Home;
  db: StateDb;
  meta: Meta;
  log: Log;
}

const HUB: AuditActor = { kind: "hub", id: "", name: "hub" };
const RESTORE_SEEN = "audit_restore_seen";
const CONFIG_SEEN = "audit_config_seen";

/**
 * A restore brings the archive's log. What this machine has logged since, who restored included, is added to it: else a
 * restore would be the way to wipe one's traces.
 */
export function keepAuditOverRestore({ home, db, meta, log }: Found): void {
  const restore = newRestore(home, meta);
  const before = restore?.ok === false ? undefined : restore && newestOldState(home);
  const file = before && homeAt(before.folder).stateDb;
  if (!file || !existsSync(file)) return;
  try {
    using old = new Database(file, { readonly: true });
    carryAudit(old, db.durable);
  } catch (error) {
    log.warn("the audit log of before the restore could not be taken over", { error: messageOf(error), file });
  }
}

/** To be called once at each start, behind `keepAuditOverRestore`. */
export function auditStart(found: Pick<Found, "home" | "meta" | "log">, audit: Pick<Audit, "record">): void {
  try {
    recordStart(found, audit);
  } catch (error) {
    found.log.warn("what changed since the last start cannot be written to the audit log", { error: messageOf(error) });
  }
}

function recordStart({ home, meta }: Pick<Found, "home" | "meta">, audit: Pick<Audit, "record">): void {
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
  const config = createHash("sha256").update(readFileSync(home.hubToml)).digest("hex");
  const known = meta.get(CONFIG_SEEN);
  if (known === config) return;
  if (known !== undefined) {
    audit.record({ actor: HUB, address: "", action: "config.change", target: "hub.toml", outcome: "ok" });
  }
  meta.set(CONFIG_SEEN, config);
}

function newRestore(home: Home, meta: Meta) {
  const last = readLastRestore(home);
  return last && meta.get(RESTORE_SEEN) !== markOf(last) ? last : undefined;
}

// While it is on trial its outcome is open, and it is not to be told twice.
function markOf({ at, ok }: { at: string; ok: boolean | null }): string {
  return `${at} ${ok !== false}`;
}

/** Names that are nobody's are not written down: people type passwords there. */
export function auditMqttRefusals({ mqtt, plugins }: HubConfig, audit: Pick<Audit, "refused">) {
  const known = new Set([...mqtt.users.map(({ username }) => username), ...plugins.map(({ id }) => id)]);
  return function refusedLogin({ username, address, reason }: RefusedLogin): void {
    const target = username !== undefined && known.has(username) ? username : UNKNOWN_ACCOUNT;
    audit.refused({ action: "mqtt.login", target, address, detail: reason });
  };
}
