// Events about the hub itself: alerts, backups, limits, a safe start.
import { Type } from "@sinclair/typebox";
import { defineEvent } from "./define.ts";

export const systemSafeStart = defineEvent(
  "system_safe_start",
  "The hub had failed to start three times, and runs with some of its parts off",
  {
    /** `unknown` where it died without a word. */
    failed_part: Type.String(),
    error: Type.String(),
    off: Type.Array(Type.String()),
  },
  { failed_part: "rules", error: "out of memory", off: ["rules"] },
);

export const alert = defineEvent(
  "alert",
  "A problem of the hub itself began or ended; see /system/alerts",
  {
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
  },
  {
    id: "plugin_down:zigbee",
    kind: "plugin_down",
    severity: "warning",
    state: "raised",
    message: "the plugin zigbee is offline",
    mend: "look at its log: GET /plugins/zigbee/log",
  },
);

export const backupFailed = defineEvent(
  "backup_failed",
  "A scheduled backup could not be made, or did not read back",
  {
    severity: Type.Literal("warning"),
    reason: Type.String(),
    directory: Type.String(),
  },
  { severity: "warning", reason: "no space left on device", directory: "/home/pi/hub/backups" },
);

export const limitReached = defineEvent(
  "limit_reached",
  "A client, account or plugin reached one of its limits; emitted again only after ten minutes without it",
  {
    /** The configuration key, such as `[mqtt] max_connections`. */
    limit: Type.String(),
    /** The account or address; `all` where everybody's share together reached it. */
    account: Type.String(),
    /** What was refused or dropped, and what to do. */
    message: Type.String(),
  },
  {
    limit: "[mqtt] max_connections_per_account",
    account: "zigbee",
    message: "a login was refused: raise the limit if so many connections are wanted",
  },
);
