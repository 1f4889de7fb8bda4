// A timer at its full size: for how long, and its buttons.
import { useSignal } from "@preact/signals";
import { TimerButtons, type TimerProps, TimerState } from "../../../parts/devices/timer.tsx";
import { t } from "../../../texts/index.ts";

const MINUTES = [1, 5, 10, 15, 30, 60];
const MAX_MINUTES = 24 * 60;

export function TimerStarter(props: TimerProps) {
  const { disabled, send } = props;
  const minutes = useSignal(10);
  const start = (length: number): void => send({ command: "start", duration_secs: length * 60 });
  return (
    <>
      <p class="countdown">
        <TimerState attributes={props.attributes} />
      </p>
      <TimerButtons {...props} />
      <div class="orders">
        {MINUTES.map((length) => (
          <button key={length} type="button" disabled={disabled} onClick={() => start(length)}>
            {t("tile.timer_minutes", { count: length })}
          </button>
        ))}
      </div>
      <form
        class="control"
        onSubmit={(event) => {
          event.preventDefault();
          start(minutes.value);
        }}
      >
        <label>
          {t("tile.timer_other")}
          <input
            type="number"
            min="1"
            max={MAX_MINUTES}
            required
            value={minutes.value}
            onInput={({ currentTarget }) => {
              minutes.value = currentTarget.valueAsNumber;
            }}
          />
        </label>
        <button type="submit" disabled={disabled || !(minutes.value > 0)}>
          {t("tile.timer_go")}
        </button>
      </form>
    </>
  );
}
