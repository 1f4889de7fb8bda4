// What of a run is on disk beside its position: what it began with, and what it changes on its way.
import { isObject, type JsonObject, parseJson } from "../../../kit/schema/json.ts";
import type { Run } from "../entry.ts";
import type { RunRow } from "./run-store.ts";

/** What a run began with. */
export interface Begun {
  /** Epoch ms. */
  readonly at: number;
  /** By which it is seen whether the rule's actions are still the same: see action-mark.ts. */
  readonly actions: string;
  readonly trigger: { readonly type: string; readonly label: string; readonly context: JsonObject };
  readonly why: string;
  /** Names of the rules that led to it, with its own. */
  readonly chain: readonly string[];
  /** Of the trigger, if it fired after a while: see holds.ts. */
  readonly hold: string | undefined;
  /** The run that waits for it. */
  readonly parent: string | undefined;
}

export interface Changing {
  readonly vars: JsonObject;
  readonly captured: Readonly<Record<string, Readonly<Record<string, JsonObject>>>>;
}

// Raised when older rows can no longer be read.
const VERSION = 1;
// More than the context of any event.
const MAX_DEPTH = 200;

export function begunOf(run: Run, actions: string): string {
  const { trace, scope, chain, parent, hold } = run;
  const { type, label } = trace.trigger;
  const begun: Begun = {
    ...{ at: trace.at, actions, why: trace.why, chain, hold, parent: parent?.trace.id },
    trigger: { type, label, context: scope.trigger },
  };
  return JSON.stringify({ version: VERSION, ...begun });
}

export function changingOf({ scope, captured }: Run): string {
  const changing: Changing = { vars: scope.vars, captured: Object.fromEntries(captured) };
  return JSON.stringify(changing);
}

/** Throws TypeError if it is not what `begunOf` gives. */
export function readBegun({ begun }: Pick<RunRow, "begun">): Begun {
  const { version, at, actions, trigger, why, chain, hold, parent } = objectOf(begun);
  if (version !== VERSION) throw new TypeError(`it is of version ${JSON.stringify(version)}`);
  if (typeof at !== "number" || !Number.isFinite(at)) throw new TypeError("it has no time");
  if (!isObject(trigger) || !isObject(trigger.context)) throw new TypeError("it has no trigger");
  if (!Array.isArray(chain)) throw new TypeError("it has no chain of rules");
  return {
    at,
    actions: String(actions),
    trigger: { type: String(trigger.type), label: String(trigger.label), context: trigger.context },
    why: String(why),
    chain: chain.map(String),
    hold: typeof hold === "string" ? hold : undefined,
    parent: typeof parent === "string" ? parent : undefined,
  };
}

/** Throws TypeError if it is not what `changingOf` gives. */
export function readChanging({ vars: text }: Pick<RunRow, "vars">): Changing {
  const { vars, captured } = objectOf(text);
  if (!isObject(vars) || !isObject(captured)) throw new TypeError("it has no variables");
  return { vars, captured: captured as Changing["captured"] };
}

/** Throws TypeError if it is not the JSON of an object. */
export function objectOf(text: unknown): JsonObject {
  const parsed = typeof text === "string" ? parseJson(text, MAX_DEPTH) : undefined;
  if (parsed?.ok && isObject(parsed.value)) return parsed.value;
  throw new TypeError("it is no JSON object");
}
