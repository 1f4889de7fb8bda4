// What set off the runs at work stays in memory until they are over, hours later perhaps: a message of a megabyte for each.

import type { Limits } from "../../core/limits.ts";
import { jsonBytes } from "../../core/memory-size.ts";
import type { TriggerContext } from "../define.ts";
import type { Refusal } from "./gates.ts";

export interface RunRoom {
  /** Why it does not fit. */
  refusal(ruleName: string, context: TriggerContext): Refusal | undefined;
  /** Counts it until it is disposed. */
  take(context: TriggerContext): Disposable;
}

const RUN_BYTES = 2048;
const MOST_BYTES = 16 * 1_048_576;

export function createRunRoom({ mostBytes = MOST_BYTES, limits }: { mostBytes?: number; limits?: Limits }): RunRoom {
  let held = 0;
  const bytesOf = (context: TriggerContext): number => RUN_BYTES + jsonBytes(context);
  return {
    refusal(ruleName, context) {
      if (held + bytesOf(context) <= mostBytes) return undefined;
      const why = "what set off the runs that are at work takes too much memory: one more is not begun";
      limits?.reached({ limit: "[rules] max_running_mb", account: ruleName, message: why });
      return { outcome: "busy", why };
    },
    take(context) {
      let bytes = bytesOf(context);
      held += bytes;
      return {
        [Symbol.dispose]() {
          held -= bytes;
          bytes = 0;
        },
      };
    },
  };
}
