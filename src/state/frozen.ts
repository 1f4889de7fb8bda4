// Values that are handed out without a copy: whoever reads one cannot change what is held.

/** Freezes JSON to its depths, in place, and gives it back. */
export function frozen<T>(value: T): T {
  if (typeof value !== "object" || value === null) return value;
  for (const part of Object.values(value)) frozen(part);
  return Object.freeze(value);
}
