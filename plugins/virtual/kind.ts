// What a kind of simulated device is: pure functions over a state of its own. simulated.ts gives them a life in the hub.
import type { Static, TObject } from "@sinclair/typebox";
import type { LooseJson } from "../sdk/index.ts";

/** What does not change while the house stands. */
export interface World {
  readonly seed: number;
  readonly batteryDrainPctPerDay: number;
  readonly randomEvents: boolean;
}

/** A stretch of the house's own time, in seconds; a multiple of 86,400 is a midnight. */
export interface Span {
  readonly fromSecs: number;
  readonly toSecs: number;
}

export interface Kind<S, A extends TObject> {
  readonly deviceType: string;
  readonly model: string;
  /** Schema of what `attributes` gives; `readOnly` marks what no command sets. */
  readonly capabilities: TObject;
  /** Schema of commands; every key is optional. */
  readonly accepts: A;
  initial(nowSecs: number, world: World): S;
  step(state: S, span: Span, world: World): S;
  /** What speaks against a command that fits `accepts`. */
  objection?(command: Static<A>): string | undefined;
  obey(state: S, command: Static<A>, nowSecs: number): S;
  attributes(state: S): LooseJson;
  /** When the state next changes by itself in a way that must not wait for the next regular step. */
  nextAt?(state: S): number | undefined;
}
