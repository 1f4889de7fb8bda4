// What rules may do to rules, and people through the API: run, pause, resume, cancel delays.
import type { Clock } from "../../core/clock.ts";
import { HubError } from "../../core/errors.ts";
import type { RuleControl } from "../define.ts";
import type { Causes } from "./causes.ts";
import type { Entry, Run } from "./entry.ts";
import type { Evaluator } from "./evaluator.ts";
import { momentNow } from "./moment.ts";
import { stateRow } from "./remember.ts";
import { isOver } from "./run.ts";
import { RunEnded } from "./run-ended.ts";
import type { RuleStore } from "./store.ts";

export interface Control {
  find(ruleId: string): Entry;
  /** Durable when they return. */
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
  causes: Causes;
  evaluator: Evaluator;
}

export function createControl({ clock, entries, store, causes, evaluator }: ControlOptions): Control {
  function find(ruleId: string): Entry {
    const entry = entries.get(ruleId);
    if (!entry) throw new HubError("not_found", `there is no rule "${ruleId}"`);
    return entry;
  }

  function setPause(ruleId: string, pause: Entry["remembered"]["pause"]): void {
    const entry = find(ruleId);
    store.saveStateNow(stateRow(ruleId, { ...entry.remembered, pause }));
    entry.remembered.pause = pause;
  }

  async function runFor(run: Run, ruleId: string, { conditions, wait }: { conditions: boolean; wait: boolean }) {
    const entry = find(ruleId);
    if (!entry.rule.enabled) throw new HubError("conflict", `the rule "${entry.rule.name}" is disabled`);
    const { id, name } = run.entry.rule;
    const occasion = {
      type: "run_rule",
      label: `run by the rule "${name}"`,
      context: { rule_id: id, rule_name: name },
      // Who waits for the other one is in it, however long it takes.
      chain: wait ? run.chain : causes.chainAfter(run),
    };
    const evaluated = evaluator.command(entry, occasion, { conditions });
    if (evaluated.run && wait) await evaluated.run.finished.promise;
    if (evaluated.run || evaluated.trace.outcome === "conditions_failed") return;
    throw new HubError("conflict", `the rule "${entry.rule.name}" did not run: ${evaluated.trace.why}`);
  }

  /** What a cancelled action still wants of other rules does not happen. */
  function controlOf(run: Run): RuleControl {
    const atWork = (): Control => {
      if (isOver(run)) throw new RunEnded();
      return control;
    };
    return {
      async run(ruleId, options) {
        atWork();
        await runFor(run, ruleId, options);
      },
      pause: (ruleId, ms) => atWork().pause(ruleId, ms),
      resume: (ruleId) => atWork().resume(ruleId),
      cancelDelays: (ruleId, key) => atWork().cancelDelays(ruleId, key),
    };
  }

  const control: Control = {
    find,
    pause: (ruleId, ms) => setPause(ruleId, { since: momentNow(clock), ms }),
    resume: (ruleId) => setPause(ruleId, undefined),
    cancelDelays(ruleId, key) {
      const pending = [...find(ruleId).running].flatMap(({ delays }) => [...delays]);
      const meant = pending.filter((delay) => key === undefined || delay.key === key);
      for (const { cancel } of meant) cancel();
      return meant.length;
    },
    for: (run) => (run.dry ? dryControl(find) : controlOf(run)),
  };
  return control;
}

/** Of a dry run: looks whether there is such a rule, and leaves it alone. */
function dryControl(find: Control["find"]): RuleControl {
  return {
    run: async (ruleId) => void find(ruleId),
    pause: (ruleId) => void find(ruleId),
    resume: (ruleId) => void find(ruleId),
    cancelDelays(ruleId) {
      find(ruleId);
      return 0;
    },
  };
}
