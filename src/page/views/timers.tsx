// Timers of the house, counting down.
import { NewThing } from "../components/new-thing.tsx";
import { createOwn } from "../components/own-devices.ts";
import { Problem } from "../components/problem.tsx";
import { type Timer, TimerRow } from "../components/timer-row.tsx";
import { mayAct } from "../components/use-act.ts";
import { useHubData } from "../components/use-hub-data.ts";
import { t } from "../texts/index.ts";

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
