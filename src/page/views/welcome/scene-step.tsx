// Setting up: a scene of how the lamps are now.

import { useState } from "preact/hooks";
import { lampsOf } from "../../model/rules/rule-starters.ts";
import { Problem } from "../../parts/acting/problem.tsx";
import { useAct } from "../../parts/acting/use-act.tsx";
import { PickDevices } from "../../parts/devices/device-choice.tsx";
import { deviceList } from "../../state/house/devices.ts";
import { post } from "../../state/hub/api.ts";
import { t } from "../../texts/index.ts";
import type { StepProps } from "./setup-step.ts";

export function SceneStep({ onChanged }: StepProps) {
  const { locked, problem, run } = useAct();
  const [left, setLeft] = useState<ReadonlySet<string>>();
  const [made, setMade] = useState<string>();
  const all = lampsOf(deviceList.value);
  const picked = left ?? new Set(all.map(({ id }) => id));

  async function submit(event: SubmitEvent): Promise<void> {
    event.preventDefault();
    const name = String(new FormData(event.currentTarget as HTMLFormElement).get("name")).trim();
    const ids = all.map(({ id }) => id).filter((id) => picked.has(id));
    if (!(await run(() => post("/scenes/capture", { name, device_ids: ids })))) return;
    setMade(name);
    onChanged();
  }

  if (all.length === 0)
    return (
      <p>
        {t("scene.none")} <a href="/connect">{t("connect.to")}</a>
      </p>
    );
  return (
    <form class="setup-form" onSubmit={submit}>
      <p>{t("scene.why")}</p>
      <label>
        {t("scene.name")}
        <input name="name" defaultValue={t("scene.evening")} maxLength={100} required pattern=".*\S.*" dir="auto" />
      </label>
      <PickDevices legend={t("scene.lamps")} devices={all} picked={picked} onChange={setLeft} />
      <Problem of={problem} />
      <p class="buttons">
        <button type="submit" class="main" disabled={locked || picked.size === 0}>
          {t("scene.capture")}
        </button>
      </p>
      <p role="status">{made !== undefined && t("scene.made", { name: made })}</p>
    </form>
  );
}
