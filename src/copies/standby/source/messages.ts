// What the hub and the thread that answers its standby say to each other.
import type { ErrorCode } from "../../../kit/schema/errors.ts";
import type { HistoryRequest, SyncRequest } from "../protocol.ts";
import type { Turn, Urgency } from "./source.ts";

export type ToWorker =
  /** `isUrgent`: people wait for its answers. */
  | { kind: "open"; root: string; version: string; isUrgent: boolean }
  | { kind: "sync"; id: number; request: SyncRequest; turn: Turn; urgency: Urgency }
  | { kind: "history"; id: number; request: HistoryRequest }
  | { kind: "close" };

export type FromWorker =
  | { kind: "answer"; id: number; bytes: Uint8Array<ArrayBuffer>; isLast: boolean }
  | {
      kind: "refusal";
      id: number;
      code: ErrorCode | undefined;
      message: string;
      details: Record<string, unknown>;
    }
  | { kind: "log"; message: string; fields: Readonly<Record<string, unknown>> }
  | { kind: "closed" };
