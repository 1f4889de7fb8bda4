// Events about the hub as a whole.
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
