// Durations as people write them: `90`, `"5m"`, `"1h30m"`.
import type { Json } from "../../core/json.ts";

const SECS = { d: 86_400, h: 3600, m: 60, s: 1 } as const;
const FORM = /^(?:(\d+(?:\.\d+)?)d)?\s*(?:(\d+(?:\.\d+)?)h)?\s*(?:(\d+(?:\.\d+)?)m)?\s*(?:(\d+(?:\.\d+)?)s)?$/;

/** In seconds; undefined for what is no duration. */
export function durationSecs(value: Json): number | undefined {
  if (typeof value === "number") return value >= 0 && Number.isFinite(value) ? value : undefined;
  if (typeof value !== "string" || value.trim() === "") return undefined;
  const match = FORM.exec(value.trim().toLowerCase());
  if (!match) return undefined;
  const [, ...parts] = match;
  const secs = Object.values(SECS).reduce((sum, unit, at) => sum + unit * Number(parts[at] ?? 0), 0);
  return Number.isFinite(secs) ? secs : undefined;
}
