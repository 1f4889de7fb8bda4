// `time_window`: the clock of the house shows a time between two others, also over midnight.
import { Type } from "@sinclair/typebox";
import { invalid } from "../model/checks.ts";
import { type ConditionScope, defineCondition } from "../model/define.ts";
import { days, timeOfDay } from "../model/fields.ts";
import { WEEKDAYS } from "../schedule/cron.ts";

const DAY_SECS = 86_400;
const ALL_DAY_ENDS = "24:00";

export const timeWindow = defineCondition({
  type: "time_window",
  doc: "The clock of the house shows a time from `start` until just before `end`. If the end is before the start, the window goes over midnight and belongs to the day on which it starts.",
  fields: () => ({
    start: timeOfDay("`HH:MM` or `HH:MM:SS`"),
    end: Type.Union([timeOfDay("`HH:MM` or `HH:MM:SS`"), Type.Literal(ALL_DAY_ENDS)], {
      problem: 'must be a time of day such as "07:30" or "22:15:30", or "24:00"',
      description: "`HH:MM` or `HH:MM:SS`, itself outside the window; 24:00 is the end of the day",
    }),
    days: Type.Optional(days),
  }),
  check({ start, end }) {
    if (secondsOf(start) === secondsOf(end)) {
      throw invalid("end", "is the same as the start, so the window is empty; the whole day is from 00:00 to 24:00");
    }
  },
  evaluate({ start, end, days }, { host }: ConditionScope<"now" | "zone">) {
    const now = host.now();
    const wall = new Date(now + host.zone.at(now).offsetMs);
    const second = Math.floor(wall.getTime() / 1000) % DAY_SECS;
    const [from, until] = [secondsOf(start), secondsOf(end)];
    const sinceYesterday = until < from && second < until;
    const within = from < until ? from <= second && second < until : from <= second || sinceYesterday;
    const today = (wall.getUTCDay() + 6) % 7;
    const startDay = WEEKDAYS[sinceYesterday ? (today + 6) % 7 : today] ?? "mon";
    return {
      passed: within && (days?.includes(startDay) ?? true),
      expected: `${start}–${end}${days ? ` on ${days.join(", ")}` : ""}`,
      actual: `${WEEKDAYS[today]} ${wall.toISOString().slice(11, 19)}`,
    };
  },
  example: { start: "22:00", end: "06:30:30", days: ["mon", "tue"] },
});

function secondsOf(time: string): number {
  const [hours = 0, minutes = 0, seconds = 0] = time.split(":").map(Number);
  return hours * 3600 + minutes * 60 + seconds;
}
