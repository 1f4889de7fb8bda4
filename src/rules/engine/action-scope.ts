// What one action may look at and do.
import type { Clock } from "../../core/clock.ts";
import { HubError } from "../../core/errors.ts";
import type { Log } from "../../core/log.ts";
import type { ActionScope, RuleControl } from "../define.ts";
import type { ActionTrace } from "../trace.ts";
import { clipText } from "./clip.ts";
import type { Run } from "./entry.ts";
import { isOver, type RunEnd } from "./run.ts";
import { RunEnded } from "./run-ended.ts";
import { runActions, type SequenceTools, takeBreath } from "./sequence.ts";
import type { Waits } from "./waits.ts";

export interface ActionScopeTools {
  clock: Clock;
  log: Log;
  waits: Waits;
  sequence(): SequenceTools;
  controlFor(run: Run): RuleControl;
  end(run: Run, end: RunEnd): void;
}

const MOST_TURNS = 10_000;
// A loop that waits may go on for weeks.
const TURNS_WITHIN_MS = 60_000;

export function createActionScope(tools: ActionScopeTools, run: Run, trace: ActionTrace): ActionScope {
  const { waits, log, end } = tools;
  const { scope, entry, dry, abort, captured } = run;
  const { id, name } = entry.rule;
  const { signal } = abort;
  return {
    ...scope,
    host: dry?.telling((what) => tell(trace, what)) ?? scope.host,
    ruleId: id,
    ruleName: name,
    actor: { kind: "rule", id, name },
    log,
    dryRun: dry !== undefined,
    mono: tools.clock.mono,
    signal,
    captured,
    rules: tools.controlFor(run),
    async run(actions) {
      const breath = takeBreath(run);
      if (breath !== undefined) await breath;
      if (isOver(run)) throw new RunEnded();
      trace.parts ??= [];
      await runActions(tools.sequence(), run, { actions, into: trace.parts });
      if (isOver(run)) throw new RunEnded();
    },
    async delay(ms, key) {
      if (dry) return true;
      const whole = await waits.forTime(Math.max(0, ms), { signal, onBegin: (cancel) => keepDelay(run, key, cancel) });
      if (!whole) trace.result = "cancelled";
      return whole;
    },
    waitForEvent: async (wanted) => (dry ? undefined : waits.forEvent(wanted, signal)),
    async waitUntil(expression, timeoutMs) {
      const holds = (): boolean => scope.holds(expression);
      return dry ? holds() : waits.until(holds, { timeoutMs, signal });
    },
    exit(why) {
      tell(trace, why);
      end(run, { told: `ended by ${trace.type}: ${why}`, by: trace });
      throw new RunEnded();
    },
    turn: () => countTurn(run, tools.clock.mono()),
  };
}

function tell(trace: ActionTrace, what: string): void {
  trace.detail = clipText(trace.detail === undefined ? what : `${trace.detail}; ${what}`);
}

function keepDelay({ delays }: Run, key: string | undefined, cancel: () => void): Disposable {
  const delay = { key, cancel };
  delays.add(delay);
  return { [Symbol.dispose]: () => void delays.delete(delay) };
}

function countTurn(run: Run, mono: number): void {
  const { counts } = run;
  if (isOver(run)) throw new RunEnded();
  if (mono - counts.turnsSince >= TURNS_WITHIN_MS) Object.assign(counts, { turns: 0, turnsSince: mono });
  if (++counts.turns <= MOST_TURNS) return;
  throw new HubError(
    "conflict",
    `the loop turned more than ${MOST_TURNS} times within a minute, and was ended: give it a delay, or look at what is to end it`,
  );
}
