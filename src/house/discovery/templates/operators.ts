// The operators of templates, as Python has them.
import { formatted } from "./format.ts";
import { contains } from "./tests.ts";
import {
  compare,
  Duration,
  fromBigInt,
  isEqual,
  isInt,
  isNumber,
  listOf,
  Moment,
  numberOf,
  PyFloat,
  PySet,
  PyTuple,
  str,
  TemplateError,
  typeName,
  type Value,
} from "./values.ts";

const MAX_TEXT = 65_536;
const MAX_ITEMS = 10_000;
const MAX_BITS = 4096;

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
  if (a.length + b.length > MAX_TEXT) throw new TemplateError("it makes a text that is too long");
  return a + b;
}

function arithmetic(operator: string, a: Value, b: Value): Value {
  if (isNumber(a) && isNumber(b)) return isInt(a) && isInt(b) ? ofInts(operator, a, b) : ofFloats(operator, a, b);
  if (operator === "%" && typeof a === "string") return formatted(a, b instanceof PyTuple ? b.items : [b]);
  if (operator === "+" && typeof a === "string" && typeof b === "string") return joinTexts(a, b);
  const [left, right] = [listOf(a), listOf(b)];
  if (operator === "+" && left && right && Array.isArray(a) === Array.isArray(b)) {
    if (left.length + right.length > MAX_ITEMS) throw new TemplateError("it makes a list that is too long");
    return a instanceof PyTuple ? new PyTuple([...left, ...right]) : [...left, ...right];
  }
  const result =
    operator === "*"
      ? repeated(a, b)
      : operator === "-" && a instanceof PySet && b instanceof PySet
        ? new PySet(a.items.filter((one) => !b.items.some((other) => isEqual(one, other))))
        : ofSpans(operator, a, b);
  if (result === undefined)
    throw new TemplateError(`"${operator}" does not go with a ${typeName(a)} and a ${typeName(b)}`);
  return result;
}

/** `"-" * 3`, `[0] * 3`. */
function repeated(a: Value, b: Value): Value {
  const [whole, count] = isInt(a) ? [b, a] : [a, b];
  if (!isInt(count)) return times(a, b);
  const many = Math.max(0, Number(count));
  const size = typeof whole === "string" ? whole.length : (listOf(whole)?.length ?? 0);
  if (size * many > (typeof whole === "string" ? MAX_TEXT : MAX_ITEMS))
    throw new TemplateError("it makes a value that is too long");
  if (typeof whole === "string") return size === 0 ? "" : whole.repeat(many);
  const items = listOf(whole);
  if (!items) return times(a, b);
  const all = size === 0 ? [] : Array.from({ length: many }, () => items).flat();
  return whole instanceof PyTuple ? new PyTuple(all) : all;
}

function ofSpans(operator: string, a: Value, b: Value): Value {
  if (operator === "+") return plus(a, b);
  if (operator === "-") return minus(a, b);
  if (!(a instanceof Duration)) return undefined;
  if (b instanceof Duration && operator === "/") return new PyFloat(a.us / nonZero(b.us));
  if (b instanceof Duration && operator === "//") return Math.floor(a.us / nonZero(b.us));
  if (isNumber(b) && operator === "/") return new Duration(a.us / nonZero(numberOf(b)));
  return undefined;
}

function nonZero(value: number): number {
  if (value === 0) throw new TemplateError("it divides by zero");
  return value;
}

function ofInts(operator: string, a: number | bigint | boolean, b: number | bigint | boolean): Value {
  if (operator === "/" || (operator === "**" && Number(b) < 0)) return ofFloats(operator, a, b);
  const quick = calculate(operator, Number(a), Number(b));
  const areExact = typeof a !== "bigint" && typeof b !== "bigint";
  return areExact && Number.isSafeInteger(quick) ? quick + 0 : fromBigInt(ofBigInts(operator, BigInt(a), BigInt(b)));
}

function ofBigInts(operator: string, a: bigint, b: bigint): bigint {
  const bits = (value: bigint): number => value.toString(2).length;
  if (operator === "**" && bits(a) * Number(b) > MAX_BITS)
    throw new TemplateError(`a number has more than ${MAX_BITS} bits`);
  if (bits(a) + bits(b) > 2 * MAX_BITS) throw new TemplateError(`a number has more than ${MAX_BITS} bits`);
  switch (operator) {
    case "+":
      return a + b;
    case "-":
      return a - b;
    case "*":
      return a * b;
    case "//":
      return (a - modulo(a, b)) / b;
    case "%":
      return modulo(a, b);
    default:
      return a ** b;
  }
}

const modulo = (a: bigint, b: bigint): bigint => ((a % b) + b) % b;

function ofFloats(operator: string, a: Value, b: Value): PyFloat {
  const [left, right] = [numberOf(a as number), numberOf(b as number)];
  const result = calculate(operator, left, right);
  if (Number.isNaN(result) && operator === "**" && !Number.isNaN(left) && !Number.isNaN(right))
    throw new TemplateError("a root of a negative number is not supported");
  return new PyFloat(result);
}

/** Of floats; of ints as far as they are exact. */
function calculate(operator: string, a: number, b: number): number {
  switch (operator) {
    case "+":
      return a + b;
    case "-":
      return a - b;
    case "*":
      return a * b;
    case "/":
      return a / nonZero(b);
    case "//":
      return Math.floor(a / nonZero(b));
    case "%":
      return remainder(a, nonZero(b));
    case "**":
      if (a === 0 && b < 0) nonZero(0);
      return a ** b;
    default:
      throw new TemplateError(`there is no operator "${operator}"`);
  }
}

/** With the sign of the divisor. */
export function remainder(a: number, b: number): number {
  const rest = a % b;
  return rest !== 0 && rest < 0 !== b < 0 ? rest + b : rest;
}

export function negated(value: Value, sign: "-" | "+"): Value {
  if (value instanceof Duration) return sign === "-" ? new Duration(-value.us) : value;
  if (value instanceof PyFloat) return sign === "-" ? new PyFloat(-value.value) : value;
  if (!isInt(value)) throw new TemplateError(`"${sign}" needs a number, not a ${typeName(value)}`);
  const number = typeof value === "boolean" ? Number(value) : value;
  return sign === "+" ? number : typeof number === "bigint" ? fromBigInt(-number) : 0 - number;
}

const LATEST_MS = 8.64e15;

/** Undefined where they are no times. */
function plus(a: Value, b: Value): Value {
  if (a instanceof Duration && b instanceof Duration) return new Duration(a.us + b.us);
  if (a instanceof Moment && b instanceof Duration) return moved(a, b.us);
  if (a instanceof Duration && b instanceof Moment) return moved(b, a.us);
  return undefined;
}

function minus(a: Value, b: Value): Value {
  if (a instanceof Duration && b instanceof Duration) return new Duration(a.us - b.us);
  if (a instanceof Moment && b instanceof Duration) return moved(a, -b.us);
  if (!(a instanceof Moment) || !(b instanceof Moment)) return undefined;
  if ((a.offsetMs === undefined) !== (b.offsetMs === undefined) || a.part !== b.part)
    throw new TemplateError("a time with a zone and one without cannot be subtracted");
  return new Duration((a.ms - b.ms) * 1000);
}

function times(a: Value, b: Value): Value {
  if (a instanceof Duration && isNumber(b)) return new Duration(a.us * numberOf(b));
  if (b instanceof Duration && isNumber(a)) return new Duration(b.us * numberOf(a));
  return undefined;
}

function moved(moment: Moment, us: number): Moment {
  const ms = moment.ms + us / 1000;
  if (!(Math.abs(ms) <= LATEST_MS)) throw new TemplateError("this time is too far away");
  return new Moment(ms, moment.offsetMs, moment.part);
}
