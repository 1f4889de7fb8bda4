// Cancels runs of rules with `cancel_on_false` as soon as the conditions of the rule no longer hold.
import type { Clock } from "../../../kit/time/clock.ts";
import { momentNow } from "../../../kit/time/durable-moment.ts";
import { isOver, type Run } from "../entry.ts";
import { askConditions, failedConditions } from "../refusals.ts";
import type { Runs } from "../runs/runs.ts";
import type { Waits } from "../waits.ts";

export interface CancelOnFalseTools {
  clock: Clock;
  waits: Pick<Waits, "until">;
}

export function withCancelOnFalse(runs: Runs, tools: CancelOnFalseTools): Runs {
  const watchIfWanted = (run: Run | undefined): void => {
    if (run?.entry.rule.cancel_on_false && !isOver(run)) watch(run, runs, tools);
  };
  return {
    ...runs,
    begin(wanted) {
      const run = runs.begin(wanted);
      watchIfWanted(run);
      return run;
    },
    restore(stored) {
      runs.restore(stored);
      for (const { trace } of stored) watchIfWanted(runs.find(trace.id));
    },
  };
}

/** Until the run is over. */
function watch(run: Run, runs: Runs, { clock, waits }: CancelOnFalseTools): void {
  const failed = () => failedConditions(askConditions(run.entry.rule, run.scope));
  const cancel = (): void => {
    if (!isOver(run)) runs.end(run, { note: `cancelled, because its conditions no longer hold: ${failed()?.why}` });
  };
  waits
    .until(() => failed() !== undefined, {
      deadline: { since: momentNow(clock), ms: undefined },
      signal: run.abort.signal,
    })
    .then(cancel, () => {
      // The run is over.
    });
}
