// Schedules as the hub keeps them: making, changing and removing them.

import type { PlanEntry } from "../../model/place/week-plan.ts";
import { dropDevice } from "../../state/house/devices.ts";
import { readDevice } from "../../state/house/house.ts";
import { ask, patch, post, remove } from "../../state/hub/api.ts";
import { t } from "../../texts/index.ts";
import { toast } from "../../ui/toast.ts";

export interface Schedule {
  id: string;
  name: string;
  area: string | null;
  enabled: boolean;
  plan: PlanEntry[];
  on: boolean;
  next_change: string | null;
}

export const SCHEDULE_EVENTS = ["device_state_changed", "device_name_changed"] as const;

const at = (id: string): string => `/schedules/${encodeURIComponent(id)}`;

export async function createSchedule(name: string): Promise<Schedule> {
  const made = await post<Schedule>("/schedules", { name, plan: [] });
  await readDevice(made.id);
  return made;
}

export async function changeSchedule(
  id: string,
  change: Partial<Pick<Schedule, "name" | "enabled" | "plan">>,
): Promise<void> {
  await patch(at(id), change);
  await readDevice(id);
}

/** With the ETag, so that it can be saved only as long as nobody else has changed it. */
export async function readSchedule(id: string): Promise<{ schedule: Schedule; etag: string }> {
  const answer = await ask("GET", at(id));
  return { schedule: (await answer.json()) as Schedule, etag: answer.headers.get("etag") ?? "*" };
}

/** Rejects with `conflict` where somebody else has changed it meanwhile. */
export async function savePlan(id: string, plan: PlanEntry[], etag: string): Promise<void> {
  await ask("PATCH", at(id), { body: { plan }, headers: { "if-match": etag } });
  await readDevice(id);
}

export async function removeSchedule(schedule: Schedule, after: () => Promise<void>): Promise<void> {
  const { on: _, next_change: __, ...made } = schedule;
  await remove(at(schedule.id));
  dropDevice(schedule.id);
  await after();
  const undo = async (): Promise<void> => {
    await post("/schedules", made);
    await readDevice(schedule.id);
    await after();
  };
  toast(t("house.removed", { name: schedule.name }), () => void undo().catch(() => toast(t("house.undo_failed"))));
}
