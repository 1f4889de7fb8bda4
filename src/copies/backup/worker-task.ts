// A task in the backup's worker, as the main thread sees it, and the messages between the two threads. Each worker does one task.
import { type ErrorCode, HubError } from "../../kit/schema/errors.ts";
import type { Manifest } from "./archive/manifest.ts";
import type { SavedArchive } from "./archive/save-archive.ts";
import type { Schemas } from "./database-copies.ts";
import type { Job, JobReport, JobResults, Report } from "./remote/jobs.ts";
import type { Staged } from "./restore/stage.ts";

export type Task =
  /** Opens an archive, and sends a chunk of it for each request. */
  | { kind: "archive"; root: string; hubVersion: string; now: number }
  /** Saves an archive and verifies it. */
  | {
      kind: "save";
      root: string;
      hubVersion: string;
      now: number;
      target: string;
      passphrase?: string;
      schemas: Schemas;
    }
  /** Unpacks an archive and verifies it. */
  | { kind: "stage"; root: string; file: string; passphrase?: string; schemas: Schemas }
  /** Something at a target elsewhere. */
  | Job;

export interface Results extends JobResults {
  archive: { manifest: Omit<Manifest, "entries">; skipped: readonly string[] };
  save: SavedArchive;
  stage: Staged;
}

export type ToWorker = { kind: "begin"; task: Task } | { kind: "more" };

export type FromWorker =
  | { kind: "done"; result: Results[Task["kind"]] }
  | { kind: "chunk"; bytes: Uint8Array<ArrayBuffer> }
  | { kind: "end" }
  | { kind: "report"; report: JobReport }
  | { kind: "failed"; code: ErrorCode | undefined; message: string; details: Record<string, unknown> };

/** Disposing it ends the thread and waits for its end: then nothing writes to the working folder any more. */
export interface RunningTask<T> extends AsyncDisposable {
  readonly result: Promise<T>;
  /** The next chunk of an archive or a copy; undefined when there is no more. */
  next(): Promise<Uint8Array<ArrayBuffer> | undefined>;
}

/** For `new Worker(…)`: beside this file, or an entry point of its own in the executable, named by its path under `src/`. */
export function backupWorker(): string | URL {
  return Bun.main.startsWith("/$bunfs/") ? "./copies/backup/worker.ts" : new URL("./worker.ts", import.meta.url);
}

export function startTask<K extends Task["kind"]>(
  source: string | URL,
  task: Extract<Task, { kind: K }>,
  onReport: Report = () => {},
): RunningTask<Results[K]> {
  const worker = new Worker(source, { smol: true });
  const done = Promise.withResolvers<Results[K]>();
  const closed = Promise.withResolvers<void>();
  let requested: PromiseWithResolvers<Uint8Array<ArrayBuffer> | undefined> | undefined;
  done.promise.catch(() => {});

  function fail(error: Error): void {
    done.reject(error);
    requested?.reject(error);
  }
  function send(message: ToWorker): void {
    worker.postMessage(message);
  }
  worker.onmessage = ({ data }: MessageEvent<FromWorker>) => {
    if (data.kind === "done") done.resolve(data.result as Results[K]);
    else if (data.kind === "chunk") requested?.resolve(data.bytes);
    else if (data.kind === "end") requested?.resolve(undefined);
    else if (data.kind === "report") onReport(data.report);
    else fail(data.code === undefined ? new Error(data.message) : new HubError(data.code, data.message, data));
  };
  worker.onerror = (event) => fail(new Error(`the backup's thread failed: ${event.message}`));
  worker.addEventListener("close", () => {
    closed.resolve();
    fail(new HubError("unavailable", "the backup was cancelled"));
  });
  send({ kind: "begin", task });

  return {
    result: done.promise,
    next() {
      requested = Promise.withResolvers();
      send({ kind: "more" });
      return requested.promise;
    },
    async [Symbol.asyncDispose]() {
      worker.terminate();
      await closed.promise;
    },
  };
}
