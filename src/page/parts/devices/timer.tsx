// A timer: counts down, and is started, paused and cancelled.

import type { Attributes } from "../../model/device/json.ts";
import { wordFor } from "../../model/device/kinds.ts";
import { seconds } from "../../state/hub/clock.ts";
import { t } from "../../texts/index.ts";
import { Icon } from "../../ui/icon.tsx";

const FIRST_SECS = 300;

export interface TimerProps {
  attributes: Attributes;
  name: string;
  disabled: boolean;
  send: (command: Attributes) => void;
}

/** `4:12`, or how it ended. */
export function TimerState({ attributes }: Pick<TimerProps, "attributes">) {
  const { state, ends_at: endsAt, remaining_secs: left } = attributes;
  if (state === "started" && typeof endsAt === "string") {
    const remaining = Math.max(0, Math.round((Date.parse(endsAt) - seconds.value) / 1000));
    return <span role="timer">{clockText(remaining)}</span>;
  }
  if (state === "paused" && typeof left === "number") return <>{`${clockText(left)} · ${t("state.paused")}`}</>;
  return <>{wordFor(String(state))}</>;
}

export function TimerButtons({ attributes, name, disabled, send }: TimerProps) {
  const { state, duration_secs: last } = attributes;
  const duration = typeof last === "number" && last > 0 ? last : FIRST_SECS;
  const isUnderWay = state === "started" || state === "paused";
  return (
    <div class="orders">
      {!isUnderWay && (
        <button
          type="button"
          aria-label={`${name}: ${t("tile.timer_start", { time: clockText(duration) })}`}
          disabled={disabled}
          onClick={() => send({ command: "start", duration_secs: duration })}
        >
          <Icon name="play" /> {clockText(duration)}
        </button>
      )}
      {isUnderWay && (
        <button
          type="button"
          aria-label={`${name}: ${t(state === "paused" ? "tile.timer_resume" : "tile.timer_pause")}`}
          disabled={disabled}
          onClick={() => send({ command: state === "paused" ? "resume" : "pause" })}
        >
          <Icon name={state === "paused" ? "play" : "pause"} />
        </button>
      )}
      {isUnderWay && (
        <button
          type="button"
          aria-label={`${name}: ${t("tile.timer_cancel")}`}
          disabled={disabled}
          onClick={() => send({ command: "cancel" })}
        >
          <Icon name="close" />
        </button>
      )}
    </div>
  );
}

/** `4:12`, `1:04:12`. */
function clockText(total: number): string {
  const whole = Math.round(total);
  const [hours, minutes, rest] = [Math.floor(whole / 3600), Math.floor((whole % 3600) / 60), whole % 60];
  const two = (value: number): string => String(value).padStart(2, "0");
  return hours > 0 ? `${hours}:${two(minutes)}:${two(rest)}` : `${minutes}:${two(rest)}`;
}
