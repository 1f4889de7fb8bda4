// [storage]: how often and how much goes to disk.
import { type Static, Type } from "@sinclair/typebox";

export const StorageSection = Type.Object(
  {
    /** Seconds between writes of changed attributes; a power cut loses at most these. */
    flush_secs: Type.Number({ minimum: 1, maximum: 3600, default: 1 }),
    /** Above this, readings are written less often (at least every ten minutes); 0 sets no limit. */
    max_write_mb_per_day: Type.Number({ minimum: 0, maximum: 1_000_000, default: 500 }),
  },
  { additionalProperties: false },
);
export type StorageSection = Static<typeof StorageSection>;
