// An action of a plugin, as its author writes it and as it is described to the hub.
import type { Static, TObject } from "@sinclair/typebox";
import type { Json, JsonObject, LooseJson } from "./json.ts";

export interface ActionContext {
  readonly requestId: string;
  /** Aborts when the action is cancelled, has run out of time, or the plugin stops. */
  readonly signal: AbortSignal;
  /** The next three need `stream: true`; without it they do nothing. */
  progress(fields: LooseJson): void;
  item(fields: LooseJson): void;
  warning(message: string): void;
  /** Asks the person and waits for the answer. Needs `stream: true`. */
  ask(fields: LooseJson): Promise<Json>;
}

export interface Action<P extends TObject = TObject> {
  id: string;
  label: string;
  description?: string;
  params?: P;
  /** JSON Schema of what `run` returns. */
  result?: object;
  /** True for work that takes longer than the 5 s the hub waits for an answer: it is accepted at once and reports by events. */
  stream?: boolean;
  cancelable?: boolean;
  /** `single` (default): a second call gets `busy`; `per_item`: one call for each value of `itemKey`; `multi`: no limit. */
  concurrency?: "single" | "per_item" | "multi";
  /** The parameter that identifies the item. */
  itemKey?: string;
  /** Default `admin`. */
  requiresRole?: "admin" | "user" | "viewer";
  timeoutMs?: number;
  run(params: Static<P>, context: ActionContext): Json | undefined | Promise<Json | undefined>;
}

/** The description of an action in the plugin's capabilities. */
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

/** The parameters of a call: its `params`, or all fields besides `action` and `request_id`. */
export function paramsOf(command: JsonObject): JsonObject {
  const { action: _action, request_id: _requestId, params, ...rest } = command;
  return typeof params === "object" && params !== null && !Array.isArray(params) ? params : rest;
}
