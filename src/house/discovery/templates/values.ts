// The values a template works with, as Python sees them: what is true, equal, greater, and how it is printed. Texts, booleans and
// null are JavaScript's own; an int is a number, or a bigint where that is not exact, a float a PyFloat (since 21.0 prints as 21.0), a dict a Map, a tuple a PyTuple.
import type { Json } from "../../../kit/schema/json.ts";
import { Duration, Moment } from "./moments.ts";
import { compareVersions, Version } from "./version.ts";

export { Duration, Moment } from "./moments.ts";

export type Value =
  | undefined
  | null
  | boolean
  | number
  | bigint
  | string
  | PyFloat
  | PyTuple
  | PySet
  | PyBytes
  | Moment
  | Duration
  | Version
  | Value[]
  | Dict
  | Callable
  | Namespace
  | LoopState;
export type Dict = Map<Value, Value>;
export type Callable = (args: readonly Value[], named: ReadonlyMap<string, Value>, work: Work) => Value;

/** The run of a template, as filters and functions see it. */
export interface Work {
  time: HouseTime;
  /** Counts steps. Throws TemplateError beyond what a template may take. */
  spend(steps: number): void;
}

/** For what neither reads the time nor takes long. */
export const NO_WORK: Work = { time: { at: 0, offsetMs: () => 0 }, spend: () => {} };

export interface HouseTime {
  /** Now, in epoch ms. */
  at: number;
  /** Of the house's time zone from UTC, at an instant. */
  offsetMs(at: number): number;
}

export class PyFloat {
  readonly value: number;
  constructor(value: number) {
    this.value = value;
  }
}

/** Printed in round brackets; otherwise a list that nobody changes. */
export class PyTuple {
  readonly items: readonly Value[];
  constructor(items: readonly Value[]) {
    this.items = items;
  }
}

/** Each item once, in the order in which they came. */
export class PySet {
  readonly items: readonly Value[];
  constructor(items: readonly Value[]) {
    this.items = items;
  }
}

export class PyBytes {
  readonly bytes: Uint8Array;
  constructor(bytes: Uint8Array) {
    this.bytes = bytes;
  }
}

/** `namespace()`: keeps what a loop assigns. */
export class Namespace {
  readonly fields = new Map<string, Value>();
}

/** What a loop says of itself: `loop.index`. */
export class LoopState {
  readonly items: readonly Value[];
  readonly at: number;
  constructor(items: readonly Value[], at: number) {
    this.items = items;
    this.at = at;
  }
}

/** What a template cannot do with the values it got; the message is for whoever wrote the template. */
export class TemplateError extends Error {}

/** An int as long as it is written without a fraction. */
export function fromJson(json: Json): Value {
  if (typeof json === "number") return Number.isInteger(json) ? json : new PyFloat(json);
  if (Array.isArray(json)) return json.map(fromJson);
  if (json === null || typeof json !== "object") return json;
  return new Map(Object.entries(json).map(([key, value]): [Value, Value] => [key, fromJson(value)]));
}

export function typeName(value: Value): string {
  if (value === undefined) return "undefined value";
  if (value === null) return "None";
  if (typeof value === "function") return "function";
  if (typeof value === "boolean") return "bool";
  if (typeof value === "number" || typeof value === "bigint") return "int";
  if (typeof value === "string") return "text";
  if (value instanceof PyFloat) return "float";
  if (value instanceof PyTuple) return "tuple";
  if (value instanceof PySet) return "set";
  if (value instanceof PyBytes) return "bytes";
  if (value instanceof Moment) return value.part ?? "datetime";
  if (value instanceof Duration) return "timedelta";
  if (value instanceof Version) return "version";
  return Array.isArray(value) ? "list" : value instanceof Map ? "dict" : "namespace";
}

export const isNumber = (value: Value): value is number | bigint | PyFloat | boolean =>
  isInt(value) || value instanceof PyFloat;

export const isInt = (value: Value): value is number | bigint | boolean =>
  typeof value === "number" || typeof value === "boolean" || typeof value === "bigint";

export const numberOf = (value: number | bigint | PyFloat | boolean): number =>
  value instanceof PyFloat ? value.value : Number(value);

/** The int that it is. */
export const fromBigInt = (value: bigint): number | bigint =>
  value >= Number.MIN_SAFE_INTEGER && value <= Number.MAX_SAFE_INTEGER ? Number(value) : value;

/** Of a whole number in a float. */
export const fromWhole = (value: number): number | bigint => (Number.isSafeInteger(value) ? value : BigInt(value));

/** How much there is to walk through, in values; of a text, 16 characters are one. Counts no further than `most`. */
export function weigh(value: Value, most: number): number {
  if (typeof value === "string") return 1 + (value.length >> 4);
  if (value instanceof PyBytes) return 1 + (value.bytes.length >> 4);
  if (typeof value === "bigint") return 4;
  if (value instanceof Map) return weighAll(value.keys(), most) + weighAll(value.values(), most);
  const items = value instanceof PySet ? value.items : listOf(value);
  return items ? weighAll(items, most) : 1;
}

function weighAll(values: Iterable<Value>, most: number): number {
  let sum = 1;
  for (const one of values) {
    sum += weigh(one, most - sum);
    if (sum > most) break;
  }
  return sum;
}

export function isTrue(value: Value): boolean {
  if (value instanceof PyFloat) return value.value !== 0;
  if (value instanceof PyTuple || value instanceof PySet) return value.items.length > 0;
  if (value instanceof PyBytes) return value.bytes.length > 0;
  if (value instanceof Duration) return value.us !== 0;
  if (Array.isArray(value)) return value.length > 0;
  return value instanceof Map ? value.size > 0 : Boolean(value);
}

export function isEqual(a: Value, b: Value): boolean {
  // A bigint and a number compare by their value.
  if (isNumber(a) && isNumber(b)) return order(exact(a), exact(b)) === 0;
  if (Array.isArray(a) && Array.isArray(b)) return sameItems(a, b);
  if (a instanceof PyTuple && b instanceof PyTuple) return sameItems(a.items, b.items);
  if (a instanceof PySet && b instanceof PySet)
    return a.items.length === b.items.length && a.items.every((one) => b.items.some((other) => isEqual(one, other)));
  if (a instanceof Moment && b instanceof Moment) return isComparable(a, b) && a.ms === b.ms;
  if (a instanceof Duration && b instanceof Duration) return a.us === b.us;
  if (a instanceof PyBytes && b instanceof PyBytes) return Buffer.compare(a.bytes, b.bytes) === 0;
  if (a instanceof Version || b instanceof Version) return compareVersions(a, b) === 0;
  if (a instanceof Map && b instanceof Map)
    return a.size === b.size && [...a].every(([key, value]) => hasKey(b, key) && isEqual(value, entryOf(b, key)));
  return a === b;
}

/** For a comparison of numbers of several kinds. */
const exact = (value: number | bigint | PyFloat | boolean): number | bigint =>
  value instanceof PyFloat ? value.value : typeof value === "boolean" ? Number(value) : value;

const isComparable = (a: Moment, b: Moment): boolean =>
  a.part === b.part && (a.offsetMs === undefined) === (b.offsetMs === undefined);

function sameItems(a: readonly Value[], b: readonly Value[]): boolean {
  return a.length === b.length && a.every((item, at) => isEqual(item, b[at]));
}

/** Negative, 0 or positive. Throws where Python would: a text is not less than a number. */
export function compare(a: Value, b: Value): number {
  if (isNumber(a) && isNumber(b)) return order(exact(a), exact(b));
  if (typeof a === "string" && typeof b === "string") return a < b ? -1 : Number(a > b);
  if (a instanceof Moment && b instanceof Moment && isComparable(a, b)) return a.ms - b.ms;
  if (a instanceof Duration && b instanceof Duration) return a.us - b.us;
  if (a instanceof Version || b instanceof Version) return compareVersions(a, b);
  const [left, right] = [listOf(a), listOf(b)];
  if (left === undefined || right === undefined)
    throw new TemplateError(`a ${typeName(a)} and a ${typeName(b)} cannot be compared`);
  for (const [at, item] of left.entries()) {
    if (at >= right.length) return 1;
    if (!isEqual(item, right[at])) return compare(item, right[at]);
  }
  return left.length - right.length;
}

/** NaN where one of them is. */
const order = (a: number | bigint, b: number | bigint): number => (a < b ? -1 : a > b ? 1 : a <= b ? 0 : Number.NaN);

/** The items of a list or tuple; undefined for anything else. */
export function listOf(value: Value): readonly Value[] | undefined {
  return Array.isArray(value) ? value : value instanceof PyTuple ? value.items : undefined;
}

// Python finds 1 under 1.0 and under True. Other floats and tuples are other objects each time.
function keyIn(dict: Dict, given: Value): Value | typeof NO_KEY {
  const key = wholeAsInt(given);
  if (dict.has(key)) return key;
  if (typeof key === "number" && key > 1) return NO_KEY;
  if (!isNumber(key) && !(key instanceof PyTuple)) return NO_KEY;
  for (const known of dict.keys()) if (isEqual(known, key)) return known;
  return NO_KEY;
}
const NO_KEY = Symbol("no key");

const wholeAsInt = (key: Value): Value =>
  key instanceof PyFloat && Number.isInteger(key.value) ? fromWhole(key.value) : key;

export function hasKey(dict: Dict, key: Value): boolean {
  return keyIn(dict, key) !== NO_KEY;
}

export function entryOf(dict: Dict, key: Value): Value {
  const known = keyIn(dict, key);
  return known === NO_KEY ? undefined : dict.get(known);
}

export function setEntry(dict: Dict, key: Value, value: Value): void {
  const plain = wholeAsInt(key);
  const known = keyIn(dict, plain);
  dict.set(known === NO_KEY ? plain : known, value);
}

/** As Python's `str`. */
export function str(value: Value): string {
  return typeof value === "string" ? value : value === undefined ? "" : repr(value);
}

/** As Python's `repr`. */
export function repr(value: Value): string {
  if (value === undefined) return "Undefined";
  if (value === null) return "None";
  if (typeof value === "boolean") return value ? "True" : "False";
  if (typeof value === "number") return intText(value);
  if (typeof value === "bigint") return value.toString();
  if (typeof value === "string") return quoted(value);
  if (value instanceof PyFloat) return floatText(value.value);
  if (Array.isArray(value)) return `[${value.map(repr).join(", ")}]`;
  if (value instanceof Moment || value instanceof Duration) return value.text();
  if (value instanceof Version) return value.string;
  if (value instanceof PyBytes) return bytesText(value.bytes);
  if (value instanceof PySet) return value.items.length === 0 ? "set()" : `{${value.items.map(repr).join(", ")}}`;
  if (value instanceof PyTuple) return `(${value.items.map(repr).join(", ")}${value.items.length === 1 ? "," : ""})`;
  if (value instanceof Map) return `{${[...value].map(([key, one]) => `${repr(key)}: ${repr(one)}`).join(", ")}}`;
  return `<${typeName(value)}>`;
}

function intText(value: number): string {
  if (!Number.isInteger(value)) return floatText(value);
  return Number.isSafeInteger(value) ? String(value) : BigInt(value).toString();
}

export function floatText(value: number): string {
  if (Number.isNaN(value)) return "nan";
  if (!Number.isFinite(value)) return value > 0 ? "inf" : "-inf";
  const size = Math.abs(value);
  if (size !== 0 && (size < 1e-4 || size >= 1e16)) return exponential(value);
  const text = String(value);
  return Number.isInteger(value)
    ? `${Object.is(value, -0) ? "-0" : text}.0`
    : text.includes("e")
      ? value.toFixed(20).replace(/0+$/, "")
      : text;
}

/** Two digits at least in the exponent. */
function exponential(value: number): string {
  return value.toExponential().replace(/e([+-])(\d)$/, "e$10$2");
}

/** In quotes, as Python's source has it. */
function quoted(text: string): string {
  const quote = text.includes("'") && !text.includes('"') ? '"' : "'";
  const escaped = text
    .replace(/[\\\n\r\t]/g, (one) => ESCAPES[one] ?? one)
    .replace(UNPRINTABLE, hexEscaped)
    .replaceAll(quote, `\\${quote}`);
  return `${quote}${escaped}${quote}`;
}
const ESCAPES: Readonly<Record<string, string>> = { "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t" };
const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Cn}\p{Zl}\p{Zp}]|(?! )\p{Zs}/gu;

function hexEscaped(char: string): string {
  const code = char.codePointAt(0) ?? 0;
  const hex = code.toString(16);
  return code > 0xffff
    ? `\\U${hex.padStart(8, "0")}`
    : code > 0xff
      ? `\\u${hex.padStart(4, "0")}`
      : `\\x${hex.padStart(2, "0")}`;
}

function bytesText(bytes: Uint8Array): string {
  const quote = bytes.includes(39) && !bytes.includes(34) ? '"' : "'";
  const text = [...bytes].map((byte) => {
    const char = String.fromCharCode(byte);
    if (char === quote) return `\\${quote}`;
    return ESCAPES[char] ?? (byte < 32 || byte > 126 ? `\\x${byte.toString(16).padStart(2, "0")}` : char);
  });
  return `b${quote}${text.join("")}${quote}`;
}
