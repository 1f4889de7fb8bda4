// Timers of the house, counting down.
import { createOwn, NewThing } from "../../parts/acting/name-editor.tsx";
import { Problem } from "../../parts/acting/problem.tsx";
import { mayAct } from "../../parts/acting/use-act.tsx";
import { useHubData } from "../../state/hub/watched.ts";
import { t } from "../../texts/index.ts";
import { type Timer, TimerRow } from "./timer-row.tsx";

const AFTER = ["timer_state_changed", "device_name_changed"] as const;

export function TimersView() {
  const { value: timers, problem, read } = useHubData<Timer[]>("/timers", { after: AFTER });
  return (
    <>
      <h1>{t("timers.title")}</h1>
      <Problem of={problem} />
      {timers?.length === 0 && <p>{t("timers.empty")}</p>}
      <ul class="things">
        {timers?.map((timer) => (
          <TimerRow key={timer.id} timer={timer} read={read} />
        ))}
      </ul>
      <NewThing
        label={t("timers.new")}
        disabled={!mayAct("user")}
        onCreate={async (name) => {
          await createOwn("timers", name);
          await read();
        }}
      />
    </>
  );
}
