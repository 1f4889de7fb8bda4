// Schedules of homeCore's glue → schedules here, which are on at the same times.
import { Value } from "@sinclair/typebox/value";
import { createScheduleStore } from "../../../house/state/virtual/schedule-store.ts";
import { type PlanEntry, readWeekPlan, WeekPlan } from "../../../house/state/virtual/week-plan.ts";
import { isObject } from "../../../kit/schema/json.ts";
import { WEEKDAYS } from "../../../kit/time/weekdays.ts";
import type { StateDb } from "../../../server/db/state-db.ts";
import type { DeviceImport } from "./devices.ts";
import type { OldDevice } from "./shapes.ts";
import { addOwn } from "./virtual.ts";

const ACTIVE = 'expressions must ask for its "on" where they ask for its "active"';

export function importSchedules(
  tables: Pick<StateDb, "durable" | "faults">,
  schedules: readonly OldDevice[],
  into: DeviceImport,
): void {
  const store = createScheduleStore(tables);
  for (const old of schedules) {
    const blocks = Array.isArray(old.attributes.blocks) ? old.attributes.blocks : [];
    const plan = blocks.flatMap(entriesOf);
    if (!Value.Check(WeekPlan, plan)) {
      into.report.add("schedule", old.name, "left", "its times cannot be read: make it here by hand");
      continue;
    }
    // The hub corrects both when it starts.
    const attributes = { enabled: true, on: old.attributes.active === true, next_change: null };
    const own = { kind: "schedule", attributes, note: ACTIVE } as const;
    if (addOwn(old, own, into)) store.save(old.device_id, { plan: readWeekPlan(plan), enabled: true });
  }
}

/**
 * Past midnight, homeCore counts the early hours of the same days, and not of the days after: those are entries of their own.
 * What ends when it begins is never on there.
 */
function entriesOf(block: unknown): unknown[] {
  if (!isObject(block) || !Array.isArray(block.days)) return [block];
  const [from, to] = [timeIn(block.start), timeIn(block.end)];
  const days = block.days.map((day) => String(day).slice(0, 3).toLowerCase());
  if (days.length === 0 || (from !== undefined && from === to)) return [];
  const entry = { days, from, to } as PlanEntry;
  if (from === undefined || to === undefined || from < to) return [entry];
  const isDaily = WEEKDAYS.every((day) => days.includes(day));
  if (isDaily) return [entry];
  return [{ ...entry, to: "24:00" }, ...(to === "00:00" ? [] : [{ ...entry, from: "00:00" }])];
}

/** `8:05` is `08:05`. */
function timeIn(text: unknown): string | undefined {
  const [, hours, minutes] = /^(\d{1,2}):(\d{1,2})(?::\d{1,2})?$/.exec(String(text)) ?? [];
  return hours === undefined || minutes === undefined
    ? undefined
    : `${hours.padStart(2, "0")}:${minutes.padStart(2, "0")}`;
}
