// What a rule would have done over a past period, as the hub answers it.

import type { Attributes } from "../../../model/device/json.ts";
import { post } from "../../../state/hub/api.ts";

export interface ReplayAction {
  type: string;
  result: string;
  detail?: string;
  error?: string;
  parts?: ReplayAction[];
}

export interface Firing {
  at: string;
  why: string;
  trigger: { type: string; label: string; context: Attributes };
  actions: ReplayAction[];
}

export interface Replay {
  firings: Firing[];
  omitted_firings: number;
  misses: { why: string; count: number; last: string }[];
  /** Sentences of the hub. */
  unknown: string[];
  evaluations: number;
}

/** `7`: the last days; `2026-01-19..2026-01-25`: these days. */
export type Period = string;

const MAX_DAYS = 31;
const DAY_MS = 86_400_000;
// Longer than the hub takes at most.
const MAX_MS = 30_000;

/** The first and the last day of a period with chosen days. */
export function daysOf(period: Period): { first: string; last: string } | undefined {
  const [, first, last] = /^(\d{4}-\d\d-\d\d)?\.\.(\d{4}-\d\d-\d\d)?$/.exec(period) ?? [];
  return period.includes("..") ? { first: first ?? "", last: last ?? "" } : undefined;
}

export function isPossible(period: Period): boolean {
  const days = daysOf(period);
  if (!days) return /^([1-9]|[12]\d|3[01])$/.test(period);
  const count = (Date.parse(days.last) - Date.parse(days.first)) / DAY_MS + 1;
  return count >= 1 && count <= MAX_DAYS;
}

/** Throws ApiError. */
export function replayOf(id: string, period: Period, { now, signal }: { now: number; signal: AbortSignal }) {
  const days = daysOf(period);
  const body = days
    ? { from: days.first, to: dayAfter(days.last) }
    : { from: new Date(now - Number(period) * DAY_MS).toISOString(), to: new Date(now).toISOString() };
  const path = `/rules/${encodeURIComponent(id)}/replay`;
  return post<Replay>(path, body, { signal, timeoutMs: MAX_MS });
}

function dayAfter(day: string): string {
  return new Date(Date.parse(day) + DAY_MS).toISOString().slice(0, 10);
}
