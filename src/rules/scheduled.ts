// Triggers that are set off by the clock: from what the schedules' parsers answer to what a definition gives.
import { HubError } from "../core/errors.ts";
import { createZone, type Zone } from "../core/zone.ts";
import type { Schedule, ScheduleResult } from "./schedule/schedule.ts";
import { refusal } from "./values.ts";

/** For `check`: whether there is such a schedule does not depend on the zone. */
export function checkSchedule(path: string, parse: (zone: Zone) => ScheduleResult): void {
  const result = parse(createZone("UTC"));
  if (!result.ok) throw refusal(path, result.problem);
}

export function scheduleOf(result: ScheduleResult): Schedule {
  if (result.ok) return result.schedule;
  throw new HubError("invalid", result.problem);
}
