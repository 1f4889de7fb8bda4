// What an expression sees of the home, and what it returns. Values are read at the moment of evaluation: there is no
// snapshot.
import type { Json, JsonObject } from "../../kit/schema/json.ts";

export interface ExpressionHost {
  /** The device's record, `attributes` and all; undefined when there is no such device. The same for those below. */
  device(id: string): JsonObject | undefined;
  /** Its attributes alone. */
  deviceState(id: string): JsonObject | undefined;
  /**
   * The devices in an area and of a type, each with its attributes beside its own fields; an empty text means any. In the
   * order of the house.
   */
  devices(area: string, type: string): JsonObject[];
  variable(name: string): Json | undefined;
  /** Whether the mode is on. */
  mode(id: string): boolean | undefined;
  now(): Date;
  /** From 0 up to 1. */
  random(): number;
  /** Degrees above the horizon; undefined where the place of the house is unknown. */
  sunElevation(): number | undefined;
  /** IANA name of the time zone of the `current_…` functions. */
  readonly timezone: string;
}

/** What one evaluation adds: the event that fired the rule, and the rule's own variables. */
export interface ExpressionScope {
  trigger?: JsonObject;
  vars?: JsonObject;
}

export interface ExpressionProblem {
  /** What is wrong and, where that is known, what to write instead. */
  message: string;
  /** Both from 1, in the expression's own text. */
  line: number;
  column: number;
}

export type Evaluated<T = Json> = { ok: true; value: T } | { ok: false; problem: ExpressionProblem };

/** What the text names as literals; a name that is put together at run time is not among them. */
export interface References {
  devices: string[];
  variables: string[];
  modes: string[];
  /** Of `devices("hall", "light")`. */
  areas: string[];
  types: string[];
}

export interface Program {
  readonly text: string;
  /**
   * The type of its result, as far as that is known without running it: `bool`, `int`, `double`, `string`, `list…`,
   * `dyn`, …
   */
  readonly type: string;
  evaluate(host: ExpressionHost, scope?: ExpressionScope): Evaluated;
  /** For conditions: anything but true or false is a problem. */
  evaluateBoolean(host: ExpressionHost, scope?: ExpressionScope): Evaluated<boolean>;
  references(): References;
}
