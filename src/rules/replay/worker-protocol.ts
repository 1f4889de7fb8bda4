// The messages between the main thread and the thread of a replay. The history has a thread of its own, which only the main
// thread reaches: pages pass through it as text.
import type { ErrorCode } from "../../kit/schema/errors.ts";
import type { Rule } from "../read/rule.ts";
import type { Named } from "./contents.ts";
import type { HouseNow } from "./house-now.ts";
import type { HistoryQuery, RecordedPage } from "./recorded.ts";
import type { Replay, ReplayProgress } from "./replay.ts";

export interface ReplayTask {
  rule: Rule;
  references: readonly Named[];
  /** Epoch ms; `to` is not included. */
  from: number;
  to: number;
  withoutSecrets: boolean;
  house: HouseNow;
  /** Ids of the rules there are. */
  rules: readonly string[];
}

export type ToWorker =
  | { kind: "begin"; task: ReplayTask }
  | { kind: "page"; id: number; page: RecordedPage }
  | { kind: "refusal"; id: number; code: ErrorCode; message: string };

export type FromWorker =
  | { kind: "query"; id: number; query: HistoryQuery }
  | { kind: "progress"; progress: ReplayProgress }
  | { kind: "done"; replay: Replay }
  | { kind: "failed"; code: ErrorCode | undefined; message: string };
