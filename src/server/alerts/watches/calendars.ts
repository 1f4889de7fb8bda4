// Calendars that cannot be read: only after a while, because networks come and go.
import type { Clock } from "../../../kit/time/clock.ts";
import type { Finding, Watch } from "../alert.ts";

const GRACE_MS = 30 * 60_000;

/** `since`: monotonic ms. */
export function calendarWatch(
  problems: () => readonly { id: string; message: string; since: number }[],
  clock: Pick<Clock, "mono">,
): Watch {
  return {
    name: "calendars",
    check: () =>
      problems()
        .filter(({ since }) => clock.mono() - since >= GRACE_MS)
        .map(
          ({ id, message }): Finding => ({
            kind: "calendar",
            about: id,
            severity: "warning",
            message: `The calendar ${id} cannot be read: ${message}`,
            mend: "What was read before stays; look at its [[calendars]] entry in hub.toml.",
            values: { calendar: id, reason: message },
          }),
        ),
  };
}
