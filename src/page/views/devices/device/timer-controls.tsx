// The commands of the hub's own timers.

import { useState } from "preact/hooks";
import type { Device } from "../../../model/device/device.ts";
import type { Attributes } from "../../../model/device/json.ts";
import { Problem } from "../../../parts/acting/problem.tsx";
import { command, refused } from "../../../state/house/command.ts";
import { connection } from "../../../state/hub/live.ts";
import { allows } from "../../../state/hub/session.ts";
import { t } from "../../../texts/index.ts";

const MAX_MINUTES = 1440;

export function TimerControls({ device }: { device: Device }) {
  const [minutes, setMinutes] = useState(5);
  const { id, attributes } = device;
  const disabled = connection.value.state !== "live" || !allows("user");
  const send = (wanted: Attributes) => () => void command(id, wanted);
  const isRunning = attributes.state === "started";
  const isPaused = attributes.state === "paused";
  return (
    <section class="card" aria-labelledby="timer">
      <h2 id="timer">{t("device.controls")}</h2>
      <form
        class="row"
        onSubmit={(event) => {
          event.preventDefault();
          send({ command: "start", duration_secs: Math.round(minutes * 60) })();
        }}
      >
        <label class="row">
          {t("device.timer_minutes")}
          <input
            type="number"
            min={0.1}
            max={MAX_MINUTES}
            step="any"
            required
            value={minutes}
            {...{ disabled }}
            onInput={({ currentTarget }) => setMinutes(currentTarget.valueAsNumber)}
          />
        </label>
        <button type="submit" class="main" disabled={disabled}>
          {t("device.timer_start")}
        </button>
        {isRunning && (
          <button type="button" disabled={disabled} onClick={send({ command: "pause" })}>
            {t("device.timer_pause")}
          </button>
        )}
        {isPaused && (
          <button type="button" disabled={disabled} onClick={send({ command: "resume" })}>
            {t("device.timer_resume")}
          </button>
        )}
        {(isRunning || isPaused) && (
          <button type="button" disabled={disabled} onClick={send({ command: "cancel" })}>
            {t("device.cancel")}
          </button>
        )}
      </form>
      <Problem of={refused.value.get(id)} />
    </section>
  );
}
