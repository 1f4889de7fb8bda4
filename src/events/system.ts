// Events about the hub as a whole: its start, its alerts, its limits and its backups.
import { Type } from "@sinclair/typebox";
import { defineEvent } from "./define.ts";

export const systemStarted = defineEvent("system_started", "The rule engine finished its startup initialization", {
  version: Type.String(),
});

export const systemSafeStart = defineEvent(
  "system_safe_start",
  "The hub had failed to start three times, and runs with some of its parts off",
  {
    /** `unknown` if the hub died without an error. */
    failed_part: Type.String(),
    error: Type.String(),
    off: Type.Array(Type.String()),
  },
);

export const alert = defineEvent("alert", "A problem of the hub itself began or ended; see /system/alerts", {
  id: Type.String(),
  /** `disk_full`, `plugin_down`, … */
  kind: Type.String(),
  /** `info`, `warning` or `critical`. */
  severity: Type.String(),
  /** `raised` or `cleared`. */
  state: Type.String(),
  message: Type.String(),
  /** What to do. */
  mend: Type.String(),
});

export const limitReached = defineEvent(
  "limit_reached",
  "A client, account or plugin reached one of its limits; emitted again only after ten minutes without it",
  {
    /** The configuration key, such as `[mqtt] max_connections`. */
    limit: Type.String(),
    /** The account or address; `all` for the limit of all accounts together. */
    account: Type.String(),
    /** What was refused or dropped, and what to do. */
    message: Type.String(),
  },
);

export const backupFailed = defineEvent("backup_failed", "A scheduled backup could not be made, or did not read back", {
  severity: Type.Literal("warning"),
  reason: Type.String(),
  directory: Type.String(),
});
