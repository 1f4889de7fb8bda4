// Durations as people write them (`90s`, `5m`, `1h30m`, `250ms`, `2d`) and as they read them.

const UNITS = [
  ["w", 604_800],
  ["d", 86_400],
  ["h", 3600],
  ["m(?:in)?", 60],
  ["s", 1],
  ["ms", 0.001],
] as const;
// Each unit once, the largest first, so that `5m5m` is a typing error. A year has eight digits of seconds.
const PARTS = UNITS.map(([unit]) => `(?:([0-9]{1,8}(?:\\.[0-9]{1,9})?) ?${unit} ?)?`).join("");

/** A pattern for JSON Schema. */
export const DURATION_PATTERN = `^(?=[0-9])${PARTS}$`;
const DURATION = new RegExp(DURATION_PATTERN);
const MAX_TEXT = 64;

/** Seconds, to the millisecond; undefined for any other text. */
export function parseDuration(text: string): number | undefined {
  const found = text.length <= MAX_TEXT ? DURATION.exec(text.trim()) : null;
  if (!found) return undefined;
  const secs = UNITS.reduce((sum, [, factor], index) => sum + Number(found[index + 1] ?? 0) * factor, 0);
  return Math.round(secs * 1000) / 1000;
}

/** The two largest units, for people: `1 h 30 min`, `45 s`, `2 d 3 h`; below 10 s with one decimal. */
export function durationText(secs: number): string {
  const sign = secs < 0 ? "-" : "";
  const whole = Math.abs(secs);
  if (whole < 10) return `${sign}${Math.round(whole * 10) / 10} s`;
  const rounded = roundedTo(whole);
  const parts: string[] = [];
  let left = rounded;
  for (const [name, size] of [
    ["d", 86_400],
    ["h", 3600],
    ["min", 60],
    ["s", 1],
  ] as const) {
    const count = Math.floor(left / size);
    left -= count * size;
    if (count > 0) parts.push(`${count} ${name}`);
  }
  return sign + parts.slice(0, 2).join(" ");
}

/** To the smaller of the two units that are shown. */
function roundedTo(secs: number): number {
  const step = secs >= 86_400 ? 3600 : secs >= 3600 ? 60 : 1;
  return Math.round(secs / step) * step;
}
