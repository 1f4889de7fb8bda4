// Cancels runs of rules with `cancel_on_false` as soon as the conditions of the rule no longer hold.
import type { Run } from "./entry.ts";
import { askConditions, failedConditions } from "./refusals.ts";
import { isOver, type Runs } from "./runs.ts";
import type { Waits } from "./waits.ts";

export function withCancelOnFalse(runs: Runs, waits: Pick<Waits, "until">): Runs {
  return {
    ...runs,
    begin(wanted) {
      const run = runs.begin(wanted);
      if (run.entry.rule.cancel_on_false) watch(run, { runs, waits });
      return run;
    },
  };
}

/** Until the run is over. */
function watch(run: Run, { runs, waits }: { runs: Runs; waits: Pick<Waits, "until"> }): void {
  const failed = () => failedConditions(askConditions(run.entry.rule, run.scope));
  const cancel = (): void => {
    if (!isOver(run)) runs.end(run, { note: `cancelled, because its conditions no longer hold: ${failed()?.why}` });
  };
  waits
    .until(() => failed() !== undefined, { timeoutMs: undefined, signal: run.abort.signal })
    .then(cancel, () => {
      // The run is over.
    });
}
