// The schedules of the house: whether they are on, and what comes next.

import { useLocation } from "preact-iso";
import { secondsNow } from "../../browser/now.ts";
import { planInWords } from "../../model/place/week-plan.ts";
import { NameEditor, NewThing } from "../../parts/acting/name-editor.tsx";
import { Problem } from "../../parts/acting/problem.tsx";
import { AskFirst, mayAct, useAct } from "../../parts/acting/use-act.tsx";
import { useHubData } from "../../state/hub/watched.ts";
import { formatAge, formatTime, t } from "../../texts/index.ts";
import { Toggle } from "../../ui/fields.tsx";
import { changeSchedule, createSchedule, removeSchedule, SCHEDULE_EVENTS, type Schedule } from "./schedules.ts";

export function SchedulesView() {
  const { value: schedules, problem, read } = useHubData<Schedule[]>("/schedules", { after: SCHEDULE_EVENTS });
  const { route } = useLocation();
  return (
    <>
      <h1>{t("schedules.title")}</h1>
      <Problem of={problem} />
      {schedules?.length === 0 && <p>{t("schedules.empty")}</p>}
      <ul class="things">
        {schedules?.map((schedule) => (
          <ScheduleRow key={schedule.id} schedule={schedule} read={read} />
        ))}
      </ul>
      <NewThing
        label={t("schedules.new")}
        disabled={!mayAct("user")}
        onCreate={async (name) => {
          const { id } = await createSchedule(name);
          route(`/schedules/${encodeURIComponent(id)}`);
        }}
      />
    </>
  );
}

function ScheduleRow({ schedule, read }: { schedule: Schedule; read: () => Promise<void> }) {
  const { id, name, plan, enabled } = schedule;
  const act = useAct();
  const change = (wanted: Parameters<typeof changeSchedule>[1]) => changeSchedule(id, wanted).then(read);
  return (
    <li class="thing">
      <div class="about">
        <NameEditor
          name={name}
          href={`/schedules/${encodeURIComponent(id)}`}
          disabled={!mayAct("user")}
          onSave={(next) => change({ name: next })}
        />
        <NextChange schedule={schedule} />
        <p class="hint">{plan.length === 0 ? t("schedule.no_times") : planInWords(plan)}</p>
      </div>
      <Toggle
        label={t("schedule.enabled_of", { name })}
        on={enabled}
        disabled={!mayAct("user") || act.busy}
        onChange={(next) => void act.run(() => change({ enabled: next }))}
      />
      <AskFirst
        label={t("house.remove")}
        of={name}
        question={t("house.remove_of", { name })}
        disabled={!mayAct("user")}
        onYes={() => void act.run(() => removeSchedule(schedule, read))}
      />
      <Problem of={act.problem} />
    </li>
  );
}

// How a schedule is now, and when that changes.
export function NextChange({ schedule: { enabled, on, next_change: next } }: { schedule: Schedule }) {
  const now = secondsNow.value;
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
