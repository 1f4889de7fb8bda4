// Runs the plugin's own actions. Each call gets one answer; for a streaming action it is `accepted`, followed by events, of which
// exactly one is the last.
import type { TObject } from "@sinclair/typebox";
import { type Action, type ActionContext, describeAction, paramsOf } from "./action.ts";
import { type Json, type JsonObject, messageOf } from "./json.ts";
import { checkValue } from "./schema.ts";

/** An answer on `manage/response`, without its `request_id`. */
export interface Answer {
  status: "ok" | "error" | "accepted" | "busy";
  error?: string;
  data?: Json;
  stream_topic?: string;
  active_request_id?: string;
}

type Outcome = { stage: "complete"; data?: Json } | { stage: "error"; error: string } | { stage: "canceled" };

interface Run {
  readonly action: Action;
  /** Two runs with the same lock never overlap; undefined without a limit. */
  readonly lock: string | undefined;
  /** Never rejects. */
  readonly outcome: Promise<Outcome>;
  cancel(): void;
  /** False when the run does not wait for an answer. */
  answer(response: Json): boolean;
}

interface RunOptions {
  action: Action;
  requestId: string;
  lock: string | undefined;
  params: JsonObject;
  report(stage: string, fields: object): void;
}

export interface ActionsOptions {
  streamTopic(requestId: string): string;
  publish(topic: string, payload: string): void;
  onChanged(): void;
}

export interface Actions {
  add<P extends TObject>(action: Action<P>): void;
  clear(): void;
  describe(): object[];
  /** Undefined when there is no such action. */
  call(name: string, requestId: string, command: JsonObject): Answer | Promise<Answer> | undefined;
  cancel(requestId: string): Answer;
  respond(requestId: string, response: Json): Answer;
  /** Cancels all runs and waits for their end. */
  stop(): Promise<void>;
}

const CANCELED = "canceled";
const TIMEOUT = "timeout";

export function createActions({ streamTopic, publish, onChanged }: ActionsOptions): Actions {
  const actions = new Map<string, Action>();
  const runs = new Map<string, Run>();

  function event(requestId: string, stage: string, fields: object): void {
    publish(
      streamTopic(requestId),
      JSON.stringify({ stage, request_id: requestId, ts: new Date().toISOString(), ...fields }),
    );
  }

  function start({ action, requestId, lock, params }: Omit<RunOptions, "report">): Answer | Promise<Answer> {
    const report = action.stream ? (stage: string, fields: object) => event(requestId, stage, fields) : () => undefined;
    const run = startRun({ action, requestId, lock, params, report });
    runs.set(requestId, run);
    const outcome = run.outcome.finally(() => runs.delete(requestId));
    if (!action.stream) return outcome.then(answerOf);
    void outcome.then(({ stage, ...rest }) => {
      event(requestId, stage, rest);
      // Deletes the retained event, so that clients that connect later do not find an action that has ended.
      publish(streamTopic(requestId), "");
    });
    return { status: "accepted", stream_topic: streamTopic(requestId) };
  }

  return {
    add(action) {
      // The cast is safe: parameters are checked against this schema before they are passed to `run`.
      actions.set(action.id, action as unknown as Action);
      onChanged();
    },
    clear() {
      if (actions.size === 0) return;
      actions.clear();
      onChanged();
    },
    describe: () => [...actions.values()].map(describeAction),
    call(name, requestId, command) {
      const action = actions.get(name);
      if (!action) return undefined;
      if (runs.has(requestId)) return { status: "busy", active_request_id: requestId };
      const given = paramsOf(command);
      const checked = action.params ? checkValue(action.params, given) : { ok: true as const, value: given };
      if (!checked.ok) return { status: "error", error: checked.problems.join("; ") };
      const params = checked.value as JsonObject;
      const lock = lockOf(action, params);
      const active = lock === undefined ? undefined : [...runs].find(([, run]) => run.lock === lock)?.[0];
      if (active !== undefined) return { status: "busy", active_request_id: active };
      return start({ action, requestId, lock, params });
    },
    cancel(requestId) {
      const run = runs.get(requestId);
      if (!run) return { status: "error", error: "no such request is running" };
      if (!run.action.cancelable) return { status: "error", error: `"${run.action.id}" cannot be cancelled` };
      run.cancel();
      return { status: "ok" };
    },
    respond(requestId, response) {
      const run = runs.get(requestId);
      if (!run?.answer(response)) return { status: "error", error: "this request does not wait for an answer" };
      return { status: "ok" };
    },
    async stop() {
      const open = [...runs.values()];
      for (const run of open) run.cancel();
      await Promise.allSettled(open.map((run) => run.outcome));
    },
  };
}

function lockOf(action: Action, params: JsonObject): string | undefined {
  if (action.concurrency === "multi") return undefined;
  const item =
    action.concurrency === "per_item" && action.itemKey ? JSON.stringify(params[action.itemKey] ?? null) : "";
  return `${action.id}/${item}`;
}

function answerOf(outcome: Outcome): Answer {
  if (outcome.stage === "complete")
    return outcome.data === undefined ? { status: "ok" } : { status: "ok", data: outcome.data };
  return { status: "error", error: outcome.stage === "error" ? outcome.error : "canceled" };
}

function startRun({ action, requestId, lock, params, report }: RunOptions): Run {
  const abort = new AbortController();
  const { signal } = abort;
  let answer: ((response: Json) => void) | undefined;
  let over = false;

  function reportWhileRunning(stage: string, fields: object): void {
    if (!over) report(stage, fields);
  }

  const context: ActionContext = {
    requestId,
    signal,
    progress: (fields) => reportWhileRunning("progress", fields),
    item: (fields) => reportWhileRunning("item", fields),
    warning: (message) => reportWhileRunning("warning", { message }),
    ask(fields) {
      const response = Promise.withResolvers<Json>();
      answer = response.resolve;
      reportWhileRunning("awaiting_user", fields);
      return Promise.race([response.promise, rejectOnAbort(signal)]);
    },
  };

  async function work(): Promise<Json | undefined> {
    // The answer `accepted` is sent before the first event.
    if (action.stream) await Bun.sleep(0);
    return action.run(params, context);
  }

  async function finish(): Promise<Outcome> {
    const { timeoutMs } = action;
    const clock = timeoutMs === undefined ? undefined : setTimeout(() => abort.abort(TIMEOUT), timeoutMs);
    try {
      // An action that ignores its signal must not keep its lock for ever.
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
  // When it rejects, nobody may be waiting any more.
  aborted.promise.catch(() => undefined);
  if (signal.aborted) aborted.reject(signal.reason);
  else signal.addEventListener("abort", () => aborted.reject(signal.reason), { once: true });
  return aborted.promise;
}
