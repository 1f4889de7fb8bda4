// A value within a range: dragged, or moved with the arrow keys. What is dragged is shown at once and sent when it rests.
import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";

const REST_MS = 250;

export interface SliderProps {
  label: string;
  value: number | undefined;
  min: number;
  max: number;
  step: number;
  /** For screen readers, such as `60 %`. */
  text: (value: number) => string;
  disabled: boolean;
  /** A further class for its looks. */
  look?: string;
  /** While it is moved; undefined when it is let go. */
  onMove?: (value: number | undefined) => void;
  onSet: (value: number) => void;
}

export function Slider({ label, value, min, max, step, text, disabled, look, onMove, onSet }: SliderProps) {
  const moved = useSignal<number | undefined>(undefined);
  const resting = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(resting.current), []);
  const shown = moved.value ?? value ?? min;

  function move(next: number): void {
    clearTimeout(resting.current);
    moved.value = next;
    onMove?.(next);
  }

  function rest(): void {
    clearTimeout(resting.current);
    resting.current = setTimeout(() => {
      const next = moved.peek();
      moved.value = undefined;
      onMove?.(undefined);
      if (next !== undefined) onSet(next);
    }, REST_MS);
  }

  return (
    <input
      type="range"
      class={look ? `slider ${look}` : "slider"}
      aria-label={label}
      aria-valuetext={text(shown)}
      {...{ min, max, step, disabled }}
      value={shown}
      onInput={({ currentTarget }) => move(currentTarget.valueAsNumber)}
      onChange={rest}
    />
  );
}
