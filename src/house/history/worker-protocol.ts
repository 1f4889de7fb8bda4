// The messages between the main thread and the worker. Values are encoded before they are sent (see sample.ts), and answers are
// sent as finished text: decoding ten thousand objects would block the event loop, a text does not.
import type { StorageFault } from "../../kit/files/storage-fault.ts";
import type { Fields, Level } from "../../kit/lifecycle/log.ts";
import type { ErrorCode } from "../../kit/schema/errors.ts";
import type { CheckpointMark } from "../../server/db/checkpoint-mark.ts";
import type { Exchanged } from "../../server/db/own-file.ts";
import type { SpanPage, SpanQuery } from "./query/span-reader.ts";

/** The time, sent with each message: the worker has no clock of its own. */
export interface Moment {
  /** Epoch ms. */
  now: number;
  /** Milliseconds that only grow. */
  mono: number;
}

export const aggregates = ["min", "max", "avg", "last", "count"] as const;
export type Aggregate = (typeof aggregates)[number];

export interface HistoryQuery {
  deviceId: string;
  /** All where absent. */
  attributes?: readonly string[];
  /** Epoch ms; `from` is included, `to` is not. */
  from: number;
  to: number;
  /** Samples, or buckets, in a page; a page never splits a millisecond or a row of buckets. */
  limit: number;
  /** Raw samples where absent. */
  bucketMs?: number;
  aggregate: Aggregate;
  /** Adds the last sample before `from` of each attribute, at its own time. */
  initial: boolean;
  format: "json" | "csv";
  /** Omits attributes with secrets (PINs and the like), for callers who may not see them. */
  withoutSecrets?: boolean;
  /** Attributes of the device that are secrets whatever their names are. */
  secrets?: readonly string[];
}

export interface HistoryPage {
  text: string;
  /** `from` of the next page; undefined on the last. */
  next: number | undefined;
}

/** Asks for what was recorded of all devices: see span-reader.ts. */
export interface SamplesQuery extends SpanQuery {
  /** Who asks. What it has not asked for when it is removed is counted as lost. */
  reader: string;
  /** It has got everything before `from`. */
  isHead: boolean;
}

export interface SamplesPage extends SpanPage {
  /** Samples that were removed before the reader had them, since the worker started. */
  lost: number;
}

export interface Merged {
  /** Samples that were not there. */
  added: number;
}

/** What the file has, in epoch ms. */
export interface KeptSpan {
  /** Everything before was removed, but the last sample of each attribute. */
  cut: number;
  /** The oldest sample since; the time now where there is none. */
  oldest: number;
  /** The same, with those that outlived their removal. */
  first: number;
}

export interface StoreOptions {
  path: string;
  /** IANA name; the machine's own zone where undefined. */
  timezone: string | undefined;
  retentionDays: number;
  maxBytes: number;
  /** Memory for texts that are not written, or not compacted yet. */
  maxTextBytes: number;
}

/** Five of these are one sample: device, attribute, epoch ms, value, type. Sent as JSON, which is fastest. */
export type SampleRows = (string | number | null)[];
export const ROW_WIDTH = 5;

/** What was recorded of `from` before `at` (epoch ms) is called `to`. */
export interface RenamedSeries {
  deviceId: string;
  from: string;
  to: string;
  at: number;
}

/** What nobody may read any more: an attribute that is a password by now. */
export interface ForgottenSeries {
  deviceId: string;
  attribute: string;
}

export type ToWorker =
  | { kind: "open"; at: Moment; options: StoreOptions }
  | { kind: "record"; rows: string; samples: number }
  | { kind: "flush"; at: Moment; mark?: CheckpointMark }
  // From the journal of readings: taken unless the file has the segment already.
  | { kind: "replay"; rows: string; mark: CheckpointMark }
  | { kind: "rename"; renamed: RenamedSeries[] }
  | { kind: "forget"; at: Moment; forgotten: ForgottenSeries[] }
  | { kind: "retain"; at: Moment; devices: string[] | undefined }
  | { kind: "query"; at: Moment; id: number; query: HistoryQuery }
  | { kind: "samples"; at: Moment; id: number; query: SamplesQuery }
  | { kind: "kept"; at: Moment; id: number }
  /** JSON of what another machine recorded: see merge.ts. */
  | { kind: "merge"; at: Moment; id: number; series: string }
  /** It is quiet: gives memory back. */
  | { kind: "release" }
  /** The file was written by somebody: it may be another one. */
  | { kind: "look"; at: Moment }
  | { kind: "close"; at: Moment };

export interface StoreHealth {
  /** What keeps it from recording, and the mend. */
  problem: string | undefined;
  /** Written since the worker started. */
  recorded: number;
  /** Not written yet. */
  waiting: number;
  /** Samples that were lost. */
  dropped: number;
  /** Why the last write failed; undefined where it did not, or where the file cannot even be opened. */
  storageFault: StorageFault | undefined;
  /** Where the file was moved that was found damaged last. */
  damagedFile: string | undefined;
  /** Another file came into its place. */
  exchanged: Exchanged | undefined;
  /** The segment of the journal up to which everything is in the file, and synced. */
  checkpointed: number | undefined;
}

export type AnswerPage = HistoryPage | SamplesPage | KeptSpan | Merged;

export type FromWorker =
  | { kind: "taken"; samples: number }
  | { kind: "health"; health: StoreHealth }
  | { kind: "answer"; id: number; page: AnswerPage }
  | { kind: "refusal"; id: number; code: ErrorCode; message: string; details: Record<string, unknown> }
  | { kind: "log"; level: Exclude<Level, "warning"> | "warn" | "always"; message: string; fields: Fields }
  | { kind: "closed" };
