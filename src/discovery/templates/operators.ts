// The operators of templates, as Python has them.
import { formatted } from "./format.ts";
import { contains } from "./tests.ts";
import {
  compare,
  isEqual,
  isNumber,
  listOf,
  Moment,
  numberOf,
  PyFloat,
  PyTuple,
  str,
  TemplateError,
  typeName,
  type Value,
} from "./values.ts";

const LONGEST_TEXT = 65_536;
const MOST_ITEMS = 10_000;

/** Throws TemplateError where Python would refuse the two. */
export function binary(operator: string, a: Value, b: Value): Value {
  switch (operator) {
    case "==":
      return isEqual(a, b);
    case "!=":
      return !isEqual(a, b);
    case "<":
      return compare(a, b) < 0;
    case "<=":
      return compare(a, b) <= 0;
    case ">":
      return compare(a, b) > 0;
    case ">=":
      return compare(a, b) >= 0;
    case "in":
      return contains(b, a);
    case "not in":
      return !contains(b, a);
    case "~":
      return joinTexts(str(a), str(b));
    default:
      return arithmetic(operator, a, b);
  }
}

function joinTexts(a: string, b: string): string {
  if (a.length + b.length > LONGEST_TEXT) throw new TemplateError("it makes a text that is too long");
  return a + b;
}

function arithmetic(operator: string, a: Value, b: Value): Value {
  if (operator === "%" && typeof a === "string") return formatted(a, b instanceof PyTuple ? b.items : [b]);
  if (operator === "+" && typeof a === "string" && typeof b === "string") return joinTexts(a, b);
  const [left, right] = [listOf(a), listOf(b)];
  if (operator === "+" && left && right) {
    if (left.length + right.length > MOST_ITEMS) throw new TemplateError("it makes a list that is too long");
    return a instanceof PyTuple ? new PyTuple([...left, ...right]) : [...left, ...right];
  }
  if (operator === "-" && a instanceof Moment && b instanceof Moment)
    throw new TemplateError("the time between two moments is not supported: subtract their timestamps");
  if (!isNumber(a) || !isNumber(b))
    throw new TemplateError(`"${operator}" does not go with a ${typeName(a)} and a ${typeName(b)}`);
  const result = calculate(operator, numberOf(a), numberOf(b));
  const isFloat = operator === "/" || a instanceof PyFloat || b instanceof PyFloat || !Number.isInteger(result);
  return isFloat ? new PyFloat(result) : result;
}

function calculate(operator: string, a: number, b: number): number {
  if (b === 0 && ["/", "//", "%"].includes(operator)) throw new TemplateError("it divides by zero");
  switch (operator) {
    case "+":
      return a + b;
    case "-":
      return a - b;
    case "*":
      return a * b;
    case "/":
      return a / b;
    case "//":
      return Math.floor(a / b);
    case "%":
      return a - b * Math.floor(a / b);
    case "**":
      return a ** b;
    default:
      throw new TemplateError(`there is no operator "${operator}"`);
  }
}
