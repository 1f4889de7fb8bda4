// Steps of the wall clock, noticed by comparing it with the monotonic clock.
import { type Clock, isoSeconds } from "../../../kit/time/clock.ts";
import type { Finding, Watch } from "../alert.ts";

const STEP_MS = 120_000;
// The alert lasts this long; only people can say whether the new time is right.
const SHOWN_MS = 3_600_000;
// The hub was written after this time, so an earlier clock is certainly wrong.
export const EARLIEST_MS = Date.UTC(2026, 0, 1);

export function clockWatch(clock: Clock): Watch {
  let offset = clock.now() - clock.mono();
  let stepped: { at: number; finding: Finding } | undefined;
  return {
    name: "clock",
    check() {
      const mono = clock.mono();
      const now = clock.now();
      const step = now - mono - offset;
      if (Math.abs(step) >= STEP_MS) stepped = { at: mono, finding: steppedBy(step, now) };
      offset = now - mono;
      if (now < EARLIEST_MS) return [UNSURE];
      return stepped && mono - stepped.at < SHOWN_MS ? [stepped.finding] : [];
    },
  };
}

function steppedBy(step: number, now: number): Finding {
  const minutes = Math.round(Math.abs(step) / 60_000);
  const far =
    minutes < 120
      ? `${minutes} minutes`
      : minutes < 2880
        ? `${Math.round(minutes / 60)} hours`
        : `${Math.round(minutes / 1440)} days`;
  return {
    kind: "clock_stepped",
    severity: "info",
    message: `The clock was set ${step > 0 ? "forward" : "back"} by ${far}, to ${isoSeconds(now)}`,
    mend: "If that is right, nothing is to be done; times of history and events before it are off by as much.",
    variant: step > 0 ? "forward" : "back",
    values: { minutes },
  };
}

const UNSURE: Finding = {
  kind: "clock_stepped",
  severity: "warning",
  message: "The clock cannot be right: it is before 2026",
  mend: "Connect the machine to the internet or set its clock; until then, rules with times run at the wrong moments.",
  variant: "unsure",
};
