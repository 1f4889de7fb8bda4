// Repetitions that an event lists with an end of their own (RDATE;VALUE=PERIOD), which ical.js cannot work out.
import ICAL from "ical.js";
import { checkDuration } from "./bounds.ts";

export interface ListedPeriod {
  start: ICAL.Time;
  end: ICAL.Time;
  tzid: string | undefined;
}

/** Takes them out of the event. Throws EntryFault. */
export function takePeriods(component: ICAL.Component): ListedPeriod[] {
  return component.getAllProperties("rdate").flatMap((property) => {
    const periods = (property.getValues() as unknown[]).filter((value) => value instanceof ICAL.Period);
    if (periods.length === 0) return [];
    component.removeProperty(property);
    const tzid = property.getFirstParameter("tzid");
    return periods.map((period) => {
      // The library's type says that there is always one.
      const duration = period.duration as ICAL.Duration | null;
      if (duration) checkDuration(duration);
      return { start: period.start, end: period.getEnd(), tzid: typeof tzid === "string" ? tzid : undefined };
    });
  });
}
