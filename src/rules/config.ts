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
  },
  { additionalProperties: false },
);
export type RulesSection = Static<typeof RulesSection>;
