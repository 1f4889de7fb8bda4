// What the engine holds of a rule: from the disk, to the disk, and as people are shown it.
import type { Clock } from "../../core/clock.ts";
import type { Rule } from "../rule.ts";
import type { Entry, Remembered } from "./entry.ts";
import { createFiringRate } from "./firing-rate.ts";
import { pauseLeftMs } from "./gates.ts";
import { restoreMoment } from "./moment.ts";
import type { StateRow } from "./store.ts";

export interface RuleState {
  /** Epoch ms. */
  last_fired_at: number | undefined;
  fire_count: number;
  /** Runs at work, and runs that wait for their turn. */
  running: number;
  queued: number;
  paused: boolean;
  /** Epoch ms; undefined while it is not paused, and where it is until it is resumed. */
  paused_until: number | undefined;
  last_error: { at: number; message: string } | undefined;
}

export function newEntry(rule: Rule, remembered: Remembered): Entry {
  return {
    rule,
    triggers: [],
    schedules: new Map(),
    remembered,
    rate: createFiringRate(),
    running: new Set(),
    queue: [],
    lastRun: undefined,
    lastError: undefined,
    restsUntil: Number.NEGATIVE_INFINITY,
    captured: undefined,
  };
}

export function stateOf(clock: Clock, entry: Entry): RuleState {
  const { remembered, running, queue, lastError } = entry;
  const pauseMs = pauseLeftMs(clock, entry);
  return {
    last_fired_at: remembered.fired?.wall,
    fire_count: remembered.fireCount,
    running: running.size,
    queued: queue.length,
    paused: pauseMs !== undefined,
    paused_until: pauseMs !== undefined && Number.isFinite(pauseMs) ? clock.now() + pauseMs : undefined,
    last_error: lastError,
  };
}

export function recall(clock: Clock, { last_fired_at, fire_count, paused_at, paused_ms }: StateRow): Remembered {
  return {
    fired: last_fired_at === null ? undefined : restoreMoment(clock, last_fired_at),
    fireCount: fire_count,
    pause: paused_at === null ? undefined : { since: restoreMoment(clock, paused_at), ms: paused_ms ?? undefined },
  };
}

export function stateRow(ruleId: string, { fired, fireCount, pause }: Remembered): StateRow {
  return {
    rule_id: ruleId,
    last_fired_at: fired?.wall ?? null,
    fire_count: fireCount,
    paused_at: pause?.since.wall ?? null,
    paused_ms: pause?.ms ?? null,
  };
}
