// A task in a worker, as the main thread sees it. Ending it early ends the thread, and waits until it is gone: then
// nothing writes to the working folder any more.
import { HubError } from "../core/errors.ts";
import type { Manifest } from "./manifest.ts";
import type { FromWorker, Opened, Results, Task, ToWorker } from "./messages.ts";

export interface RunningTask<T> extends AsyncDisposable {
  readonly result: Promise<T>;
  /** The next chunk of an archive; its manifest when there is no more. */
  next(): Promise<Uint8Array<ArrayBuffer> | Manifest>;
}

export function startTask<K extends Task["kind"]>(
  source: string | URL,
  task: Extract<Task, { kind: K }>,
): RunningTask<Results[K]> {
  const worker = new Worker(source, { smol: true });
  const done = Promise.withResolvers<Results[K]>();
  const closed = Promise.withResolvers<void>();
  let asked: PromiseWithResolvers<Uint8Array<ArrayBuffer> | Manifest> | undefined;
  done.promise.catch(() => {});

  function fail(error: Error): void {
    done.reject(error);
    asked?.reject(error);
  }
  function send(message: ToWorker): void {
    worker.postMessage(message);
  }
  worker.onmessage = ({ data }: MessageEvent<FromWorker>) => {
    if (data.kind === "done") done.resolve(data.result as Results[K]);
    else if (data.kind === "chunk") asked?.resolve(data.bytes);
    else if (data.kind === "end") asked?.resolve(data.manifest);
    else fail(data.code === undefined ? new Error(data.message) : new HubError(data.code, data.message, data));
  };
  worker.onerror = (event) => fail(new Error(`the backup's thread failed: ${event.message}`));
  worker.addEventListener("close", () => {
    closed.resolve();
    fail(new HubError("unavailable", "the backup was ended"));
  });
  send({ kind: "begin", task });

  return {
    result: done.promise,
    next() {
      asked = Promise.withResolvers();
      send({ kind: "more" });
      return asked.promise;
    },
    async [Symbol.asyncDispose]() {
      worker.terminate();
      await closed.promise;
    },
  };
}

export type ArchiveTask = RunningTask<Opened>;
