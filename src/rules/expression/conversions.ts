// From one kind of value into another: `int(…)`, `string(…)` and their like, where the library has none or takes what is no
// number for one.
import type { Environment } from "@marcbachmann/cel-js";
import { type Duration, UnsignedInt } from "@marcbachmann/cel-js/evaluator";
import { type CelNode, failure } from "./cel-tree.ts";
import { durationText, readDuration, readTimestamp, timestampText } from "./times.ts";

const MAX_INT = 2n ** 63n;
const TIMESTAMP = "google.protobuf.Timestamp";
const DURATION = "google.protobuf.Duration";
const WHOLE = /^[-+]?\d{1,20}$/;
const NUMBER = /^[-+]?(?:(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?|inf(?:inity)?|nan)$/i;

/** Those that the library has no signature for. */
export function registerConversions(environment: Environment): void {
  const add = (signature: string, handler: (value: never) => unknown): void =>
    void environment.registerFunction(signature, handler as () => unknown, { async: false });
  add("int(uint): int", ({ value }: UnsignedInt) => value);
  add(`int(${TIMESTAMP}): int`, (time: Date) => BigInt(Math.floor(time.getTime() / 1000)));
  add(`string(${TIMESTAMP}): string`, timestampText);
  add(`string(${DURATION}): string`, durationText);
  add(`timestamp(${TIMESTAMP}): ${TIMESTAMP}`, (time: Date) => time);
  add(`duration(${DURATION}): ${DURATION}`, (duration: Duration) => duration);
  for (const [operator, isSo] of [
    ["<", (order: number) => order < 0],
    ["<=", (order: number) => order <= 0],
    [">", (order: number) => order > 0],
    [">=", (order: number) => order >= 0],
  ] as const)
    environment.registerOperator(`bytes ${operator} bytes: bool`, (a: Uint8Array, b: Uint8Array) =>
      isSo(Buffer.compare(a, b)),
    );
}

type Conversion = (value: string, node: CelNode) => unknown;

const OF_TEXT: Readonly<Record<string, Conversion>> = {
  int(text, node) {
    const number = wholeIn("int", text, node);
    if (number < MAX_INT && number >= -MAX_INT) return number;
    throw failure(node, `int() takes whole numbers of 64 bits, and "${text}" is beyond`);
  },
  uint(text, node) {
    const number = wholeIn("uint", text, node);
    if (number >= 0n && number < 2n * MAX_INT) return new UnsignedInt(number);
    throw failure(node, `uint() takes whole numbers from 0 to 64 bits, and "${text}" is beyond`);
  },
  // The rest of it is the library's.
  double: (text, node) => (NUMBER.test(text) ? undefined : refuse("double", text, node)),
  timestamp: readTimestamp,
  duration: readDuration,
};

/** What the library's function of this name would do differently; undefined where it would not. */
export function convert(name: string, [value]: readonly unknown[], node: CelNode): unknown {
  if (typeof value === "string") return Object.hasOwn(OF_TEXT, name) ? OF_TEXT[name]?.(value, node) : undefined;
  if (name === "string" && value instanceof Uint8Array) return textIn(value, node);
  return undefined;
}

function wholeIn(name: string, text: string, node: CelNode): bigint {
  return WHOLE.test(text) ? BigInt(text.replace("+", "")) : refuse(name, text, node);
}

function refuse(name: string, text: string, node: CelNode): never {
  const kind = name === "double" ? "number" : "whole number";
  throw failure(node, `${name}() reads a ${kind}, and "${text.slice(0, 40)}" is none`);
}

function textIn(bytes: Uint8Array, node: CelNode): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw failure(node, "these bytes are not a text in UTF-8");
  }
}
