// A timer: how it is, counting down, and what can be done to it.

import { useRef } from "preact/hooks";
import { secondsNow } from "../../browser/now.ts";
import type { Attributes } from "../../model/device/json.ts";
import { formatCountdown } from "../../model/text/formats.ts";
import { NameEditor, removeOwn, renameOwn } from "../../parts/acting/name-editor.tsx";
import { Problem } from "../../parts/acting/problem.tsx";
import { AskFirst, mayAct, useAct } from "../../parts/acting/use-act.tsx";
import { devices } from "../../state/house/devices.ts";
import { patch } from "../../state/hub/api.ts";
import { allows } from "../../state/hub/session.ts";
import { formatTime, t } from "../../texts/index.ts";
import { StartTimer } from "./timer-start.tsx";

export interface Timer {
  id: string;
  name: string;
  state: "idle" | "started" | "paused" | "expired" | "cancelled";
  duration_secs: number | null;
  ends_at: string | null;
  remaining_secs: number | null;
  label: string | null;
  /** It starts again at its end. */
  repeat: boolean;
}

export function TimerRow({ timer, read }: { timer: Timer; read: () => Promise<void> }) {
  const { id, name, state } = timer;
  const act = useAct();
  const isLocked = !mayAct("user") || act.busy;
  const order = (wanted: Attributes): void =>
    void act.run(async () => {
      await patch(`/devices/${encodeURIComponent(id)}/state`, wanted);
      await read();
    });
  async function drop(): Promise<void> {
    const device = devices.peek().get(id)?.peek();
    if (device) await removeOwn("timers", device, read);
  }
  return (
    <li class="thing">
      <div class="about">
        <NameEditor
          name={name}
          disabled={!mayAct("user")}
          onSave={async (next) => {
            await renameOwn("timers", id, next);
            await read();
          }}
        />
        <p class="hint">
          {t(`timer.${state}`)}
          {state === "started" &&
            timer.ends_at !== null &&
            ` · ${t("timer.until", { time: formatTime(timer.ends_at) })}`}
          {timer.repeat && ` · ${t("timer.repeats")}`}
          {timer.label !== null && (
            <>
              {" · "}
              <bdi>{timer.label}</bdi>
            </>
          )}
        </p>
      </div>
      <Countdown timer={timer} />
      {allows("user") && (
        <>
          <TimerOrders timer={timer} disabled={isLocked} order={order} onRemove={() => void act.run(drop)} />
          <StartTimer name={name} disabled={isLocked} onStart={(how) => order({ command: "start", ...how })} />
        </>
      )}
      <Problem of={act.problem} />
    </li>
  );
}

interface TimerOrdersProps {
  timer: Timer;
  disabled: boolean;
  order: (wanted: Attributes) => void;
  onRemove: () => void;
}

function TimerOrders({ timer: { name, state, duration_secs: duration }, disabled, order, onRemove }: TimerOrdersProps) {
  return (
    <div class="buttons">
      {state === "started" && (
        <Order label={t("timer.pause")} of={name} disabled={disabled} onClick={() => order({ command: "pause" })} />
      )}
      {state === "paused" && (
        <Order label={t("timer.resume")} of={name} disabled={disabled} onClick={() => order({ command: "resume" })} />
      )}
      {(state === "started" || state === "paused") && (
        <Order label={t("timer.cancel")} of={name} disabled={disabled} onClick={() => order({ command: "cancel" })} />
      )}
      {duration !== null && (
        <Order
          label={t("timer.restart", { duration: formatCountdown(duration) })}
          of={name}
          disabled={disabled}
          onClick={() => order({ command: "restart" })}
        />
      )}
      <AskFirst
        label={t("house.remove")}
        of={name}
        question={t("house.remove_of", { name })}
        disabled={disabled}
        onYes={onRemove}
      />
    </div>
  );
}

function Order({
  label,
  of,
  disabled,
  onClick,
}: {
  label: string;
  of: string;
  disabled: boolean;
  onClick: () => void;
}) {
  return (
    <button type="button" disabled={disabled} aria-label={`${label}: ${of}`} onClick={onClick}>
      {label}
    </button>
  );
}

/** By the hub's own count: the clock of this device may be wrong. */
function Countdown({ timer }: { timer: Timer }) {
  const { state, remaining_secs: remaining } = timer;
  secondsNow.value;
  const read = useRef({ timer, at: performance.now() });
  if (read.current.timer !== timer) read.current = { timer, at: performance.now() };
  if (remaining === null || (state !== "started" && state !== "paused")) return null;
  const passed = state === "started" ? (performance.now() - read.current.at) / 1000 : 0;
  return (
    <span class="time-left" role="timer" aria-label={timer.name}>
      {formatCountdown(remaining - passed)}
    </span>
  );
}
