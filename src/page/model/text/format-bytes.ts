// Sizes for people.
import { formatNumber } from "../../texts/index.ts";

const UNITS = ["B", "kB", "MB", "GB", "TB"];

export function formatBytes(bytes: number): string {
  const step = bytes < 1 ? 0 : Math.min(UNITS.length - 1, Math.floor(Math.log10(bytes) / 3));
  return `${formatNumber(bytes / 1000 ** step, step === 0 ? 0 : 1)} ${UNITS[step]}`;
}
