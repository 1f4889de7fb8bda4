// The inputs of controls. Each shows what is, keeps what is being typed or dragged, and says when that is meant.

import { useEffect, useRef, useState } from "preact/hooks";
import { numberInWords, shortened, valueInWords } from "../../../model/device/attribute-words.ts";
import { stepOf } from "../../../model/device/control-kind.ts";
import type { Json } from "../../../model/device/json.ts";
import type { Property } from "../../../model/device/schema.ts";
import { t } from "../../../texts/index.ts";

interface Shared {
  labelId: string;
  disabled: boolean;
  onChange: (value: Json) => void;
}

/** Keys and dragging change in small steps: only where they rest is meant. */
const REST_MS = 300;

export function Switch({ isOn, labelId, disabled, onChange }: Shared & { isOn: boolean }) {
  return (
    <button
      type="button"
      role="switch"
      aria-checked={isOn}
      aria-labelledby={labelId}
      disabled={disabled}
      onClick={() => onChange(!isOn)}
    />
  );
}

interface SliderProps extends Shared {
  value: number | undefined;
  min: number;
  max: number;
  step: number;
  unit: string | undefined;
}

export function Slider({ value, min, max, step, unit, labelId, disabled, onChange }: SliderProps) {
  const [draft, setDraft] = useState<number>();
  const rest = useRest((meant) => {
    setDraft(undefined);
    onChange(meant);
  });
  const at = draft ?? value;
  const text = at === undefined ? t("device.no_value") : `${numberInWords(at)} ${unit ?? ""}`.trim();
  return (
    <div class="slider">
      <span aria-hidden="true">{numberInWords(min)}</span>
      <input
        type="range"
        {...{ min, max, step, disabled }}
        value={at ?? min}
        aria-labelledby={labelId}
        aria-valuetext={text}
        onInput={({ currentTarget }) => {
          setDraft(currentTarget.valueAsNumber);
          rest(currentTarget.valueAsNumber);
        }}
      />
      <span aria-hidden="true">{numberInWords(max)}</span>
      <output aria-hidden="true">{draft === undefined ? "" : text}</output>
    </div>
  );
}

export function ColorInput({ value, labelId, disabled, onChange }: Shared & { value: string | undefined }) {
  const rest = useRest(onChange);
  const known = value !== undefined && /^#[\da-f]{6}$/i.test(value) ? value : "#ffffff";
  return (
    <input
      type="color"
      value={known}
      aria-labelledby={labelId}
      disabled={disabled}
      onInput={({ currentTarget }) => rest(currentTarget.value)}
    />
  );
}

interface ChoiceProps extends Shared {
  options: readonly Json[];
}

export function ValueSelect({
  value,
  options,
  labelId,
  disabled,
  onChange,
}: ChoiceProps & { value: Json | undefined }) {
  const chosen = options.findIndex((option) => JSON.stringify(option) === JSON.stringify(value));
  return (
    <select
      aria-labelledby={labelId}
      disabled={disabled}
      value={String(chosen)}
      onChange={({ currentTarget }) => {
        const option = options[Number(currentTarget.value)];
        if (option !== undefined) onChange(option);
      }}
    >
      {chosen < 0 && (
        <option value="-1" disabled>
          {shortened(valueInWords("", value), 60)}
        </option>
      )}
      {options.map((option, index) => (
        <option key={JSON.stringify(option)} value={String(index)}>
          {shortened(valueInWords("", option), 60)}
        </option>
      ))}
    </select>
  );
}

/** What cannot be read back is pressed. */
export function ChoiceButtons({ options, name, disabled, onChange }: ChoiceProps & { name: string }) {
  return (
    <div class="row">
      {options.map((option) => {
        const text = option === true && options.length === 1 ? t("device.press") : valueInWords("", option);
        return (
          <button
            key={JSON.stringify(option)}
            type="button"
            disabled={disabled}
            aria-label={`${name}: ${text}`}
            onClick={() => onChange(option)}
          >
            {shortened(text, 40)}
          </button>
        );
      })}
    </div>
  );
}

interface SendProps extends Shared {
  value: Json | undefined;
  property: Property;
  isPending: boolean;
  isRefused: boolean;
}

/** What is typed stays until the device has taken it. */
export function SendField({ value, property, isPending, isRefused, labelId, disabled, onChange }: SendProps) {
  const [draft, setDraft] = useState<Json>();
  const wasPending = useRef(false);
  useEffect(() => {
    if (wasPending.current && !isPending && !isRefused) setDraft(undefined);
    wasPending.current = isPending;
  }, [isPending, isRefused]);
  const isNumber = property.type === "number" || property.type === "integer";
  const { minimum, maximum, enum: options, unit } = property;
  const step = property.type === "integer" || property.multipleOf !== undefined ? stepOf(property) : "any";
  const range = isNumber
    ? { type: "number" as const, min: minimum, max: maximum, step }
    : { type: "text" as const, maxLength: 1000 };
  const known = typeof value === (isNumber ? "number" : "string") ? String(value) : "";
  const meant = draft === undefined ? undefined : read(draft, { isNumber, isChoice: options !== undefined });
  return (
    <form
      class="row"
      onSubmit={(event) => {
        event.preventDefault();
        if (meant !== undefined) onChange(meant);
      }}
    >
      {options ? (
        <ValueSelect value={draft} {...{ options, labelId, disabled }} onChange={setDraft} />
      ) : (
        <input
          {...range}
          value={draft === undefined ? known : String(draft)}
          aria-labelledby={labelId}
          disabled={disabled}
          dir="auto"
          onInput={({ currentTarget }) => setDraft(currentTarget.value)}
        />
      )}
      {unit !== undefined && <span>{unit}</span>}
      <button type="submit" disabled={disabled || meant === undefined}>
        {t("device.send")}
      </button>
    </form>
  );
}

function read(draft: Json, { isNumber, isChoice }: { isNumber: boolean; isChoice: boolean }): Json | undefined {
  if (isChoice || !isNumber) return draft;
  const number = Number(draft);
  return draft === "" || !Number.isFinite(number) ? undefined : number;
}

function useRest(onRest: (value: Json) => void): (value: Json) => void {
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const latest = useRef(onRest);
  latest.current = onRest;
  useEffect(() => () => clearTimeout(timer.current), []);
  return (value) => {
    clearTimeout(timer.current);
    timer.current = setTimeout(() => latest.current(value), REST_MS);
  };
}
