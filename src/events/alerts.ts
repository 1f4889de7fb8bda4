// Events about problems of the hub itself.
import { Type } from "@sinclair/typebox";
import { defineEvent } from "./define.ts";

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
