// [rules]: limits for the memory of rules.
import { type Static, Type } from "@sinclair/typebox";

export const RulesSection = Type.Object(
  {
    max_traces_mb: Type.Number({
      minimum: 1,
      maximum: 4096,
      default: 24,
      description: "For the traces of all rules together.",
    }),
    max_running_mb: Type.Number({
      minimum: 1,
      maximum: 4096,
      default: 16,
      description: "For the trigger contexts of active and queued runs.",
    }),
    late_secs: Type.Integer({
      minimum: 0,
      maximum: 366 * 86_400,
      default: 86_400,
      description: "A wait that was over while the hub was off is followed by the rest of its run up to so much later.",
    }),
  },
  { additionalProperties: false },
);
export type RulesSection = Static<typeof RulesSection>;
