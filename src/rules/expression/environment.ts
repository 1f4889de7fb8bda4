// CEL's vocabulary here: variables, the functions that read the home, and arithmetic between whole and fractional numbers. In JSON
// 21 and 21.0 are the same, so every number from outside is a `double`; CEL alone would refuse to add the literal 1 to
// it.
import { Environment, EvaluationError } from "@marcbachmann/cel-js";
import type { ExpressionHost } from "./host.ts";

/** Of an expression: its nodes, their nesting, and the entries of one list, map or call. */
const LIMITS = {
  maxAstNodes: 1000,
  maxDepth: 48,
  maxListElements: 500,
  maxMapEntries: 100,
  maxCallArguments: 16,
};

/** `host` returns that of the present evaluation. */
export function createEnvironment(host: () => ExpressionHost): Environment {
  const environment = createBareEnvironment([]).registerVariable("trigger", "map").registerVariable("vars", "map");
  const add = (signature: string, handler: (id: string) => unknown) =>
    environment.registerFunction(signature, handler, { async: false });

  add("device(string): map", (id) => known("device", id, host().device(id)));
  add("device_state(string): map", (id) => known("device", id, host().deviceState(id)));
  add("hub_var(string): dyn", (name) => known("variable", name, host().variable(name)));
  add("mode(string): bool", (id) => known("mode", id, host().mode(id)));
  add("now(): google.protobuf.Timestamp", () => host().now());
  add("current_hour(): int", () => BigInt(wall(host()).hour));
  add("current_minute(): int", () => BigInt(wall(host()).minute));
  // 1 is Monday and 7 Sunday, as ISO 8601, cron's 1–7 and Home Assistant's isoweekday have it.
  add("current_weekday(): int", () => BigInt(wall(host()).dayOfWeek));
  return environment;
}

/** With these variables, of any type, and nothing that reads the home. */
export function createBareEnvironment(variables: readonly string[]): Environment {
  const environment = new Environment({ homogeneousAggregateLiterals: false, limits: LIMITS });
  for (const name of variables) environment.registerVariable(name, "dyn");
  registerNumbers(environment);
  return environment;
}

function known<T>(kind: string, name: string, value: T | undefined): T {
  if (value === undefined) throw new EvaluationError({ code: "not_found", message: `there is no ${kind} "${name}"` });
  return value;
}

function wall(host: ExpressionHost): Temporal.ZonedDateTime {
  return Temporal.Instant.fromEpochMilliseconds(host.now().getTime()).toZonedDateTimeISO(host.timezone);
}

type Arithmetic = (a: number, b: number) => number;

function registerNumbers(environment: Environment): void {
  const operators: Record<string, Arithmetic> = {
    "+": (a, b) => a + b,
    "-": (a, b) => a - b,
    "*": (a, b) => a * b,
    "/": (a, b) => a / b,
    "%": (a, b) => a % b,
  };
  for (const [operator, apply] of Object.entries(operators)) {
    const handler = (a: number | bigint, b: number | bigint) => apply(Number(a), Number(b));
    environment.registerOperator(`int ${operator} double: double`, handler);
    environment.registerOperator(`double ${operator} int: double`, handler);
  }
  environment.registerOperator("double % double: double", (a: number, b: number) => a % b);
  environment.registerOperator("int == double", (a: bigint, b: number) => Number(a) === b);
}
