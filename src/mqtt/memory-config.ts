// The keys of [mqtt] that bound what clients make the broker hold.
import { type Static, Type } from "@sinclair/typebox";
import { Value } from "@sinclair/typebox/value";

const megabytes = (fallback: number) => Type.Number({ minimum: 1, maximum: 4096, default: fallback });

export const memoryKeys = {
  /** Retained messages, each counted with its topic and the 800 bytes it takes besides. */
  max_retained_mb: megabytes(24),
  /** Of the account that published them. */
  max_retained_mb_per_account: megabytes(12),
  /** Messages that wait for clients which keep their session and are away, or do not acknowledge. */
  max_queued_mb: megabytes(24),
  /** Of the account whose sessions they wait for. */
  max_queued_mb_per_account: megabytes(12),
  max_queued_mb_per_session: megabytes(4),
  max_queued_messages_per_session: Type.Integer({ minimum: 1, maximum: 100_000, default: 1000 }),
  /** On its way: packets that have not arrived as a whole, and what slow readers have not taken. */
  max_buffered_mb: megabytes(32),
  max_buffered_mb_per_account: megabytes(16),
  /** Filters subscribed to: what they take to be found by their levels. */
  max_filters_mb: megabytes(16),
  max_filters_mb_per_account: megabytes(8),
};

const MemoryKeys = Type.Object(memoryKeys);
export type MemoryKeys = Static<typeof MemoryKeys>;

export const DEFAULT_MEMORY: MemoryKeys = Value.Create(MemoryKeys);
