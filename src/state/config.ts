// [storage]: how often device state goes to disk.
import { type Static, Type } from "@sinclair/typebox";

export const StorageSection = Type.Object(
  {
    /** Seconds between writes of changed attributes; a power cut loses at most these. */
    flush_secs: Type.Number({ minimum: 1, maximum: 3600, default: 1 }),
  },
  { additionalProperties: false },
);
export type StorageSection = Static<typeof StorageSection>;
