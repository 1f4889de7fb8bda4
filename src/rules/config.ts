// [rules]: what rules may hold in memory.
import { type Static, Type } from "@sinclair/typebox";

export const RulesSection = Type.Object(
  {
    /** The last traces of all rules together. */
    max_traces_mb: Type.Number({ minimum: 1, maximum: 4096, default: 24 }),
    /** What set off the runs that are at work or wait for their turn. */
    max_running_mb: Type.Number({ minimum: 1, maximum: 4096, default: 16 }),
  },
  { additionalProperties: false },
);
export type RulesSection = Static<typeof RulesSection>;
