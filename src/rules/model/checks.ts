// Errors of rules that a schema cannot find: thrown by the `check` of a trigger, condition or action.
import { HubError } from "../../kit/schema/errors.ts";
import { createZone, type Zone } from "../../kit/time/zone.ts";
import type { Schedule, ScheduleResult } from "../schedule/schedule.ts";

/** Names the wrong field and says what would be right. An empty path means the whole. */
export function invalid(path: string, message: string): HubError {
  return new HubError("invalid", path === "" ? message : `${path}: ${message}`, {
    details: { problems: [{ path, message }] },
  });
}

/** Requires exactly one of these fields. */
export function checkOneOf(spec: Readonly<Record<string, unknown>>, keys: readonly string[]): void {
  const given = keys.filter((key) => spec[key] !== undefined);
  if (given.length === 1) return;
  const either = keys.map((key) => `\`${key}\``).join(" or ");
  throw invalid("", given.length === 0 ? `give ${either}` : `give only one of ${either}`);
}

/** Refuses both of these fields together. */
export function checkNotBoth(spec: Readonly<Record<string, unknown>>, keys: readonly [string, string]): void {
  if (keys.every((key) => spec[key] !== undefined)) throw invalid("", `give either \`${keys[0]}\` or \`${keys[1]}\``);
}

/** Whether a schedule is valid does not depend on the time zone. */
export function checkSchedule(path: string, parse: (zone: Zone) => ScheduleResult): void {
  const result = parse(createZone("UTC"));
  if (!result.ok) throw invalid(path, result.problem);
}

export function scheduleOf(result: ScheduleResult): Schedule {
  if (result.ok) return result.schedule;
  throw new HubError("invalid", result.problem);
}
