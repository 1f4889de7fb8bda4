// [location]: where the house is. Without coordinates nothing follows the sun.
import { type Static, Type } from "@sinclair/typebox";
import type { Problem } from "../../kit/schema/schema.ts";
import { isTimeZone } from "../../kit/time/zone.ts";

export const LocationSection = Type.Object(
  {
    latitude: Type.Optional(Type.Number({ minimum: -90, maximum: 90 })),
    longitude: Type.Optional(Type.Number({ minimum: -180, maximum: 180 })),
    timezone: Type.Optional(
      Type.String({ minLength: 1, description: "IANA name; the machine's own zone when absent." }),
    ),
  },
  { additionalProperties: false },
);
export type LocationSection = Static<typeof LocationSection>;

export function locationProblems({ latitude, longitude, timezone }: LocationSection): Problem[] {
  const problems: Problem[] = [];
  if ((latitude === undefined) !== (longitude === undefined)) {
    const missing = latitude === undefined ? "latitude" : "longitude";
    problems.push({ path: `location.${missing}`, message: "missing: give both latitude and longitude, or neither" });
  }
  if (timezone !== undefined && !isTimeZone(timezone)) {
    const message = `"${timezone}" is not a time zone this machine knows; use an IANA name such as "Europe/Berlin"`;
    problems.push({ path: "location.timezone", message });
  }
  return problems;
}

/** IANA name of the house's time zone. For what asks later, and perhaps never, see `createZone`. */
export function timezoneOf({ timezone = Temporal.Now.timeZoneId() }: LocationSection): string {
  return timezone;
}
