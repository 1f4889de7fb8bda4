// The rule engine: rules in, and what happens in the house; out come commands, events and a trace of every decision.
// A rule that is replaced by an equal one goes on as if nothing was; a change of its actions, its disabling or its removal
// cancels what it is doing, any other change does not.
import { HubError, messageOf } from "../../core/errors.ts";
import { jsonEqual } from "../../core/json.ts";
import { within } from "../../core/lifecycle.ts";
import type { Rule } from "../rule.ts";
import type { Trace } from "../trace.ts";
import type { Entry } from "./entry.ts";
import type { Evaluated } from "./evaluator.ts";
import { type MadeUp, madeUpOccasion } from "./made-up.ts";
import { createParts, type EngineOptions } from "./parts.ts";
import { newEntry, type RuleState, recall, stateOf } from "./remember.ts";

export type { EngineOptions, MadeUp, RuleState };

export interface Engine extends AsyncDisposable {
  /** Adds a rule, or replaces the one of this id. */
  put(rule: Rule): void;
  /** Nothing happens where there is none. Its cooldown and counts stay for a while, in case it comes back. */
  remove(id: string): void;
  /** Once, when all rules were put: from now on events and the clock set them off. Before `system_started`. */
  ready(): void;
  /**
   * Runs the actions by hand, also of a rule that is disabled, paused or in its cooldown; `conditions`: only if they pass.
   * Answers when it is over or after two seconds, with the trace as it is then. Throws HubError `not_found`.
   */
  run(id: string, options?: { conditions?: boolean; actor?: { name: string } }): Promise<Trace>;
  /** What the rule would do, without effect; delays pass at once. Its trace is not kept. Throws HubError `not_found`. */
  test(id: string, trigger?: MadeUp): Promise<Trace>;
  /** The last fifty, newest first. Throws HubError `not_found`. */
  traces(id: string): Trace[];
  /** Throws HubError `not_found`. */
  state(id: string): RuleState;
  /** Until resumed where `ms` is not given. Durable when they return. Throw HubError `not_found`. */
  pause(id: string, ms?: number): void;
  resume(id: string): void;
}

const ANSWER_WITHIN_MS = 2000;
const REMEMBER_GONE_MS = 30 * 86_400_000;

export function startEngine(options: EngineOptions): Engine {
  const { clock, log, vocabulary } = options;
  const entries = new Map<string, Entry>();
  const stack = new DisposableStack();
  const parts = createParts(options, { entries, stack });
  const { store, traces, runs, evaluator, control, triggers, holds, schedules } = parts;
  const remembered = new Map(store.states().map((row) => [row.rule_id, recall(clock, row)]));
  let isReady = false;

  function add(rule: Rule): Entry {
    const known = remembered.get(rule.id) ?? { fired: undefined, fireCount: 0, pause: undefined };
    remembered.set(rule.id, known);
    const entry = newEntry(rule, known);
    entries.set(rule.id, entry);
    return entry;
  }

  /** One that cannot be listened for keeps no other from running. */
  function wire(entry: Entry): void {
    try {
      triggers.wire(entry);
    } catch (error) {
      const message = messageOf(error);
      entry.lastError = { at: clock.now(), message };
      log.error("a rule cannot be set off", { rule: entry.rule.name, error: message });
    }
  }

  function change(entry: Entry, rule: Rule): void {
    const cancels = !rule.enabled || !jsonEqual(entry.rule.actions, rule.actions);
    Object.assign(entry, { rule, restsUntil: Number.NEGATIVE_INFINITY, lastError: undefined });
    if (cancels) runs.cancel(entry, rule.enabled ? "its actions were changed" : "the rule was disabled");
  }

  async function answer(evaluated: Evaluated): Promise<Trace> {
    if (!evaluated.run) return structuredClone(evaluated.trace);
    const { trace, finished } = evaluated.run;
    await within(clock, ANSWER_WITHIN_MS, "rules: answer", finished.promise);
    return structuredClone(trace);
  }

  return {
    put(rule) {
      const entry = entries.get(rule.id);
      if (entry && jsonEqual(entry.rule, rule)) return;
      if (entry) change(entry, rule);
      const current = entry ?? add(rule);
      if (isReady) triggers.wire(current);
    },
    remove(id) {
      const entry = entries.get(id);
      if (!entry) return;
      triggers.unwire(entry);
      runs.cancel(entry, "the rule was removed");
      traces.forget(entry);
      entries.delete(id);
    },
    ready() {
      if (isReady) return;
      isReady = true;
      for (const entry of entries.values()) wire(entry);
      schedules.forgetOthers();
      store.forget((id) => entries.has(id), clock.now() - REMEMBER_GONE_MS);
      holds.restore([...entries.values()].flatMap((entry) => entry.triggers));
    },
    async run(id, { conditions = false, actor } = {}) {
      const entry = control.find(id);
      if (!isReady) throw new HubError("unavailable", "the hub is starting: rules do not run yet");
      const label = actor ? `run by hand, by ${actor.name}` : "run by hand";
      const context: Trace["trigger"]["context"] = actor ? { actor_name: actor.name } : {};
      return answer(evaluator.command(entry, { type: "manual_trigger", label, context, chain: [] }, { conditions }));
    },
    async test(id, trigger = {}) {
      const entry = control.find(id);
      const occasion = madeUpOccasion(entry, trigger, { definitions: vocabulary.triggers, traces });
      return answer(evaluator.dryRun(entry, occasion));
    },
    traces: (id) => traces.of(control.find(id)),
    state: (id) => stateOf(clock, control.find(id)),
    pause: (id, ms) => control.pause(id, ms),
    resume: control.resume,
    async [Symbol.asyncDispose]() {
      stack[Symbol.dispose]();
      for (const entry of entries.values()) {
        runs.cancel(entry, "the hub stopped");
      }
    },
  };
}
