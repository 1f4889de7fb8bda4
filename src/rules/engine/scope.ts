// What conditions and actions can read and do. An error in a condition goes no further than its own trace.
import type { Clock } from "../../core/clock.ts";
import { HubError, messageOf } from "../../core/errors.ts";
import type { Json, JsonObject } from "../../core/json.ts";
import type { Log } from "../../core/log.ts";
import type {
  ActionScope,
  ConditionDefinition,
  ConditionScope,
  Evaluate,
  RuleControl,
  TriggerContext,
  Typed,
} from "../model/define.ts";
import { deviceOf, firstDeviceOf } from "../model/devices.ts";
import type { RuleHost } from "../model/host.ts";
import type { ActionTrace, ConditionTrace } from "../model/trace.ts";
import type { Run } from "./entry.ts";
import { isOver, type RunEnd, RunEnded } from "./runs.ts";
import { runActions, type SequenceTools, yieldIfDue } from "./sequence.ts";
import { clipCondition, clipText } from "./traces.ts";
import type { Waits } from "./waits.ts";

export interface ConditionScopeTools {
  readonly evaluate: Evaluate;
  readonly conditions: ReadonlyMap<string, ConditionDefinition>;
  readonly msSince: (at: number) => number;
}

export interface ConditionScopeInput {
  host: RuleHost;
  trigger: TriggerContext;
  vars: JsonObject;
  /** The rule's conditions: the first device in them is `deviceId` if the trigger has none. */
  conditions: readonly Typed[];
}

export interface ActionScopeTools {
  clock: Clock;
  log: Log;
  waits: Waits;
  sequence: SequenceTools;
  controlFor(run: Run): RuleControl;
  end(run: Run, end: RunEnd): void;
}

const MAX_TURNS = 10_000;
// Per minute, because a loop that waits may run for weeks.
const TURNS_WINDOW_MS = 60_000;

export function createConditionScope(
  { evaluate, conditions, msSince }: ConditionScopeTools,
  { host, trigger, vars, conditions: ownConditions }: ConditionScopeInput,
): ConditionScope {
  const scope: ConditionScope = {
    host,
    trigger,
    vars,
    msSince,
    deviceId: deviceOf(trigger) ?? firstDeviceOf(ownConditions),
    evaluate: (expression) => evaluate(expression, host, { trigger, vars }),
    isTrue(expression) {
      const value = scope.evaluate(expression);
      if (typeof value !== "boolean") throw notBoolean(expression, value);
      return value;
    },
    ask: (condition) => ask(conditions, condition, scope),
  };
  return scope;
}

export function createActionScope(tools: ActionScopeTools, run: Run, trace: ActionTrace): ActionScope {
  const { waits, log, end } = tools;
  const { scope, entry, abort, captured } = run;
  const { id, name } = entry.rule;
  const { signal } = abort;
  return {
    ...scope,
    ruleId: id,
    ruleName: name,
    actor: { kind: "rule", id, name },
    log,
    mono: tools.clock.mono,
    signal,
    captured,
    rules: tools.controlFor(run),
    async run(actions) {
      const yielding = yieldIfDue(run);
      if (yielding !== undefined) await yielding;
      if (isOver(run)) throw new RunEnded();
      trace.parts ??= [];
      await runActions(tools.sequence, run, { actions, into: trace.parts });
      if (isOver(run)) throw new RunEnded();
    },
    async delay(ms, key) {
      const onBegin = (cancel: () => void): Disposable => addDelay(run, key, cancel);
      const completed = await waits.forTime(Math.max(0, ms), { signal, onBegin });
      if (!completed) trace.result = "cancelled";
      return completed;
    },
    waitForEvent: async (wanted) => waits.forEvent(wanted, signal),
    async waitUntil(expression, timeoutMs) {
      const isTrue = (): boolean => scope.isTrue(expression);
      return waits.until(isTrue, { timeoutMs, signal });
    },
    exit(why) {
      addDetail(trace, why);
      end(run, { note: `ended by ${trace.type}: ${why}`, by: trace });
      throw new RunEnded();
    },
    turn: () => countTurn(run, tools.clock.mono()),
  };
}

/** An expression of the rule itself, evaluated as a condition. */
export function askExpression(type: string, expression: string, scope: ConditionScope): ConditionTrace {
  const expected = `${expression} is true`;
  try {
    const actual = scope.evaluate(expression);
    const trace = { type, passed: actual === true, expected, actual };
    return clipCondition(
      typeof actual === "boolean" ? trace : { ...trace, error: notBoolean(expression, actual).message },
    );
  } catch (error) {
    return { type, passed: false, expected, actual: null, error: messageOf(error) };
  }
}

function ask(
  conditions: ReadonlyMap<string, ConditionDefinition>,
  condition: Typed,
  scope: ConditionScope,
): ConditionTrace {
  const { type } = condition;
  try {
    const definition = conditions.get(type);
    if (!definition) throw new HubError("invalid", `there is no condition "${type}"`);
    return clipCondition({ type, ...definition.evaluate(condition, scope) });
  } catch (error) {
    const expected = "a condition that can be evaluated";
    return { type, passed: false, expected, actual: null, error: messageOf(error) };
  }
}

function notBoolean(expression: string, value: Json): HubError {
  return new HubError("invalid", `"${expression}" must give true or false, and gave ${JSON.stringify(value)}`);
}

function addDetail(trace: ActionTrace, what: string): void {
  trace.detail = clipText(trace.detail === undefined ? what : `${trace.detail}; ${what}`);
}

function addDelay({ delays }: Run, key: string | undefined, cancel: () => void): Disposable {
  const delay = { key, cancel };
  delays.add(delay);
  return { [Symbol.dispose]: () => void delays.delete(delay) };
}

function countTurn(run: Run, mono: number): void {
  const { counts } = run;
  if (isOver(run)) throw new RunEnded();
  if (mono - counts.turnsSince >= TURNS_WINDOW_MS) Object.assign(counts, { turns: 0, turnsSince: mono });
  if (++counts.turns <= MAX_TURNS) return;
  throw new HubError(
    "conflict",
    `the loop made more than ${MAX_TURNS} turns within a minute and was ended: add a delay, or correct its end condition`,
  );
}
