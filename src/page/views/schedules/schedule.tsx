// One schedule: its week, to change.

import { useEffect, useState } from "preact/hooks";
import { useLocation, useRoute } from "preact-iso";
import { planOf, type Week, weekOf } from "../../model/place/week-plan.ts";
import { Problem } from "../../parts/acting/problem.tsx";
import { AskFirst, mayAct, useAct } from "../../parts/acting/use-act.tsx";
import { useHubData } from "../../state/hub/watched.ts";
import { t } from "../../texts/index.ts";
import { toast } from "../../ui/toast.ts";
import { readSchedule, removeSchedule, SCHEDULE_EVENTS, type Schedule, savePlan } from "./schedules.ts";
import { NextChange } from "./schedules.tsx";
import { WeekEditor } from "./week-editor.tsx";

export function ScheduleView() {
  const { params } = useRoute();
  const id = params.id ?? "";
  const path = `/schedules/${encodeURIComponent(id)}`;
  const { value: schedule, problem, read } = useHubData<Schedule>(path, { after: SCHEDULE_EVENTS });
  return (
    <>
      <p>
        <a href="/schedules">{t("schedules.title")}</a>
      </p>
      <Problem of={problem} />
      {schedule && <Editing key={schedule.id} schedule={schedule} read={read} />}
    </>
  );
}

function Editing({ schedule, read }: { schedule: Schedule; read: () => Promise<void> }) {
  const [draft, setDraft] = useState<{ week: Week; etag: string }>();
  const act = useAct();
  const { route } = useLocation();
  const { id, name, plan } = schedule;
  const mayEdit = mayAct("user");

  useEffect(() => {
    if (!draft) return;
    const warn = (event: BeforeUnloadEvent): void => event.preventDefault();
    addEventListener("beforeunload", warn);
    return () => removeEventListener("beforeunload", warn);
  }, [draft]);

  /** The first change remembers what it was made from. */
  function change(week: Week): void {
    setDraft((now) => ({ etag: "", ...now, week }));
    if (!draft) {
      void readSchedule(id).then(({ etag, schedule: held }) =>
        setDraft((now) => now && { ...now, etag: JSON.stringify(held.plan) === JSON.stringify(plan) ? etag : '"old"' }),
      );
    }
  }

  async function save(event: SubmitEvent): Promise<void> {
    event.preventDefault();
    if (!draft) return;
    const isSaved = await act.run(async () => {
      await savePlan(id, planOf(draft.week), draft.etag);
      await read();
    });
    if (!isSaved) return;
    setDraft(undefined);
    toast(t("schedule.saved"), () => void savePlan(id, plan, "*").then(read, () => toast(t("house.undo_failed"))));
  }

  function discard(): void {
    setDraft(undefined);
    act.forget();
    void read();
  }

  return (
    <>
      <h1 dir="auto">{name}</h1>
      <NextChange schedule={schedule} />
      <form onSubmit={save}>
        <WeekEditor week={draft?.week ?? weekOf(plan)} disabled={!mayEdit} onChange={change} />
        <Problem of={act.problem} />
        {draft && (
          <div class="banner">
            <p>{t("schedule.unsaved")}</p>
            <div class="buttons">
              <button type="submit" class="main" disabled={act.locked || !mayEdit || draft.etag === ""}>
                {t("house.save")}
              </button>
              <button type="button" onClick={discard}>
                {t("scene.discard")}
              </button>
            </div>
          </div>
        )}
      </form>
      <div class="buttons">
        <a href={`/devices/${encodeURIComponent(id)}`}>{t("schedule.device")}</a>
        <AskFirst
          label={t("house.remove")}
          of={name}
          question={t("house.remove_of", { name })}
          disabled={!mayEdit}
          onYes={() => void act.run(() => removeSchedule(schedule, async () => route("/schedules")))}
        />
      </div>
    </>
  );
}
