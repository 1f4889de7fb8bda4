// What rules, and people through the API, can do to rules: run, pause, resume, cancel delays.
import { HubError } from "../../kit/schema/errors.ts";
import type { Clock } from "../../kit/time/clock.ts";
import { momentNow } from "../../kit/time/durable-moment.ts";
import type { RuleControl, RunRuleOptions } from "../model/define.ts";
import { type Entry, isOver, type PersistedState, type Run, toRow } from "./entry.ts";
import type { Evaluator } from "./evaluator.ts";
import type { RuleChains } from "./rule-chain.ts";
import { RunEnded } from "./runs/runs.ts";
import type { RuleStore } from "./store.ts";

export interface Control {
  find(ruleId: string): Entry;
  /** Stored durably when they return. */
  pause(ruleId: string, ms: number | undefined): void;
  resume(ruleId: string): void;
  cancelDelays(ruleId: string, key?: string): number;
  /** For the actions of this run. */
  for(run: Run): RuleControl;
}

export interface ControlOptions {
  clock: Clock;
  entries: ReadonlyMap<string, Entry>;
  store: Pick<RuleStore, "saveStateNow">;
  chains: RuleChains;
  evaluator: Evaluator;
  childrenOf(run: Run): Run[];
}

export function createControl(options: ControlOptions): Control {
  const { clock, entries, store, chains, evaluator } = options;

  function find(ruleId: string): Entry {
    const entry = entries.get(ruleId);
    if (!entry) throw unknownRule(ruleId);
    return entry;
  }

  function setPause(ruleId: string, pause: PersistedState["pause"]): void {
    const entry = find(ruleId);
    store.saveStateNow(toRow(ruleId, { ...entry.persisted, pause }));
    entry.persisted.pause = pause;
  }

  async function runFor(run: Run, ruleId: string, options: RunRuleOptions): Promise<void> {
    const { conditions, wait, parameters, onBegin } = options;
    const entry = find(ruleId);
    if (!entry.rule.enabled) throw new HubError("conflict", `the rule "${entry.rule.name}" is disabled`);
    const { id, name } = run.entry.rule;
    const activation = {
      type: "run_rule",
      label: `run by the rule "${name}"`,
      context: { rule_id: id, rule_name: name },
      // A run that waits for the other rule stays in its chain, however long that takes.
      chain: wait ? run.chain : chains.chainAfter(run),
      parent: wait ? run : undefined,
    };
    const evaluated = evaluator.command(entry, activation, { conditions, parameters });
    if (evaluated.run && wait) {
      onBegin?.(evaluated.run.trace.id);
      await evaluated.run.finished.promise;
    }
    if (evaluated.run || evaluated.trace.outcome === "conditions_failed") return;
    throw new HubError("conflict", `the rule "${entry.rule.name}" did not run: ${evaluated.trace.why}`);
  }

  /** An action whose run is over can no longer control other rules. */
  function controlOf(run: Run): RuleControl {
    const whileRunning = (): Control => {
      if (isOver(run)) throw new RunEnded();
      return control;
    };
    return {
      async run(ruleId, how) {
        whileRunning();
        await runFor(run, ruleId, how);
      },
      async awaitRun(ruleId) {
        whileRunning();
        const children = options.childrenOf(run).filter(({ entry }) => entry.rule.id === ruleId);
        await Promise.all(children.map(({ finished }) => finished.promise));
        return children.length > 0;
      },
      pause: (ruleId, ms) => whileRunning().pause(ruleId, ms),
      resume: (ruleId) => whileRunning().resume(ruleId),
      cancelDelays: (ruleId, key) => whileRunning().cancelDelays(ruleId, key),
    };
  }

  const control: Control = {
    find,
    pause: (ruleId, ms) => setPause(ruleId, { since: momentNow(clock), ms }),
    resume: (ruleId) => setPause(ruleId, undefined),
    cancelDelays(ruleId, key) {
      const pending = [...find(ruleId).running].flatMap(({ delays }) => [...delays]);
      const cancelled = pending.filter((delay) => key === undefined || delay.key === key);
      for (const { cancel } of cancelled) cancel();
      return cancelled.length;
    },
    for: controlOf,
  };
  return control;
}

/** For a simulation: only checks that the rule exists. */
export function dryControl(has: (ruleId: string) => boolean): RuleControl {
  const check = (ruleId: string): void => {
    if (!has(ruleId)) throw unknownRule(ruleId);
  };
  return {
    run: async (ruleId) => check(ruleId),
    awaitRun: async () => false,
    pause: check,
    resume: check,
    cancelDelays(ruleId) {
      check(ruleId);
      return 0;
    },
  };
}

function unknownRule(ruleId: string): HubError {
  return new HubError("not_found", `there is no rule "${ruleId}"`);
}
