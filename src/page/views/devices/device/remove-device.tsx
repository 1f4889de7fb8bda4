// Removing a device: it cannot be undone, so it asks for the name.

import { useState } from "preact/hooks";
import { useLocation } from "preact-iso";
import type { Device } from "../../../model/device/device.ts";
import { Problem } from "../../../parts/acting/problem.tsx";
import { dropDevice } from "../../../state/house/devices.ts";
import { remove } from "../../../state/hub/api.ts";
import { t } from "../../../texts/index.ts";
import { toast } from "../../../ui/toast.ts";

export function RemoveDevice({ device, isLocked }: { device: Device; isLocked: boolean }) {
  const { route } = useLocation();
  const [typed, setTyped] = useState("");
  const [problem, setProblem] = useState<unknown>();
  const { id, name } = device;
  // Who copies the name may miss a blank at its end.
  const isSure = typed.trim() === name.trim();

  async function forget(event: SubmitEvent): Promise<void> {
    event.preventDefault();
    if (!isSure) return;
    try {
      await remove(`/devices/${encodeURIComponent(id)}`);
      toast(t("device.removed", { name }));
      route("/devices", true);
      dropDevice(id);
    } catch (error) {
      setProblem(error);
    }
  }

  return (
    <details class="danger">
      <summary>{t("device.remove")}</summary>
      <p>{t("device.remove_what")}</p>
      <form onSubmit={(event) => void forget(event)}>
        <label>
          <span dir="auto">{t("device.remove_type", { name })}</span>
          <input
            value={typed}
            dir="auto"
            autocomplete="off"
            onInput={({ currentTarget }) => setTyped(currentTarget.value)}
          />
        </label>
        <button type="submit" class="act" disabled={!isSure || isLocked}>
          {t("device.remove")}
        </button>
        <Problem of={problem} />
      </form>
    </details>
  );
}
