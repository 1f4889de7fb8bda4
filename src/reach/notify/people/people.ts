// The people of the house: whom a name stands for, who is at home, and who is not to be disturbed now.
import { didYouMean } from "../../../kit/schema/did-you-mean.ts";
import { HubError } from "../../../kit/schema/errors.ts";
import type { Clock } from "../../../kit/time/clock.ts";
import type { Zone } from "../../../kit/time/zone.ts";
import { type GivenOptions, rankOf } from "../message-options.ts";
import type { PeopleSection, Person } from "./config.ts";
import { peopleNames } from "./config.ts";
import { parseQuietHours, quietUntil } from "./quiet-hours.ts";

/** What the house knows. */
export interface PeopleHouse {
  /** Its value; undefined where there is no such device or attribute. */
  attribute(deviceId: string, name: string): unknown;
  variable(name: string): unknown;
  mode(id: string): boolean | undefined;
}

export interface Addressees {
  readonly now: readonly Person[];
  /** They are notified later. */
  readonly held: readonly Person[];
}

export interface PersonState {
  readonly person: Person;
  /** Epoch ms; undefined when it is not quiet. */
  readonly quietUntil: number | undefined;
  /** Whether one of the person's modes is on. */
  readonly asked: boolean;
  /** Undefined where that is not known. */
  readonly home: boolean | undefined;
}

export interface People {
  /** Whether the name is one of people, there or not. */
  isPeople(name: string): boolean;
  /** Whether there is such a person or group. */
  has(name: string): boolean;
  find(person: string): Person | undefined;
  list(): PersonState[];
  /** Whether the person is notified of what is not important now. */
  isReachable(person: Person): boolean;
  /** Everybody a name stands for, whoever is at home. Throws HubError `not_found`. */
  members(name: string): readonly Person[];
  /** Who gets a message now and who later. Throws HubError `not_found`. */
  address(name: string, options: Pick<GivenOptions, "priority">): Addressees;
}

export interface PeopleOptions {
  section: PeopleSection;
  clock: Clock;
  zone: Zone;
  house: PeopleHouse;
}

const AT_HOME: ReadonlySet<unknown> = new Set([true, 1, "home", "on", "present", "true"]);

export function createPeople({ section, clock, zone, house }: PeopleOptions): People {
  const names = peopleNames(section);
  const quiet = new Map(section.map((person) => [person, parseQuietHours(person.quiet_hours)]));

  const quietUntilOf = (person: Person): number | undefined => quietUntil(quiet.get(person) ?? [], clock.now(), zone);
  const isAsked = ({ modes }: Person): boolean => modes.length === 0 || modes.some((id) => house.mode(id) === true);

  function isHome({ home = "" }: Person): boolean | undefined {
    const [kind, what = ""] = home.split(/:(.*)/s);
    if (kind === "mode") return house.mode(what);
    // A device's id may have dots, its attribute has none.
    const dot = what.lastIndexOf(".");
    const ofDevice = () => (kind === "device" ? house.attribute(what.slice(0, dot), what.slice(dot + 1)) : undefined);
    const value = kind === "variable" ? house.variable(what) : ofDevice();
    return value === undefined || value === null ? undefined : AT_HOME.has(value);
  }

  function members(name: string): readonly Person[] {
    if (!names.includes(name)) {
      const what = name.startsWith("person:") ? "person" : "group of people";
      throw new HubError("not_found", `there is no ${what} "${name}"${didYouMean(name, names)}`);
    }
    if (name === "people:all" || name === "people:home") return section;
    return section.filter(
      (person) => name === `person:${person.name}` || person.groups.some((group) => name === `people:${group}`),
    );
  }

  /** Where nobody's whereabouts are known, everybody may be at home; an alarm goes to everybody if nobody is. */
  function thoseAtHome(isAlarm: boolean): readonly Person[] {
    const known = section.filter((person) => isHome(person) !== undefined);
    const home = known.filter((person) => isHome(person));
    return home.length > 0 || (known.length > 0 && !isAlarm) ? home : section;
  }

  return {
    isPeople: (name) => name.startsWith("person:") || name.startsWith("people:"),
    has: (name) => names.includes(name),
    find: (wanted) => section.find(({ name }) => name === wanted),
    list: () =>
      section.map((person) => ({
        person,
        quietUntil: quietUntilOf(person),
        asked: isAsked(person),
        home: isHome(person),
      })),
    isReachable: (person) => isAsked(person) && quietUntilOf(person) === undefined,
    members,
    address(name, options) {
      const isAlarm = rankOf(options) > 0;
      const everybody = members(name);
      const meant = name === "people:home" ? thoseAtHome(isAlarm) : everybody;
      const asked = meant.filter(isAsked);
      if (isAlarm) return { now: asked.length > 0 ? asked : meant, held: [] };
      // Of a group, whoever is in none of their modes is left out as long as somebody else is notified.
      const addressed = asked.length > 0 ? asked : meant;
      const isHeld = (person: Person): boolean => !isAsked(person) || quietUntilOf(person) !== undefined;
      return { now: addressed.filter((person) => !isHeld(person)), held: addressed.filter(isHeld) };
    },
  };
}
