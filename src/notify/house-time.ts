// Moments as the clock in the house showed them.

/** `2026-11-21 14:02`. The zone is an IANA name that was checked before. */
export function createHouseTime(timezone: string): (at: number) => string {
  return (at) => {
    const local = Temporal.Instant.fromEpochMilliseconds(Math.round(at)).toZonedDateTimeISO(timezone);
    return local.toPlainDateTime().toString({ smallestUnit: "minute" }).replace("T", " ");
  };
}
