// Events about the hub itself: alerts, backups, limits, a safe start.
import { Type } from "@sinclair/typebox";
import { defineEvent } from "./define.ts";

export const systemSafeStart = defineEvent(
  "system_safe_start",
  "The hub failed to start again and again, and runs with some of its parts off",
  {
    /** `unknown` where it died without a word. */
    failed_part: Type.String(),
    error: Type.String(),
    off: Type.Array(Type.String()),
  },
  { failed_part: "rules", error: "out of memory", off: ["rules"] },
);

export const systemTookOver = defineEvent(
  "system_took_over",
  "This machine became the hub in the place of the house's other one; what was lost with that one is said in seconds",
  {
    /** Where the other machine answers. */
    from: Type.String(),
    /** `handed_over`, `gone`, or `promoted` where a person said so. */
    reason: Type.String(),
    epoch: Type.Integer(),
    /** UTC; settings and states are of then. */
    copied_at: Type.String(),
    /** UTC; the history is complete before. */
    history_until: Type.String(),
    /** At most so much of what people did is missing. */
    lost_secs: Type.Integer(),
    /** For at most so long no machine was the hub. */
    gone_secs: Type.Integer(),
  },
  {
    from: "http://192.168.1.20:8080",
    reason: "gone",
    epoch: 8,
    copied_at: "2026-11-23T18:04:10Z",
    history_until: "2026-11-23T18:04:09Z",
    lost_secs: 14,
    gone_secs: 11,
  },
);

export const standbyConnected = defineEvent(
  "standby_connected",
  "The house's second machine keeps a copy from now on",
  {
    name: Type.String(),
    address: Type.String(),
    /** Only a person makes it the hub. */
    manual: Type.Boolean(),
    version: Type.String(),
  },
  { name: "attic", address: "http://192.168.1.21:8080", manual: false, version: "0.1.0" },
);

export const standbyLost = defineEvent(
  "standby_lost",
  "The house's second machine has not asked for changes for half a minute",
  {
    name: Type.String(),
    silent_secs: Type.Integer(),
  },
  { name: "attic", silent_secs: 31 },
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
    /** Which of several sentences of its kind `message` is. */
    variant: Type.Optional(Type.String()),
    /** What stands in `message`. */
    values: Type.Optional(Type.Record(Type.String(), Type.Union([Type.String(), Type.Number()]))),
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

export const backupCopied = defineEvent(
  "backup_copied",
  "A backup was copied to a place elsewhere, and read back from there",
  {
    /** Of `[[backup.targets]]`. */
    target: Type.String(),
    name: Type.String(),
    bytes: Type.Integer(),
  },
  { target: "cloud", name: "hub-backup-2026-11-23T02-30-00Z-k3x9qa.zip.age", bytes: 4200000 },
);

export const backupCopyFailed = defineEvent(
  "backup_copy_failed",
  "Backups do not get to a place elsewhere; emitted once until they do again, and tried again by itself",
  {
    severity: Type.Literal("warning"),
    /** Of `[[backup.targets]]`. */
    target: Type.String(),
    reason: Type.String(),
  },
  { severity: "warning", target: "cloud", reason: "https://cloud.example.com/dav: the storage is full" },
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
