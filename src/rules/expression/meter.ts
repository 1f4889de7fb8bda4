// Bounds what one evaluation may cost, in steps: about one for each node that is run, more for long texts and lists.
// Steps are counted, not timed, so that a rule is refused on every machine or on none.
import { timeProblem } from "./times.ts";

const MAX_STEPS = 100_000;
const MAX_TEXT = 65_536;
const MAX_LIST = 10_000;
const CHARACTERS_A_STEP = 64;
const DEEPEST_VALUE = 64;
const MAX_INT = 2n ** 63n;

/** More than an expression may do. The message is for the author of the rule. */
class TooMuch extends Error {}

export interface Meter {
  /** Set once the bound was passed. Every charge throws it again, so that `… || true` does not hide it. */
  readonly exceeded: TooMuch | undefined;
  reset(): void;
  charge(steps: number): void;
  /** Bounds and charges the result of a node. */
  pass(value: unknown): void;
  /** Charges a value with everything in it, before it is compared, joined or returned. */
  weigh(value: unknown): void;
}

export function createMeter(): Meter {
  let steps = 0;
  let exceeded: TooMuch | undefined;

  function refuse(message: string): never {
    exceeded ??= new TooMuch(message);
    throw exceeded;
  }

  function charge(more: number): void {
    steps += more;
    if (!(steps <= MAX_STEPS)) refuse("does too much: it goes through too many values, or too long ones");
  }

  function weighDeep(value: object, depth: number): void {
    if (value instanceof Uint8Array) charge(value.length / CHARACTERS_A_STEP);
    if (depth > DEEPEST_VALUE) refuse(`makes a value nested deeper than ${DEEPEST_VALUE} levels`);
    for (const item of itemsOf(value)) {
      charge(1 + (typeof item === "string" ? item.length / CHARACTERS_A_STEP : 0));
      if (typeof item === "object" && item !== null) weighDeep(item, depth + 1);
    }
  }

  return {
    get exceeded() {
      return exceeded;
    },
    reset() {
      steps = 0;
      exceeded = undefined;
    },
    charge,
    pass(value) {
      if (typeof value === "string") {
        if (value.length > MAX_TEXT) refuse(`makes a text of more than ${MAX_TEXT} characters`);
        charge(1 + value.length / CHARACTERS_A_STEP);
      } else if (Array.isArray(value)) {
        // Its length is charged where something goes through it: a list that grows comes by here for each item.
        if (value.length > MAX_LIST) refuse(`works on a list of more than ${MAX_LIST} items`);
        charge(1);
      } else if (value instanceof Uint8Array && value.length > MAX_TEXT) {
        refuse(`makes bytes of more than ${MAX_TEXT}`);
      } else if (typeof value === "bigint" && (value >= MAX_INT || value < -MAX_INT)) {
        refuse("makes a whole number beyond 64 bits");
      } else {
        charge(1);
        const problem = typeof value === "object" ? timeProblem(value) : undefined;
        if (problem !== undefined) refuse(problem);
      }
    },
    weigh(value) {
      if (typeof value === "object" && value !== null && !(value instanceof Date)) weighDeep(value, 0);
    },
  };
}

function itemsOf(value: object): Iterable<unknown> {
  if (Array.isArray(value)) return value;
  if (value instanceof Uint8Array) return [];
  return value instanceof Map ? value.values() : Object.values(value);
}
