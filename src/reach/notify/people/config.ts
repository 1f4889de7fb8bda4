// `[[people]]`: who lives in the house, and how and when they are notified.
import { type Static, Type } from "@sinclair/typebox";
import { didYouMean } from "../../../kit/schema/did-you-mean.ts";
import type { Problem } from "../../../kit/schema/schema.ts";
import { WEEKDAYS } from "../../../kit/time/weekdays.ts";
import { RESERVED_CHANNELS } from "../config.ts";
import { parseQuietHours } from "./quiet-hours.ts";

const TIME = "([01]\\d|2[0-3]):[0-5]\\d";
const UNTIL = `(${TIME}|24:00)`;
const NAME = {
  // Names stand behind "person:" and "people:", and in lists.
  pattern: "^[^\\s:,](?:[^:,]{0,62}[^\\s:,])?$",
  problem: "must be 1 to 64 characters without colons and commas",
};
const span = { pattern: `^${TIME}\\s*[-–]\\s*${UNTIL}$`, problem: 'must be a time span such as "22:00-07:00"' };
const QuietSpan = Type.Union(
  [
    Type.String(span),
    Type.Object(
      {
        from: Type.String({ pattern: `^${TIME}$` }),
        to: Type.String({ pattern: `^${UNTIL}$` }),
        days: Type.Optional(
          Type.Array(Type.Union(WEEKDAYS.map((day) => Type.Literal(day))), { minItems: 1, maxItems: 7 }),
        ),
      },
      { additionalProperties: false },
    ),
  ],
  {
    problem: 'must be a time span such as "22:00-07:00" or { days = ["fri", "sat"], from = "23:30", to = "09:00" }',
  },
);

export const Person = Type.Object(
  {
    name: Type.String({ ...NAME, description: "The name behind `person:`" }),
    channels: Type.Array(Type.String({ minLength: 1 }), {
      minItems: 1,
      maxItems: 10,
      description: "Notification channels, the preferred one first: a message goes through the first that works",
    }),
    groups: Type.Array(Type.String(NAME), {
      default: [],
      maxItems: 20,
      description: "The groups behind `people:`",
    }),
    quiet_hours: Type.Optional(
      Type.Union([Type.String(span), Type.Array(QuietSpan, { maxItems: 20 })], {
        problem: 'must be a time span such as "22:00-07:00", or a list of them',
        description: "When only what is important comes through; the rest comes together at their end",
      }),
    ),
    modes: Type.Array(Type.String({ minLength: 1 }), {
      default: [],
      maxItems: 20,
      description: "Modes in which the person is notified: any of them has to be on; always without any",
    }),
    home: Type.Optional(
      Type.String({
        pattern: "^(device:\\S+\\.[^\\s.]+|mode:\\S+|variable:\\S+)$",
        problem: 'must be "device:ID.ATTRIBUTE", "mode:ID" or "variable:NAME"',
        description: "What says whether the person is at home, for `people:home`",
      }),
    ),
  },
  { additionalProperties: false },
);
export type Person = Static<typeof Person>;

export const PeopleSection = Type.Array(Person, {
  default: [],
  maxItems: 100,
  expected: "a list of tables: write [[people]]",
});
export type PeopleSection = Static<typeof PeopleSection>;

const RESERVED_GROUPS = ["all", "home"];

/** `channels`: the names of all channels. */
export function peopleProblems(people: PeopleSection, channels: readonly string[]): Problem[] {
  const known = channels.filter((name) => !RESERVED_CHANNELS.includes(name));
  return people.flatMap((person, index) => {
    const at = `people[${index}]`;
    const problems: Problem[] = [];
    if (people.findIndex(({ name }) => name === person.name) < index)
      problems.push({ path: `${at}.name`, message: `"${person.name}" is another person's name` });
    for (const [place, name] of person.channels.entries())
      if (!known.includes(name))
        problems.push({
          path: `${at}.channels[${place}]`,
          message: RESERVED_CHANNELS.includes(name)
            ? `"${name}" reaches no person by itself: name channels of [[notify.channels]]`
            : `there is no channel "${name}"${didYouMean(name, known)}`,
        });
    for (const [place, name] of person.groups.entries())
      if (RESERVED_GROUPS.includes(name))
        problems.push({
          path: `${at}.groups[${place}]`,
          message: `"people:${name}" is always there; choose another name`,
        });
    if (parseQuietHours(person.quiet_hours).some(({ from, to }) => from === to))
      problems.push({
        path: `${at}.quiet_hours`,
        message: "begin and end at the same time; the whole day is from 00:00 to 24:00",
      });
    return problems;
  });
}

/** What a message can be sent to besides channels. */
export function peopleNames(people: PeopleSection): string[] {
  if (people.length === 0) return [];
  const groups = new Set(people.flatMap((person) => person.groups));
  return [
    ...people.map(({ name }) => `person:${name}`),
    ...[...groups].map((group) => `people:${group}`),
    "people:all",
    ...(people.some(({ home }) => home !== undefined) ? ["people:home"] : []),
  ];
}
