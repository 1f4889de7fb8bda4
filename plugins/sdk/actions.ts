// Runs the plugin's own actions: one answer each, or `accepted` and then events up to exactly one last.
import type { TObject } from "@sinclair/typebox";
import { type Action, describeAction, paramsOf } from "./action.ts";
import { type Outcome, type Run, type RunOptions, startRun } from "./action-run.ts";
import type { Json, JsonObject } from "./json.ts";
import { checkValue } from "./schema.ts";

/** What an answer on `manage/response` says beside its `request_id`. */
export interface Answer {
  status: "ok" | "error" | "accepted" | "busy";
  error?: string;
  data?: Json;
  stream_topic?: string;
  active_request_id?: string;
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
  /** Cancels whatever runs and waits for it. */
  stop(): Promise<void>;
}

export function createActions({ streamTopic, publish, onChanged }: ActionsOptions): Actions {
  const actions = new Map<string, Action>();
  const runs = new Map<string, Run>();

  function event(requestId: string, stage: string, fields: object): void {
    publish(
      streamTopic(requestId),
      JSON.stringify({ stage, request_id: requestId, ts: new Date().toISOString(), ...fields }),
    );
  }

  function start({ action, requestId, lock, params }: Omit<RunOptions, "say">): Answer | Promise<Answer> {
    const say = action.stream ? (stage: string, fields: object) => event(requestId, stage, fields) : () => undefined;
    const run = startRun({ action, requestId, lock, params, say });
    runs.set(requestId, run);
    const outcome = run.outcome.finally(() => runs.delete(requestId));
    if (!action.stream) return outcome.then(answerOf);
    void outcome.then(({ stage, ...rest }) => {
      event(requestId, stage, rest);
      // Nobody who connects later should find an action that is over.
      publish(streamTopic(requestId), "");
    });
    return { status: "accepted", stream_topic: streamTopic(requestId) };
  }

  return {
    add(action) {
      // The parameters are checked against this very schema before they are handed to `run`.
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
      if (!run?.answer(response)) return { status: "error", error: "that request does not wait for an answer" };
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
