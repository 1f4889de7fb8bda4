// What the main thread and the backup's worker say to each other: one task a worker, which then ends.
import type { ErrorCode } from "../core/errors.ts";
import type { Manifest } from "./manifest.ts";
import type { Staged } from "./stage.ts";
import type { Schemas } from "./staged-databases.ts";
import type { Stored } from "./store.ts";

export type Task =
  /** Opens an archive, and hands out a chunk whenever asked for one. */
  | { kind: "archive"; root: string; hubVersion: string; now: number }
  /** Writes and proves one. */
  | {
      kind: "store";
      root: string;
      hubVersion: string;
      now: number;
      target: string;
      passphrase?: string;
      schemas: Schemas;
    }
  /** Unpacks one and verifies it. */
  | { kind: "stage"; root: string; file: string; passphrase?: string; schemas: Schemas };

export type ToWorker = { kind: "begin"; task: Task } | { kind: "more" };

export interface Opened {
  manifest: Omit<Manifest, "entries">;
  skipped: readonly string[];
}

export interface Results {
  archive: Opened;
  store: Stored;
  stage: Staged;
}

export type FromWorker =
  | { kind: "done"; result: Results[Task["kind"]] }
  | { kind: "chunk"; bytes: Uint8Array<ArrayBuffer> }
  | { kind: "end"; manifest: Manifest }
  | { kind: "failed"; code: ErrorCode | undefined; message: string; details: Record<string, unknown> };
