// From a time in a calendar to an instant. Zones that have a name everybody knows are those of this machine: what calendars say of
// them is often outdated or broken. Other zones are as the calendar says; times without any are those of the house.
import type ICAL from "ical.js";
import { isTimeZone } from "../../kit/time/zone.ts";

export interface Instants {
  /** Epoch ms. `tzid`: of the property that the time is from. */
  of(time: ICAL.Time, tzid: string | undefined): number;
}

export function createInstants(house: string, zones: ReadonlyMap<string, ICAL.Timezone>): Instants {
  const known = new Map<string, string | undefined>();

  /** The last two levels: some programs put their own name in front. */
  function ianaOf(tzid: string): string | undefined {
    if (!known.has(tzid)) {
      const short = tzid.split("/").slice(-2).join("/");
      known.set(tzid, [tzid, short].find(isTimeZone));
    }
    return known.get(tzid);
  }

  return {
    of(time, tzid) {
      const { year, month, day, hour, minute, second, isDate } = time;
      if (!isDate && time.zone?.tzid === "UTC") return time.toUnixTime() * 1000;
      const name = isDate || tzid === undefined ? house : ianaOf(tzid);
      const zone = name === undefined && tzid !== undefined ? zones.get(tzid) : undefined;
      if (zone) {
        const local = Date.UTC(year, month - 1, day, hour, minute, second);
        return local - zone.utcOffset(time) * 1000;
      }
      const local = { year, month, day, ...(isDate ? {} : { hour, minute, second: Math.min(second, 59) }) };
      return Temporal.PlainDateTime.from(local).toZonedDateTime(name ?? house).epochMilliseconds;
    },
  };
}
