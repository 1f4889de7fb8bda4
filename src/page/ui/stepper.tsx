// A number with a button on either side. Quick presses add up, and are sent when they rest.
import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { formatNumber, t } from "../texts/index.ts";
import { Icon } from "./icon.tsx";

const REST_MS = 600;

export interface StepperProps {
  label: string;
  value: number | undefined;
  min: number;
  max: number;
  step: number;
  unit: string;
  disabled: boolean;
  onSet: (value: number) => void;
}

export function Stepper({ label, value, min, max, step, unit, disabled, onSet }: StepperProps) {
  const pressed = useSignal<number | undefined>(undefined);
  const resting = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(resting.current), []);
  const shown = pressed.value ?? value;

  function press(by: number): void {
    const from = shown ?? min;
    // 0.1 + 0.2 is no 0.3.
    const next = Number(Math.min(max, Math.max(min, from + by)).toFixed(4));
    pressed.value = next;
    clearTimeout(resting.current);
    resting.current = setTimeout(() => {
      pressed.value = undefined;
      onSet(next);
    }, REST_MS);
  }

  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset needs a legend, and this is one number
    <div class="stepper" role="group" aria-label={label}>
      <button
        type="button"
        aria-label={t("control.less", { name: label })}
        disabled={disabled || (shown ?? max) <= min}
        onClick={() => press(-step)}
      >
        <Icon name="minus" />
      </button>
      <output>{shown === undefined ? "–" : `${formatNumber(shown, 1)} ${unit}`.trimEnd()}</output>
      <button
        type="button"
        aria-label={t("control.more", { name: label })}
        disabled={disabled || (shown ?? min) >= max}
        onClick={() => press(step)}
      >
        <Icon name="plus" />
      </button>
    </div>
  );
}
