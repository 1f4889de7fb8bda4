// An action of a plugin's own, as its author writes it and as the hub is told of it.
import type { Static, TObject } from "@sinclair/typebox";
import type { Json, JsonObject, LooseJson } from "./json.ts";

export interface ActionContext {
  readonly requestId: string;
  /** Aborts when the action is cancelled, has run out of time, or the plugin stops. */
  readonly signal: AbortSignal;
  /** The next three need `stream: true`; without it they are silent. */
  progress(fields: LooseJson): void;
  item(fields: LooseJson): void;
  warning(message: string): void;
  /** Tells the person what is wanted and waits for the answer. Needs `stream: true`. */
  ask(fields: LooseJson): Promise<Json>;
}

export interface Action<P extends TObject = TObject> {
  id: string;
  label: string;
  description?: string;
  params?: P;
  /** JSON Schema of what `run` returns. */
  result?: object;
  /** True for work longer than the 5 s the hub waits for an answer: it is accepted at once and reports in events. */
  stream?: boolean;
  cancelable?: boolean;
  /** `single` (the default): a second call is told `busy`; `per_item`: one for each value of `itemKey`; `multi`: no limit. */
  concurrency?: "single" | "per_item" | "multi";
  /** The parameter that tells items apart. */
  itemKey?: string;
  /** Default `admin`. */
  requiresRole?: "admin" | "user" | "viewer";
  timeoutMs?: number;
  run(params: Static<P>, context: ActionContext): Json | undefined | Promise<Json | undefined>;
}

/** How an action stands in the plugin's capabilities. */
export function describeAction(action: Action): object {
  return {
    id: action.id,
    label: action.label,
    description: action.description,
    params: action.params,
    result: action.result,
    stream: action.stream ?? false,
    cancelable: action.cancelable ?? false,
    concurrency: action.concurrency ?? "single",
    item_key: action.itemKey,
    requires_role: action.requiresRole ?? "admin",
    timeout_ms: action.timeoutMs,
  };
}

/** The parameters of a call: its `params`, or whatever stands beside `action` and `request_id`. */
export function paramsOf(command: JsonObject): JsonObject {
  const { action: _action, request_id: _requestId, params, ...rest } = command;
  return typeof params === "object" && params !== null && !Array.isArray(params) ? params : rest;
}
