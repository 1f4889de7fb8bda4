// The event at the end of each run, one for every run that began: `rule_fired` where its actions were executed, also if some of
// them failed or it ended itself, and `rule_run_ended` where something else ended it before.
import { background } from "../../../kit/lifecycle/lifecycle.ts";
import type { Log } from "../../../kit/lifecycle/log.ts";
import type { RuleHost } from "../../model/host.ts";
import type { Run } from "../entry.ts";
import type { RuleChains } from "../rule-chain.ts";
import type { RunEnd } from "./runs.ts";

/** Disposing of it emits at once what waits. */
export interface RunEvents extends Disposable {
  ended(run: Run, how: RunEnd): void;
  /** Of a run from before the start that nobody takes up. The name is undefined if its rule is gone. */
  lost(run: { ruleId: string; ruleName: string | undefined; id: string }, why: string): void;
}

export interface RunEventsOptions {
  host: Pick<RuleHost, "emit">;
  log: Log;
  chains: Pick<RuleChains, "during">;
  /** See `EngineOptions`. */
  waitKept: (() => Promise<void> | undefined) | undefined;
}

export function createRunEvents({ host, log, chains, waitKept }: RunEventsOptions): RunEvents {
  /** The types of triggers as `rule_fired` spells them, by ours. */
  const wireTypes = new Map<string, string>();
  /** They are over; the other machine of the house does not have yet what they changed. */
  const held = new Set<Run>();

  function wireTypeOf(type: string): string {
    const known = wireTypes.get(type) ?? upperCamelCase(type);
    wireTypes.set(type, known);
    return known;
  }

  function fired({ entry: { rule }, trace: { trigger }, scope }: Run): void {
    host.emit({
      type: "rule_fired",
      rule_id: rule.id,
      rule_name: rule.name,
      trigger_type: wireTypeOf(trigger.type),
      trigger_context: scope.trigger,
      trigger_label: trigger.label,
    });
  }

  function emitFired(run: Run): void {
    held.add(run);
    const confirmed = waitKept?.();
    if (confirmed === undefined) release(run);
    else
      background(
        log,
        "rule_fired",
        confirmed.then(() => release(run)),
      );
  }

  function release(run: Run): void {
    if (held.delete(run)) chains.during(run, () => fired(run));
  }

  function broken({ entry: { rule }, trace }: Run, reason: string): void {
    host.emit({ type: "rule_run_ended", rule_id: rule.id, rule_name: rule.name, run_id: trace.id, reason });
  }

  function warn(rule: string, why: string): void {
    log.warn("a run of a rule that was waiting does not go on", { rule, why });
  }

  return {
    ended(run, { executed, by, note, lost }) {
      if (lost !== undefined) warn(run.entry.rule.name, lost);
      const reason = lost ?? note;
      if (executed || by) emitFired(run);
      else if (reason !== undefined) chains.during(run, () => broken(run, reason));
    },
    lost({ ruleId, ruleName = ruleId, id }, reason) {
      warn(ruleName, reason);
      host.emit({ type: "rule_run_ended", rule_id: ruleId, rule_name: ruleName, run_id: id, reason });
    },
    [Symbol.dispose]() {
      for (const run of held) release(run);
    },
  };
}

function upperCamelCase(type: string): string {
  return type.replace(/(?:^|_)([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
}
