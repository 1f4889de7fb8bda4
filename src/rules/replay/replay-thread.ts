// A replay in a thread of its own, as the main thread sees it: it passes the pages of the history on, and ends the thread
// when the replay is over, or nobody waits for it any more.
import { HubError, messageOf } from "../../kit/schema/errors.ts";
import type { RecordedHistory } from "./recorded.ts";
import type { Replay, ReplayProgress } from "./replay.ts";
import type { FromWorker, ReplayTask, ToWorker } from "./worker-protocol.ts";

/** For `new Worker(…)`: beside this file, or an entry point of its own in the executable, named by its path under `src/`. */
export function replayWorker(): string | URL {
  return Bun.main.startsWith("/$bunfs/") ? "./rules/replay/worker.ts" : new URL("./worker.ts", import.meta.url);
}

export interface ReplayThreadOptions {
  /** See `replayWorker`. */
  source: string | URL;
  history: RecordedHistory;
  signal: AbortSignal;
  onProgress(progress: ReplayProgress): void;
}

/** Throws HubError `unavailable` where no history can be read, and the reason of the signal where it was aborted. */
export async function replayInThread(
  task: ReplayTask,
  { source, history, signal, onProgress }: ReplayThreadOptions,
): Promise<Replay> {
  signal.throwIfAborted();
  const worker = new Worker(source, { smol: true });
  const done = Promise.withResolvers<Replay>();
  const onAbort = (): void => done.reject(signal.reason);
  const send = (message: ToWorker): void => worker.postMessage(message);

  /** What the history refused with: a thread passes on its code and message alone. */
  let refusal: HubError | undefined;

  async function answer({ id, query }: Extract<FromWorker, { kind: "query" }>): Promise<void> {
    try {
      send({ kind: "page", id, page: await history.query(query) });
    } catch (error) {
      refusal = error instanceof HubError ? error : new HubError("unavailable", messageOf(error));
      send({ kind: "refusal", id, code: refusal.code, message: refusal.message });
    }
  }

  worker.onmessage = ({ data }: MessageEvent<FromWorker>) => {
    if (data.kind === "query") void answer(data);
    else if (data.kind === "progress") onProgress(data.progress);
    else if (data.kind === "done") done.resolve(data.replay);
    else if (data.code === undefined) done.reject(new Error(data.message));
    else done.reject(data.code === refusal?.code ? refusal : new HubError(data.code, data.message));
  };
  worker.onerror = (event) => done.reject(new Error(`the thread of a replay failed: ${event.message}`));
  worker.addEventListener("close", () =>
    done.reject(new HubError("unavailable", "the replay ended before it was over")),
  );
  signal.addEventListener("abort", onAbort);
  try {
    send({ kind: "begin", task });
    return await done.promise;
  } finally {
    signal.removeEventListener("abort", onAbort);
    worker.terminate();
  }
}
