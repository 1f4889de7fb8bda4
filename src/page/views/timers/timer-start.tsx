// Starts a timer: with a usual duration, or any; with a note, and again and again.

import { useEffect, useRef, useState } from "preact/hooks";
import type { Attributes } from "../../model/device/json.ts";
import { t } from "../../texts/index.ts";

const QUICK_MINUTES = [1, 5, 10, 30, 60] as const;
const MAX_LABEL_CHARS = 200;
const UNITS = { seconds: 1, minutes: 60, hours: 3600 } as const;
type Unit = keyof typeof UNITS;

export function StartTimer({
  name,
  disabled,
  onStart,
}: {
  name: string;
  disabled: boolean;
  /** With the fields of the command. */
  onStart: (how: Attributes) => void;
}) {
  const [amount, setAmount] = useState("");
  const [unit, setUnit] = useState<Unit>("minutes");
  const [label, setLabel] = useState("");
  const [repeat, setRepeat] = useState(false);
  const details = useRef<HTMLDetailsElement>(null);
  const start = (secs: number): void => {
    const note = label.trim();
    onStart({ duration_secs: secs, ...(note !== "" && { label: note }), ...(repeat && { repeat }) });
    if (details.current) details.current.open = false;
  };
  useEffect(() => setAmount(""), [unit]);
  return (
    <details class="wide" ref={details}>
      <summary aria-label={`${t("timer.start")}: ${name}`}>{t("timer.start")}</summary>
      <div class="buttons">
        {QUICK_MINUTES.map((minutes) => (
          <button key={minutes} type="button" disabled={disabled} onClick={() => start(minutes * 60)}>
            {minutes === 60 ? t("timer.hour") : t("timer.minutes", { count: minutes })}
          </button>
        ))}
      </div>
      <form
        class="inline-form"
        onSubmit={(event) => {
          event.preventDefault();
          start(Number(amount) * UNITS[unit]);
        }}
      >
        <label class="field">
          {t("timer.duration")}
          <input
            type="number"
            min="0.001"
            step="any"
            required
            value={amount}
            onInput={({ currentTarget }) => setAmount(currentTarget.value)}
          />
        </label>
        <label class="field">
          {t("timer.unit")}
          <select value={unit} onChange={({ currentTarget }) => setUnit(currentTarget.value as Unit)}>
            {Object.keys(UNITS).map((one) => (
              <option key={one} value={one}>
                {t(`timer.unit.${one as Unit}`)}
              </option>
            ))}
          </select>
        </label>
        <label class="field">
          {t("timer.label")}
          <input
            dir="auto"
            maxLength={MAX_LABEL_CHARS}
            autocomplete="off"
            value={label}
            onInput={({ currentTarget }) => setLabel(currentTarget.value)}
          />
        </label>
        <label class="check">
          <input type="checkbox" checked={repeat} onChange={({ currentTarget }) => setRepeat(currentTarget.checked)} />
          {t("timer.repeat")}
        </label>
        <button type="submit" class="main" disabled={disabled}>
          {t("timer.start")}
        </button>
      </form>
    </details>
  );
}
