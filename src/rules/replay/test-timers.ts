// Virtual timers in a test: they run on its clock. What only people read, such as `ends_at`, is left out.
import type { Json, JsonObject } from "../../kit/schema/json.ts";
import type { Timer } from "../../kit/time/clock.ts";
import type { RuleDevice } from "../model/host.ts";
import type { SimulatedClock } from "./simulated-clock.ts";

export interface TestTimers {
  /** The attributes that the command changes; undefined for an unknown command. */
  command(device: RuleDevice, command: Json | undefined, values: JsonObject): JsonObject | undefined;
}

interface Counting extends Disposable {
  readonly endsAt: number;
}

/** `expired` is notified of the end of each. */
export function createTestTimers(clock: SimulatedClock, report: (id: string, values: JsonObject) => void): TestTimers {
  const counting = new Map<string, Counting>();
  const remaining = new Map<string, number>();

  function stop(id: string): void {
    counting.get(id)?.[Symbol.dispose]();
    counting.delete(id);
  }

  function start(id: string, ms: number): void {
    stop(id);
    const timer: Timer = clock.after("test: timer", ms, () => {
      counting.delete(id);
      report(id, { state: "expired" });
    });
    counting.set(id, { endsAt: clock.now() + ms, [Symbol.dispose]: () => timer[Symbol.dispose]() });
  }

  return {
    command({ id, attributes }, command, { duration_secs = attributes.duration_secs ?? null }) {
      const wholeMs = typeof duration_secs === "number" ? duration_secs * 1000 : undefined;
      switch (command) {
        case "start":
        case "restart":
          if (wholeMs !== undefined) start(id, wholeMs);
          return { state: "started", ...(wholeMs !== undefined && { duration_secs }) };
        case "pause":
          remaining.set(id, Math.max(0, (counting.get(id)?.endsAt ?? clock.now()) - clock.now()));
          stop(id);
          return { state: "paused" };
        case "resume":
          start(id, remaining.get(id) ?? wholeMs ?? 0);
          return { state: "started" };
        case "cancel":
          stop(id);
          return { state: "cancelled" };
        default:
          return undefined;
      }
    },
  };
}
