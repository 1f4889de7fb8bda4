// How long something has lasted, in its largest unit.
import { formatNumber, language } from "../../texts/index.ts";

const STEPS = [
  ["day", 86_400],
  ["hour", 3600],
  ["minute", 60],
] as const;

export function formatDuration(seconds: number): string {
  const [unit, size] = STEPS.find(([, size]) => seconds >= size) ?? (["second", 1] as const);
  const options = { style: "unit", unit, unitDisplay: "long" } as const;
  const whole = Math.floor(seconds / size);
  return Number.isFinite(whole) ? new Intl.NumberFormat(language.value, options).format(whole) : formatNumber(seconds);
}
