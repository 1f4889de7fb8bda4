// How a schedule is now, and when that changes.

import { formatAge, formatTime, t } from "../../texts/index.ts";
import { useNow } from "../../ui/use-now.ts";
import type { Schedule } from "./schedules.ts";

export function NextChange({ schedule: { enabled, on, next_change: next } }: { schedule: Schedule }) {
  const now = useNow();
  if (!enabled) return <p>{t("schedule.disabled")}</p>;
  const state = t(on ? "state.on" : "state.off");
  if (next === null) return <p>{state}</p>;
  const values = { time: formatTime(next), age: formatAge(next, now) };
  return (
    <p>
      {state} · {t(on ? "mode.next_off" : "mode.next_on", values)}
    </p>
  );
}
