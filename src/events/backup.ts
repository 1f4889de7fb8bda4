// Events about backups.
import { Type } from "@sinclair/typebox";
import { defineEvent } from "./define.ts";

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
