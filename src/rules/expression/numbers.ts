// Arithmetic between whole and fractional numbers, and the usual functions on numbers. In JSON 21 and 21.0 are the same, so
// every number from outside is a `double`; CEL alone would refuse to add the literal 1 to it.
import { type Environment, EvaluationError } from "@marcbachmann/cel-js";

type Num = number | bigint;
type Arithmetic = (a: number, b: number) => number;

const MAX_DIGITS = 10n;
const PAIRS = ["int, int", "int, double", "double, int", "double, double"];

export function registerNumbers(environment: Environment): void {
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
export function registerRandom(environment: Environment, random: () => number): void {
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

function refused(message: string): EvaluationError {
  return new EvaluationError({ code: "refused", message });
}
