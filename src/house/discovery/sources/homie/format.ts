// `$format`: what values a property may have.
import type { HomieProperty } from "./description.ts";

export interface Range {
  min?: number;
  max?: number;
  step?: number;
}

const MAX_FORMAT_LENGTH = 16_384;
const MAX_OPTIONS = 200;
const MAX_OPTION_LENGTH = 100;

/** `min:max:step`, each of which may be missing. Without bounds where it is no range. */
export function rangeIn({ format }: Pick<HomieProperty, "format">): Range {
  if (format.length > MAX_OPTION_LENGTH) return {};
  const parts = format.split(":").map((one) => one.trim());
  if (parts.length < 2 || parts.length > 3) return {};
  const [min, max, step] = parts.map((one) => (one === "" ? undefined : Number(one)));
  const numbers = [min, max, step].filter((one) => one !== undefined);
  if (numbers.some((one) => !Number.isFinite(one)) || (step !== undefined && step <= 0)) return {};
  if (min !== undefined && max !== undefined && min >= max) return {};
  return { ...(min !== undefined && { min }), ...(max !== undefined && { max }), ...(step !== undefined && { step }) };
}

/** Undefined where it lists none, or more than anybody could choose from. */
export function optionsIn({ format }: Pick<HomieProperty, "format">, version: 3 | 4 | 5): string[] | undefined {
  if (format === "" || format.length > MAX_FORMAT_LENGTH) return undefined;
  // In the third version a doubled comma is one of a value.
  const parts = version === 3 ? format.replaceAll(",,", "\0").split(",") : format.split(",");
  const options = parts
    .map((one) => (version === 5 ? one : one.replaceAll("\0", ",").trim()))
    .filter((one) => one !== "");
  const all = [...new Set(options)];
  return all.length === 0 || all.length > MAX_OPTIONS || all.some((one) => one.length > MAX_OPTION_LENGTH)
    ? undefined
    : all;
}

export type ColorFormat = "rgb" | "hsv" | "xyz";

/** The one that the device prefers. */
export function colorFormatIn({ format }: Pick<HomieProperty, "format">): ColorFormat {
  const known = format
    .slice(0, MAX_OPTION_LENGTH)
    .split(",")
    .map((one) => one.trim());
  return known.find((one): one is ColorFormat => one === "rgb" || one === "hsv" || one === "xyz") ?? "rgb";
}

/** To the nearest step, counted from the begin of the range. */
export function rounded(value: number, { min, max, step }: Range): number {
  if (step === undefined) return value;
  const base = min ?? max ?? 0;
  const places = Math.max(
    ...[step, base]
      .map((one) => /(?:\.(\d+))?(?:e-(\d+))?$/.exec(String(one)))
      .map((found) => (found?.[1]?.length ?? 0) + Number(found?.[2] ?? 0)),
  );
  return Number((Math.round((value - base) / step) * step + base).toFixed(Math.min(places, 20)));
}
