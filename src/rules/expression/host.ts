// What an expression sees of the home, and what it answers. Everything is asked for at the moment of evaluation: there is
// no snapshot.
import type { Json, JsonObject } from "../../core/json.ts";

export interface ExpressionHost {
  /** The device's record, `attributes` and all; undefined when there is no such device. The same for those below. */
  device(id: string): JsonObject | undefined;
  /** Its attributes alone. */
  deviceState(id: string): JsonObject | undefined;
  variable(name: string): Json | undefined;
  /** Whether the mode is on. */
  mode(id: string): boolean | undefined;
  now(): Date;
  /** IANA name, which the `current_…` functions tell the time in. */
  readonly timezone: string;
}

/** What one evaluation brings along: the event that fired the rule and the rule's own variables. */
export interface ExpressionScope {
  trigger?: JsonObject;
  vars?: JsonObject;
}

export interface ExpressionProblem {
  /** What is wrong and, where it can be told, what to write instead. */
  message: string;
  /** Both from 1, in the expression's own text. */
  line: number;
  column: number;
}

export type Evaluated<T = Json> = { ok: true; value: T } | { ok: false; problem: ExpressionProblem };

/** What the text names outright; a name put together at run time is not among them. */
export interface References {
  devices: string[];
  variables: string[];
  modes: string[];
}

export interface Program {
  readonly text: string;
  /** What it gives as far as that can be told without running it: `bool`, `int`, `double`, `string`, `list…`, `dyn`, … */
  readonly type: string;
  evaluate(host: ExpressionHost, scope?: ExpressionScope): Evaluated;
  /** For conditions: anything but true or false is a problem. */
  evaluateBoolean(host: ExpressionHost, scope?: ExpressionScope): Evaluated<boolean>;
  references(): References;
}
