// A span of time in a rule, typed as people write it: `90`, `5m`, `1h30m`.
import type { Json } from "../../../model/device/json.ts";
import { duration, secondsOf, text } from "../../../model/rules/rule-text.ts";
import { t } from "../../../texts/index.ts";
import { TypedInput } from "../../../ui/fields.tsx";

interface DurationInputProps {
  id?: string;
  label?: string;
  value: Json | undefined;
  onChange: (value: Json | undefined) => void;
}

/** A number is one of seconds. What is no span is kept as typed, and the hub says what is wrong with it. */
export function DurationInput({ id, label, value, onChange }: DurationInputProps) {
  const seconds = secondsOf(value);
  return (
    <>
      <TypedInput
        id={id}
        aria-label={label}
        autocomplete="off"
        spellcheck={false}
        placeholder="5m"
        value={typeof value === "number" ? compact(value) : text(value)}
        onTaken={(typed) => onChange(spanOf(typed.trim()))}
      />
      <span class="hint">{seconds === undefined ? t("guide.duration") : duration(seconds)}</span>
    </>
  );
}

function spanOf(typed: string): Json | undefined {
  if (typed === "") return undefined;
  return /^\d+(\.\d+)?$/.test(typed) ? Number(typed) : typed;
}

/** `1h30m`; fractions stay a number. */
function compact(seconds: number): string {
  if (!Number.isInteger(seconds) || seconds <= 0) return String(seconds);
  const [days, hours] = [Math.floor(seconds / 86_400), Math.floor((seconds % 86_400) / 3600)];
  const [minutes, rest] = [Math.floor((seconds % 3600) / 60), seconds % 60];
  const parts = { d: days, h: hours, m: minutes, s: rest };
  return Object.entries(parts)
    .filter(([, count]) => count > 0)
    .map(([unit, count]) => `${count}${unit}`)
    .join("");
}
