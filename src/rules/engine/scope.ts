// What conditions and actions can read and do. An error in a condition goes no further than its own trace.
import type { Log } from "../../kit/lifecycle/log.ts";
import { HubError, messageOf } from "../../kit/schema/errors.ts";
import type { Json, JsonObject } from "../../kit/schema/json.ts";
import type { Clock } from "../../kit/time/clock.ts";
import { momentNow, msSince } from "../../kit/time/durable-moment.ts";
import type {
  ActionScope,
  ConditionDefinition,
  ConditionScope,
  Evaluate,
  PrivateBooleans,
  RuleControl,
  TriggerContext,
  Typed,
} from "../model/define.ts";
import { deviceOf, firstDeviceOf } from "../model/devices.ts";
import type { HouseReads, RuleHost } from "../model/host.ts";
import type { ActionTrace, ConditionTrace } from "../model/trace.ts";
import { isOver, type Run, type RunScope } from "./entry.ts";
import { overlaid } from "./private-booleans.ts";
import type { Effects } from "./runs/effects.ts";
import { type ActionPosition, enterList, noteProgress, type Wait } from "./runs/position.ts";
import { type RunEnd, RunEnded } from "./runs/runs.ts";
import { countTurn, reportFailure, runActions, type SequenceTools, yieldIfDue } from "./runs/sequence.ts";
import { clipCondition, clipText } from "./traces.ts";
import type { Deadline, Waits } from "./waits.ts";

export interface ConditionScopeTools {
  readonly evaluate: Evaluate;
  readonly conditions: ReadonlyMap<string, ConditionDefinition>;
  readonly msSince: (at: number) => number;
}

export interface ConditionScopeInput {
  host: HouseReads;
  trigger: TriggerContext;
  vars: JsonObject;
  /** The rule's conditions: the first device in them is `deviceId` if the trigger has none. */
  conditions: readonly Typed[];
  /** Without them, the rule has some that are only known here. */
  privateBooleans?: PrivateBooleans;
}

export interface ActionScopeTools {
  clock: Clock;
  log: Log;
  waits: Waits;
  sequence: SequenceTools;
  controlFor(run: Run): RuleControl;
  end(run: Run, end: RunEnd): void;
  /** To be called when a run begins to wait; `ms` undefined: for an unknown time. */
  keep(run: Run, ms: number | undefined): void;
  once: Effects["once"];
  /** A wait that ended while the hub was off is no longer followed after so many ms. */
  lateMs: number;
  /** The host for runs that began before the hub was started. */
  patient(host: RuleHost, signal: AbortSignal): RuleHost;
}

export function createConditionScope(
  { evaluate, conditions, msSince }: ConditionScopeTools,
  { host, trigger, vars, conditions: ownConditions, privateBooleans = overlaid() }: ConditionScopeInput,
): RunScope {
  const scope: RunScope = {
    host,
    trigger,
    vars,
    msSince,
    privateBooleans,
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

export function createActionScope(
  tools: ActionScopeTools,
  run: Run,
  { trace, position }: { trace: ActionTrace; position: ActionPosition },
): ActionScope<keyof RuleHost> {
  const { waits, log, end, clock } = tools;
  const { scope, entry, abort, captured } = run;
  const { id, name } = entry.rule;
  const resumed = position.progress;

  /** Notes a wait while it lasts, or takes up the one from before the restart. */
  async function noted<T>(what: Pick<Wait, "ms" | "label" | "key">, begin: (wait: Wait) => Promise<T>): Promise<T> {
    const { pendingWait: taken } = position;
    const wait: Wait = { ...what, since: taken?.since ?? momentNow(clock), ms: taken ? taken.ms : what.ms };
    delete position.pendingWait;
    position.wait = wait;
    try {
      return await begin(wait);
    } finally {
      if (position.wait === wait) delete position.wait;
    }
  }

  /** A wait with a deadline. The run ends if that was too long ago when the hub was started. */
  async function waiting<T>(
    what: Pick<Wait, "ms" | "label" | "key">,
    begin: (deadline: Wait) => Promise<T>,
    isTimeout: (result: T) => boolean,
  ): Promise<T> {
    const taken = position.pendingWait;
    const result = await noted(what, (wait) => {
      if (!taken) tools.keep(run, wait.ms);
      return begin(wait);
    });
    if (isTimeout(result)) endIfLate(taken);
    return result;
  }

  function endIfLate(taken: Wait | undefined): void {
    const lateMs = taken?.ms === undefined ? 0 : msSince(clock, taken.since) - taken.ms;
    if (lateMs <= tools.lateMs) return;
    end(run, { lost: `its ${trace.type} was over ${Math.round(lateMs / 1000)} s before, while the hub was off` });
    throw new RunEnded();
  }

  function noteSteps({ ms, label }: Pick<Wait, "ms" | "label">): void {
    const { pendingWait: taken, wait } = position;
    if (wait) return;
    position.began ??= momentNow(clock);
    position.wait = { since: position.began, ms, ...taken, label };
    delete position.pendingWait;
    if (taken) endIfLate(taken);
    else tools.keep(run, ms);
  }

  function createControl(): ActionScope["rules"] {
    const rules = tools.controlFor(run);
    return {
      ...rules,
      run: (id, options) =>
        options.wait
          ? noted({ ms: undefined, label: `rule ${id}` }, () => rules.run(id, options))
          : rules.run(id, options),
      awaitRun: async (id) =>
        position.pendingWait !== undefined && noted({ ms: undefined, label: `rule ${id}` }, () => rules.awaitRun(id)),
    };
  }

  let control: ActionScope["rules"] | undefined;
  return {
    // A spread would be slow, and thousands of runs may go on at a start.
    trigger: scope.trigger,
    vars: scope.vars,
    deviceId: scope.deviceId,
    privateBooleans: scope.privateBooleans,
    msSince: scope.msSince,
    evaluate: scope.evaluate,
    isTrue: scope.isTrue,
    ask: scope.ask,
    // Made for those that ask: most actions, and those around them, do not.
    get host() {
      const { host } = tools.sequence;
      return run.restored ? tools.patient(host, abort.signal) : host;
    },
    get rules() {
      control ??= createControl();
      return control;
    },
    ruleId: id,
    ruleName: name,
    actor: { kind: "rule", id, name },
    log,
    mono: tools.clock.mono,
    get signal() {
      return abort.signal;
    },
    captured,
    resumed: () => resumed,
    progress: (value) => noteProgress(position, value),
    elapsed() {
      position.began ??= momentNow(clock);
      return msSince(clock, position.began);
    },
    undelivered({ why, waits }) {
      if (!isOver(run)) trace.result = waits ? "queued" : "failed";
      if (!isOver(run) && !waits) trace.error = clipText(why);
      const error = waits ? `${why}; it is stored, and tried again` : why;
      reportFailure(tools.sequence, run, { type: trace.type, error });
    },
    once: () => tools.once(run, position),
    flush: () => tools.sequence.keeper.flushRun(run),
    async run(actions, slot = 0) {
      const list = enterList(position, slot);
      const yielding = yieldIfDue(run);
      if (yielding !== undefined) await yielding;
      if (isOver(run)) throw new RunEnded();
      trace.parts ??= [];
      await runActions(tools.sequence, run, { actions, into: trace.parts, position: list });
      if (isOver(run)) throw new RunEnded();
    },
    async delay(ms, key, step) {
      const wait = { ms: Math.max(0, ms), label: "delay", key };
      const onBegin = (cancel: () => void): Disposable => addDelay(run, key, cancel);
      const begin = (deadline: Deadline): Promise<boolean> =>
        waits.forTime(deadline, { signal: abort.signal, onBegin });
      if (step) noteSteps({ ms: step.stepOf, label: "delay" });
      const completed = step
        ? await begin({ ...wait, since: momentNow(clock) })
        : await waiting(wait, begin, (whole) => whole);
      if (!completed) trace.result = "cancelled";
      return completed;
    },
    async waitForEvent(wanted) {
      if (wanted.stepOf) {
        noteSteps(wanted.stepOf);
        return waits.forEvent(wanted, {
          deadline: { since: momentNow(clock), ms: wanted.timeoutMs },
          signal: abort.signal,
        });
      }
      const types = [wanted.event].flat().join(" or ");
      const label = wanted.deviceId === undefined ? types : `${types} of ${wanted.deviceId}`;
      return waiting(
        { ms: wanted.timeoutMs, label },
        (deadline) => waits.forEvent(wanted, { deadline, signal: abort.signal }),
        (envelope) => envelope === undefined,
      );
    },
    async waitUntil(expression, timeoutMs, stepOf) {
      const isTrue = (): boolean => scope.isTrue(expression);
      if (isTrue()) return true;
      if (stepOf) {
        noteSteps(stepOf);
        return waits.until(isTrue, { deadline: { since: momentNow(clock), ms: timeoutMs }, signal: abort.signal });
      }
      return waiting(
        { ms: timeoutMs, label: clipText(expression) },
        (deadline) => waits.until(isTrue, { deadline, signal: abort.signal }),
        (passed) => !passed,
      );
    },
    stopRules: () => stopRules(run),
    exit(why) {
      addDetail(trace, why);
      end(run, { note: `ended by ${trace.type}: ${why}`, by: trace });
      throw new RunEnded();
    },
    turn: () => countTurn(run, position, tools.clock.mono()),
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
  scope: ConditionScope<keyof HouseReads>,
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

function stopRules({ dispatch, entry: { rule } }: Run): boolean {
  if (!dispatch?.open) return false;
  const below = Math.max(rule.priority, dispatch.stopped?.below ?? rule.priority);
  dispatch.stopped = { below, by: rule.name };
  return true;
}

function addDelay({ delays }: Run, key: string | undefined, cancel: () => void): Disposable {
  const delay = { key, cancel };
  delays.add(delay);
  return { [Symbol.dispose]: () => void delays.delete(delay) };
}
