// Setting up: when the house is saved.

import { Problem } from "../../parts/acting/problem.tsx";
import { useAct } from "../../parts/acting/use-act.tsx";
import { changeSetup, setup } from "../../state/house/setup.ts";
import { t } from "../../texts/index.ts";
import type { StepProps } from "./setup-step.ts";

const EVERY_DAY = /^0 (\d+) (\d+) \* \* \*$/;
const USUAL = "03:30";

export function BackupStep({ onDone }: StepProps) {
  const { locked, problem, run } = useAct();
  const schedule = setup.value?.backup_schedule ?? null;
  const time = schedule === null ? USUAL : timeOf(schedule);

  async function submit(event: SubmitEvent): Promise<void> {
    event.preventDefault();
    const [hours, minutes] = String(new FormData(event.currentTarget as HTMLFormElement).get("time")).split(":");
    const next = `0 ${Number(minutes)} ${Number(hours)} * * *`;
    if (await run(() => changeSetup({ backup_schedule: next }))) onDone();
  }

  return (
    <form class="setup-form" onSubmit={submit}>
      <p>{t("backup.why")}</p>
      {schedule !== null && (
        <p>{t("backup.set", { schedule: time === undefined ? schedule : t("backup.daily", { time }) })}</p>
      )}
      <label>
        {t("backup.at")}
        <input name="time" type="time" defaultValue={time ?? USUAL} required />
      </label>
      <Problem of={problem} />
      <p class="buttons">
        <button type="submit" class="main" disabled={locked}>
          {t("welcome.save")}
        </button>
      </p>
    </form>
  );
}

/** `03:30`; undefined for a schedule that is no time of every day. */
function timeOf(schedule: string): string | undefined {
  const [, minutes, hours] = EVERY_DAY.exec(schedule) ?? [];
  return minutes === undefined || hours === undefined
    ? undefined
    : `${hours.padStart(2, "0")}:${minutes.padStart(2, "0")}`;
}
