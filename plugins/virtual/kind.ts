// What a kind of simulated device is: pure functions on its state. simulated.ts connects them to the hub.
import type { Static, TObject } from "@sinclair/typebox";
import type { LooseJson } from "../sdk/index.ts";
import type { Span, World } from "./world.ts";

export interface Kind<S, A extends TObject> {
  readonly deviceType: string;
  readonly model: string;
  /** Schema of what `attributes` returns; `readOnly` marks what no command sets. */
  readonly capabilities: TObject;
  /** Schema of commands; every key is optional. */
  readonly accepts: A;
  initial(nowSecs: number, world: World): S;
  step(state: S, span: Span, world: World): S;
  /** Why a command that matches `accepts` is refused. */
  objection?(command: Static<A>): string | undefined;
  apply(state: S, command: Static<A>, nowSecs: number): S;
  attributes(state: S): LooseJson;
  /** When the state next changes by itself, if that must not wait for the next regular step. */
  nextAt?(state: S): number | undefined;
}
