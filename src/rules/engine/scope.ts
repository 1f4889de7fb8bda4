// What conditions and actions may look at, and how one condition is asked. Nothing a condition does wrong goes further
// than its own trace.
import { HubError, messageOf } from "../../core/errors.ts";
import type { Json, JsonObject } from "../../core/json.ts";
import type { ConditionDefinition, ConditionScope, TriggerContext, Typed } from "../define.ts";
import type { RuleHost } from "../host.ts";
import type { ConditionTrace } from "../trace.ts";
import { clipCondition } from "./clip.ts";

/** CEL with live values. Throws HubError `invalid` that says what could not be evaluated. */
export type Evaluate = (
  expression: string,
  host: RuleHost,
  names: { trigger: TriggerContext; vars: JsonObject },
) => Json;

export interface ScopeTools {
  readonly evaluate: Evaluate;
  readonly conditions: ReadonlyMap<string, ConditionDefinition>;
  readonly msSince: (at: number) => number;
}

export interface Surroundings {
  host: RuleHost;
  trigger: TriggerContext;
  vars: JsonObject;
  /** Whose first device is meant where the trigger is about none. */
  conditions: readonly Typed[];
}

export function createScope(
  { evaluate, conditions, msSince }: ScopeTools,
  { host, trigger, vars, conditions: held }: Surroundings,
): ConditionScope {
  const scope: ConditionScope = {
    host,
    trigger,
    vars,
    msSince,
    deviceId: deviceOf(trigger) ?? firstDeviceOf(held),
    evaluate: (expression) => evaluate(expression, host, { trigger, vars }),
    holds(expression) {
      const value = scope.evaluate(expression);
      if (typeof value !== "boolean") throw notBoolean(expression, value);
      return value;
    },
    ask: (condition) => ask(conditions, condition, scope),
  };
  return scope;
}

function deviceOf({ device_id }: Readonly<Record<string, unknown>>): string | undefined {
  return typeof device_id === "string" ? device_id : undefined;
}

function firstDeviceOf(conditions: readonly Typed[]): string | undefined {
  for (const condition of conditions) {
    const inside = Array.isArray(condition.conditions) ? (condition.conditions as Typed[]) : [];
    const found = deviceOf(condition) ?? firstDeviceOf(inside);
    if (found !== undefined) return found;
  }
  return undefined;
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
    return {
      type,
      passed: false,
      expected: "a condition that can be evaluated",
      actual: null,
      error: messageOf(error),
    };
  }
}

/** An expression of the rule itself, told as a condition. */
export function askExpression(type: string, expression: string, scope: ConditionScope): ConditionTrace {
  const expected = `${expression} is true`;
  try {
    const actual = scope.evaluate(expression);
    const told = { type, passed: actual === true, expected, actual };
    return clipCondition(
      typeof actual === "boolean" ? told : { ...told, error: notBoolean(expression, actual).message },
    );
  } catch (error) {
    return { type, passed: false, expected, actual: null, error: messageOf(error) };
  }
}

function notBoolean(expression: string, value: Json): HubError {
  return new HubError("invalid", `"${expression}" must give true or false, and gave ${JSON.stringify(value)}`);
}
