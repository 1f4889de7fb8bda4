// Values as people write them.
import type { Json } from "../core/json.ts";

const large = new Intl.NumberFormat("en", { useGrouping: false, maximumFractionDigits: 4 });
const small = new Intl.NumberFormat("en", { useGrouping: false, maximumSignificantDigits: 4 });

/** Without exponents, and without what a sensor's 32 bits add behind 21.5; undefined for nothing. */
export function valueText(value: Json | undefined): string | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value === "string") return value;
  if (typeof value === "number") return numberText(value);
  if (typeof value === "boolean") return String(value);
  if (Array.isArray(value)) return value.map((item) => valueText(item) ?? "unknown").join(", ");
  return JSON.stringify(value);
}

function numberText(value: number): string | undefined {
  if (!Number.isFinite(value)) return undefined;
  // Adding 0 makes -0 a plain one.
  return (Math.abs(value) < 1 ? small : large).format(value + 0).replace(/^-0$/, "0");
}
