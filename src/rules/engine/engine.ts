// The rule engine: it holds the rules, fires them by events and the clock, and records every decision in a trace. If a rule
// is replaced by an equal one, nothing changes. If its actions change, or it is disabled or removed, its runs are cancelled;
// any other change leaves them alone.
import { within } from "../../kit/lifecycle/lifecycle.ts";
import { HubError, messageOf } from "../../kit/schema/errors.ts";
import { jsonEqual } from "../../kit/schema/json.ts";
import type { PrivateBooleans, TriggerContext } from "../model/define.ts";
import type { Trace } from "../model/trace.ts";
import type { Rule } from "../read/rule.ts";
import { type Entry, fromRow, newEntry, type PersistedState, type RuleState, stateOf } from "./entry.ts";
import type { Evaluated } from "./evaluator.ts";
import { type RunInfo, runsOf } from "./runs/run-list.ts";
import { type EngineOptions, type EngineWiring, wireEngine } from "./wire-engine.ts";

export type { EngineOptions, RuleState };

export interface RunOptions {
  conditions?: boolean;
  /** The person who runs it. */
  actor?: { name: string };
}

export interface RuleStanding {
  refusal: string | undefined;
  captured: Entry["captured"];
  privateBooleans: PrivateBooleans;
}

const ANSWER_WITHIN_MS = 2000;
const KEEP_STATE_MS = 30 * 86_400_000;

/** Methods that take an id throw HubError `not_found`, except `remove`. */
export class Engine implements AsyncDisposable {
  readonly #options: EngineOptions;
  readonly #wiring: EngineWiring;
  readonly #stack = new DisposableStack();
  readonly #entries = new Map<string, Entry>();
  /** By id; also of removed rules. */
  readonly #persisted: Map<string, PersistedState>;
  #isReady = false;

  constructor(options: EngineOptions) {
    this.#options = options;
    this.#wiring = wireEngine(options, { entries: this.#entries, stack: this.#stack });
    this.#persisted = new Map(
      this.#wiring.store.states().map((row) => [row.rule_id, fromRow(options.clock, row)] as const),
    );
  }

  /** Adds a rule, or replaces the one with this id. */
  put(rule: Rule): void {
    const entry = this.#entries.get(rule.id);
    if (entry && jsonEqual(entry.rule, rule)) return;
    if (entry) this.#change(entry, rule);
    const current = entry ?? this.#add(rule);
    if (this.#isReady) this.#wiring.triggers.wire(current);
  }

  /** Does nothing if there is no such rule. Its cooldown and counts are kept for a while, in case it comes back. */
  remove(id: string): void {
    const { triggers, runs, traces } = this.#wiring;
    const entry = this.#entries.get(id);
    if (!entry) return;
    triggers.unwire(entry);
    runs.cancel(entry, "the rule was removed");
    traces.forget(entry);
    this.#entries.delete(id);
  }

  /** To be called once, after all rules were put and before `system_started`: from now on triggers fire. */
  ready(): void {
    const { schedules, store, holds, restoreRuns, booleans } = this.#wiring;
    if (this.#isReady) return;
    this.#isReady = true;
    for (const entry of this.#entries.values()) this.#wire(entry);
    schedules.deleteStaleMarks();
    store.forget((id) => this.#entries.has(id), this.#options.clock.now() - KEEP_STATE_MS);
    booleans.forget((id) => this.#entries.has(id));
    // Before anything fires, so that run modes see them.
    const restored = restoreRuns();
    const fired = new Set(restored.flatMap(({ hold }) => hold ?? []));
    holds.restore(
      [...this.#entries.values()].flatMap((entry) => entry.triggers),
      fired,
    );
  }

  /**
   * Runs the actions by hand, also if the rule is disabled, paused or in its cooldown; with `conditions` only if they pass.
   * Resolves when the run is over, or after two seconds with the trace so far.
   */
  async run(id: string, { conditions = false, actor }: RunOptions = {}): Promise<Trace> {
    const entry = this.#wiring.control.find(id);
    if (!this.#isReady) throw new HubError("unavailable", "the hub is starting: rules do not run yet");
    const label = actor ? `run by hand, by ${actor.name}` : "run by hand";
    const context: TriggerContext = actor ? { actor_name: actor.name } : {};
    const activation = { type: "manual_trigger", label, context, chain: [] };
    return this.#answer(this.#wiring.evaluator.command(entry, activation, { conditions }));
  }

  /** For a test: why it would not fire now even if its conditions pass, and what it has captured and remembered. */
  standing(id: string): RuleStanding {
    const { control, evaluator, booleans } = this.#wiring;
    const entry = control.find(id);
    const privateBooleans = booleans.of(id);
    return { refusal: evaluator.refusalNow(entry), captured: entry.captured, privateBooleans };
  }

  /** The last fifty, newest first. */
  traces(id: string): Trace[] {
    const { traces, control } = this.#wiring;
    return traces.of(control.find(id));
  }

  state(id: string): RuleState {
    return stateOf(this.#options.clock, this.#wiring.control.find(id));
  }

  /** In progress, and queued ones. */
  runs(id: string): RunInfo[] {
    return runsOf(this.#options.clock, this.#wiring.control.find(id));
  }

  /** HubError `not_found` if the rule has no such run. */
  cancelRun(id: string, runId: string, actor: { name: string }): void {
    const { control, runs } = this.#wiring;
    const entry = control.find(id);
    const run = runs.find(runId);
    if (run?.entry !== entry) throw new HubError("not_found", `the rule has no run "${runId}" in progress`);
    runs.end(run, { note: `cancelled by ${actor.name}` });
  }

  /** Without `ms` until it is resumed. Stored durably when it returns. */
  pause(id: string, ms?: number): void {
    this.#wiring.control.pause(id, ms);
  }

  /** Stored durably when it returns. */
  resume(id: string): void {
    this.#wiring.control.resume(id);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#wiring.runs.stop(this.#entries.values());
    this.#stack[Symbol.dispose]();
  }

  #add(rule: Rule): Entry {
    const persisted = this.#persisted.get(rule.id) ?? { fired: undefined, fireCount: 0, pause: undefined };
    this.#persisted.set(rule.id, persisted);
    const entry = newEntry(rule, persisted);
    this.#entries.set(rule.id, entry);
    return entry;
  }

  #change(entry: Entry, rule: Rule): void {
    const cancels = !rule.enabled || !jsonEqual(entry.rule.actions, rule.actions);
    Object.assign(entry, { rule, blockedUntil: Number.NEGATIVE_INFINITY, lastError: undefined });
    if (cancels) this.#wiring.runs.cancel(entry, rule.enabled ? "its actions were changed" : "the rule was disabled");
  }

  /** An error in one rule does not keep the others from running. */
  #wire(entry: Entry): void {
    try {
      this.#wiring.triggers.wire(entry);
    } catch (error) {
      const message = messageOf(error);
      entry.lastError = { at: this.#options.clock.now(), message };
      this.#options.log.error("the triggers of a rule cannot be set up", { rule: entry.rule.name, error: message });
    }
  }

  async #answer(evaluated: Evaluated): Promise<Trace> {
    if (!evaluated.run) return structuredClone(evaluated.trace);
    const { trace, finished } = evaluated.run;
    await within(this.#options.clock, ANSWER_WITHIN_MS, "rules: answer", finished.promise);
    return structuredClone(trace);
  }
}
