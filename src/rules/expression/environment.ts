// What expressions know in CEL: variables, the functions that read the home and those of numbers, and `exists`, `all` and their like.
import { Environment, EvaluationError } from "@marcbachmann/cel-js";
import { type CelNode, type Evaluator, failure, type IterationContext, type TypeChecker } from "./cel-tree.ts";
import { registerConversions } from "./conversions.ts";
import type { ExpressionHost } from "./host.ts";
import { kindOf } from "./values.ts";

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
  add("device_exists(string): bool", (id) => host().deviceState(id) !== undefined);
  add("devices(): list", () => host().devices("", ""));
  add("devices(string): list", (area) => host().devices(area, ""));
  environment.registerFunction("devices(string, string): list", (area: string, type: string) =>
    host().devices(area, type),
  );
  add("hub_var(string): dyn", (name) => known("variable", name, host().variable(name)));
  environment.registerFunction("hub_var(string, dyn): dyn", (name: string, otherwise: unknown) => {
    const value = host().variable(name);
    return value === undefined ? otherwise : value;
  });
  add("sun_elevation(): double", () => elevationOf(host()));
  registerRandom(environment, () => host().random());
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
  registerConversions(environment);
  registerQuantifiers(environment);
  return environment;
}

function known<T>(kind: string, name: string, value: T | undefined): T {
  if (value === undefined) throw new EvaluationError({ code: "not_found", message: `there is no ${kind} "${name}"` });
  return value;
}

function elevationOf({ sunElevation }: ExpressionHost): number {
  const degrees = sunElevation();
  if (degrees !== undefined) return degrees;
  const message = "the location of the house is unknown: set latitude and longitude in [location] of hub.toml";
  throw new EvaluationError({ code: "not_found", message });
}

function wall(host: ExpressionHost): Temporal.ZonedDateTime {
  return Temporal.Instant.fromEpochMilliseconds(host.now().getTime()).toZonedDateTimeISO(host.timezone);
}

type Num = number | bigint;
type Arithmetic = (a: number, b: number) => number;

const MAX_DIGITS = 10n;
const PAIRS = ["int, int", "int, double", "double, int", "double, double"];

function registerNumbers(environment: Environment): void {
  registerArithmetic(environment);
  for (const [name, better] of [
    ["min", (a: Num, b: Num) => a < b],
    ["max", (a: Num, b: Num) => a > b],
  ] as const) {
    const pick = (a: Num, b: Num): Num => (better(b, a) ? b : a);
    for (const pair of PAIRS) {
      const type = pair === "int, int" ? "int" : "double";
      const handler = (a: Num, b: Num): Num => (type === "int" ? pick(a, b) : Number(pick(a, b)));
      environment.registerFunction(`${name}(${pair}): ${type}`, handler);
    }
    environment.registerFunction(`${name}(list): dyn`, (list: unknown[]) => numbersIn(name, list).reduce(pick));
  }
  environment.registerFunction("abs(int): int", (a: bigint) => (a < 0n ? -a : a));
  environment.registerFunction("abs(double): double", (a: number) => Math.abs(a));
  environment.registerFunction("round(int): int", (a: bigint) => a);
  environment.registerFunction("round(double): int", (a: number) => wholeOf(Math.round(a)));
  environment.registerFunction("round(int, int): int", (a: bigint) => a);
  environment.registerFunction("round(double, int): double", (a: number, digits: bigint) => {
    if (digits < 0n || digits > MAX_DIGITS) throw refused(`round() takes 0 to ${MAX_DIGITS} digits`);
    // Shifted in decimal, as 1.005 * 100 is less than 100.5.
    const rounded = Number(`${Math.round(Number(`${a}e${digits}`))}e-${digits}`);
    return Number.isFinite(rounded) ? rounded : a;
  });
}

/** A whole number from a to b, both included, or a fractional one from a up to b. `random` gives 0 up to 1. */
function registerRandom(environment: Environment, random: () => number): void {
  for (const pair of PAIRS) {
    const isWhole = pair === "int, int";
    environment.registerFunction(`random(${pair}): ${isWhole ? "int" : "double"}`, (a: Num, b: Num) => {
      const [from, to] = [Number(a), Number(b)];
      if (!(from <= to)) throw refused("random(a, b) needs an a that is not above b");
      return isWhole ? wholeOf(from + Math.floor(random() * (to - from + 1))) : from + random() * (to - from);
    });
  }
}

function registerArithmetic(environment: Environment): void {
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
}

function numbersIn(name: string, list: readonly unknown[]): Num[] {
  const numbers = list.filter((item): item is Num => typeof item === "number" || typeof item === "bigint");
  if (numbers.length === 0 || numbers.length < list.length)
    throw refused(`${name}() needs a list of at least one number, and only of numbers`);
  return numbers;
}

function wholeOf(value: number): bigint {
  if (!Number.isSafeInteger(value)) throw refused("gives a whole number beyond 2^53");
  return BigInt(value);
}

export function refused(message: string): EvaluationError {
  return new EvaluationError({ code: "refused", message });
}

interface Call {
  receiver: CelNode;
  args: readonly CelNode[];
  ast: CelNode;
}

function registerQuantifiers(environment: Environment): void {
  environment.registerFunction(
    "list.any(ast, ast): bool",
    quantifier("bool", (counted) => counted > 0),
  );
  environment.registerFunction(
    "list.count(ast, ast): int",
    quantifier("int", (counted) => BigInt(counted)),
  );
}

function quantifier(type: string, answer: (counted: number) => unknown) {
  // The library calls it with what its own types leave out.
  return ((call: Call) => expand(call, type, answer)) as unknown as () => unknown;
}

function expand({ receiver, args, ast }: Call, type: string, answer: (counted: number) => unknown) {
  const [variable, predicate] = args as [CelNode, CelNode];
  if (variable.op !== "id" || typeof variable.args !== "string")
    throw failure(variable, "needs a name first: any(d, d.on)");
  const name = variable.args;
  let items: IterationContext | undefined;
  return {
    ast,
    async: false,
    typeCheck(checker: TypeChecker, _macro: unknown, variables: IterationContext) {
      checker.check(receiver, variables);
      items = variables.forkWithVariable(name, checker.getType("dyn"));
      checker.check(predicate, items);
      return checker.getType(type);
    },
    evaluate(evaluator: Evaluator, _macro: unknown, variables: IterationContext) {
      const list = evaluator.run(receiver, variables);
      if (!Array.isArray(list)) throw failure(receiver, `is ${kindOf(list)} and has no items`);
      const scope = items;
      if (!scope) throw new Error("was not type-checked");
      return answer(
        countIn(
          list,
          (item) => evaluator.run(predicate, scope.reuse(variables).setIterValue(item, evaluator)),
          predicate,
        ),
      );
    },
  };
}

/** Throws if the question can be answered for none of them: it is probably misspelt. */
function countIn(list: readonly unknown[], ask: (item: unknown) => unknown, predicate: CelNode): number {
  let counted = 0;
  let failed = 0;
  let problem: EvaluationError | undefined;
  for (const item of list) {
    let answer: unknown;
    try {
      answer = ask(item);
    } catch (error) {
      if (!(error instanceof EvaluationError)) throw error;
      failed++;
      problem = error;
      continue;
    }
    if (typeof answer !== "boolean") throw failure(predicate, `gives ${kindOf(answer)} where true or false is needed`);
    if (answer) counted++;
  }
  if (problem && failed === list.length) throw problem;
  return counted;
}
