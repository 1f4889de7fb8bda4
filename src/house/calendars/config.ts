// `[[calendars]]`: which calendars the hub reads, and from where.
import { type Static, Type } from "@sinclair/typebox";
import type { Problem } from "../../kit/schema/schema.ts";

export const CalendarEntry = Type.Object(
  {
    id: Type.String({
      // It becomes a device's id and a file's name.
      pattern: "^[A-Za-z0-9_-]{1,64}$",
      problem: "must be 1 to 64 letters, digits, dashes or underscores",
      description: "The id of its device",
    }),
    name: Type.Optional(Type.String({ minLength: 1, maxLength: 200, description: "The id when absent" })),
    url: Type.Optional(
      Type.String({
        pattern: "^(https|webcal)://[^/\\s]+",
        problem: "must be an address that begins with https://",
        // Whoever knows it can read the calendar.
        secret: true,
        description: "Where it is on the web, as an iCalendar file",
      }),
    ),
    file: Type.Optional(
      Type.String({ minLength: 1, description: "Path of an .ics file, relative to HUB_HOME, instead of url" }),
    ),
    refresh_mins: Type.Integer({
      minimum: 5,
      maximum: 10_080,
      default: 30,
      description: "How often the address is asked for changes",
    }),
  },
  { additionalProperties: false },
);
export type CalendarEntry = Static<typeof CalendarEntry>;

export const CalendarsSection = Type.Array(CalendarEntry, {
  default: [],
  maxItems: 50,
  expected: "a list of tables: write [[calendars]]",
});
export type CalendarsSection = Static<typeof CalendarsSection>;

export function calendarsProblems(calendars: CalendarsSection): Problem[] {
  return calendars.flatMap(({ id, url, file }, index) => {
    const path = `calendars[${index}]`;
    const problems: Problem[] = [];
    if ((url === undefined) === (file === undefined))
      problems.push({ path: `${path}.url`, message: "give either url or file" });
    if (url !== undefined && !URL.canParse(url)) problems.push({ path: `${path}.url`, message: "is not an address" });
    if (calendars.findIndex((other) => other.id === id) < index)
      problems.push({ path: `${path}.id`, message: `"${id}" is another calendar's id` });
    return problems;
  });
}
