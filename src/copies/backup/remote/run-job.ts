// Runs a job on a thread, and gives it up when nothing moves any more.
import { within } from "../../../kit/lifecycle/lifecycle.ts";
import { HubError } from "../../../kit/schema/errors.ts";
import type { Clock, Timer } from "../../../kit/time/clock.ts";
import { startTask } from "../worker-task.ts";
import type { Job, JobReport, JobResults } from "./jobs.ts";

export interface RunOptions {
  /** See `backupWorker`. */
  worker: string | URL;
  clock: Clock;
  onReport?: (report: JobReport) => void;
  signal: AbortSignal;
}

/** A service that moves nothing for so long is gone, even if the connection is still open. */
const STALLED_MS = 10 * 60_000;
/** A thread that waits for a dead disk ends only when the kernel lets it. */
const ENDS_WITHIN_MS = 5000;

export interface Run<K extends Job["kind"]> {
  readonly result: Promise<JobResults[K]>;
  /** Resolves when its thread is gone: at once after the result, or never, where a disk does not answer. */
  readonly ended: Promise<void>;
}

/** Not for `open`. The result rejects with HubError `upstream_failed` when nothing moves, and `unavailable` when it is aborted. */
export function runJob<K extends Exclude<Job["kind"], "open">>(
  job: Extract<Job, { kind: K }>,
  { worker, clock, onReport = () => {}, signal }: RunOptions,
): Run<K> {
  const givenUp = Promise.withResolvers<never>();
  givenUp.promise.catch(() => {});
  let timer: Timer | undefined;
  const watch = (): void => {
    timer?.[Symbol.dispose]();
    timer = clock.after("backup target stalled", STALLED_MS, () =>
      givenUp.reject(new HubError("upstream_failed", `nothing moved for ${STALLED_MS / 60_000} minutes`)),
    );
  };
  const abort = (): void => givenUp.reject(new HubError("unavailable", "the hub is stopping"));
  watch();
  const task = startTask<Exclude<Job["kind"], "open">>(worker, job, (report) => {
    watch();
    onReport(report);
  });
  signal.addEventListener("abort", abort);
  if (signal.aborted) abort();
  const ended = Promise.withResolvers<void>();

  async function finish(): Promise<JobResults[K]> {
    try {
      return (await Promise.race([task.result, givenUp.promise])) as JobResults[K];
    } finally {
      timer?.[Symbol.dispose]();
      signal.removeEventListener("abort", abort);
      const gone = Promise.resolve(task[Symbol.asyncDispose]());
      void gone.then(ended.resolve);
      await within(clock, ENDS_WITHIN_MS, "a backup thread", gone);
    }
  }
  return { result: finish(), ended: ended.promise };
}
