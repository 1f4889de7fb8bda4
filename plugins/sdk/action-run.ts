// One run of an action: its context, its time limit and its single outcome.
import type { Action, ActionContext } from "./action.ts";
import { type Json, type JsonObject, messageOf } from "./json.ts";

export type Outcome = { stage: "complete"; data?: Json } | { stage: "error"; error: string } | { stage: "canceled" };

export interface Run {
  readonly action: Action;
  /** What may not run twice at the same time; undefined without a limit. */
  readonly lock: string | undefined;
  /** Never rejects. */
  readonly outcome: Promise<Outcome>;
  cancel(): void;
  /** False when the run has asked nothing. */
  answer(response: Json): boolean;
}

export interface RunOptions {
  action: Action;
  requestId: string;
  lock: string | undefined;
  params: JsonObject;
  say(stage: string, fields: object): void;
}

const CANCELED = "canceled";
const TIMEOUT = "timeout";

export function startRun({ action, requestId, lock, params, say }: RunOptions): Run {
  const abort = new AbortController();
  const { signal } = abort;
  let answer: ((response: Json) => void) | undefined;
  let over = false;

  function sayWhileRunning(stage: string, fields: object): void {
    if (!over) say(stage, fields);
  }

  const context: ActionContext = {
    requestId,
    signal,
    progress: (fields) => sayWhileRunning("progress", fields),
    item: (fields) => sayWhileRunning("item", fields),
    warning: (message) => sayWhileRunning("warning", { message }),
    ask(fields) {
      const response = Promise.withResolvers<Json>();
      answer = response.resolve;
      sayWhileRunning("awaiting_user", fields);
      return Promise.race([response.promise, rejectOnAbort(signal)]);
    },
  };

  async function work(): Promise<Json | undefined> {
    // The answer `accepted` goes out before the first event.
    if (action.stream) await Bun.sleep(0);
    return action.run(params, context);
  }

  async function finish(): Promise<Outcome> {
    const { timeoutMs } = action;
    const clock = timeoutMs === undefined ? undefined : setTimeout(() => abort.abort(TIMEOUT), timeoutMs);
    try {
      // An action that does not heed its signal must not hold its place for ever.
      const data = await Promise.race([work(), rejectOnAbort(signal)]);
      return data === undefined ? { stage: "complete" } : { stage: "complete", data };
    } catch (error) {
      if (!signal.aborted) return { stage: "error", error: messageOf(error) };
      if (signal.reason === CANCELED) return { stage: "canceled" };
      return { stage: "error", error: `not finished within ${timeoutMs} ms` };
    } finally {
      over = true;
      clearTimeout(clock);
    }
  }

  return {
    action,
    lock,
    outcome: finish(),
    cancel: () => abort.abort(CANCELED),
    answer(response) {
      const waits = answer !== undefined;
      answer?.(response);
      answer = undefined;
      return waits;
    },
  };
}

function rejectOnAbort(signal: AbortSignal): Promise<never> {
  const aborted = Promise.withResolvers<never>();
  // Nobody may be waiting any more when it comes.
  aborted.promise.catch(() => undefined);
  if (signal.aborted) aborted.reject(signal.reason);
  else signal.addEventListener("abort", () => aborted.reject(signal.reason), { once: true });
  return aborted.promise;
}
