// Reads an iCalendar text: the occurrences of its events within a window. It runs in the calendar's own thread, which is ended where
// it takes too long; here the number of repetitions has bounds.
import ICAL from "ical.js";
import { type Components, componentsOf } from "./components.ts";
import type { Occurrence, ReadCalendar, ReadRequest } from "./occurrence.ts";
import { createInstants, type Instants } from "./times.ts";

const MOST_OCCURRENCES = 10_000;
/** Of one event, also those before the window. */
const MOST_REPETITIONS = 100_000;
const LONGEST_TEXT = 300;
/** Also the longest event that is found when it began before the window. */
const LONGEST_EVENT_MS = 32 * 86_400_000;

/** Undefined where the text is no calendar. */
export function readCalendar(text: string, request: ReadRequest): ReadCalendar | undefined {
  const components = componentsOf(text);
  if (!components) return undefined;
  const reading = new Reading(request, components);
  return reading.result();
}

class Reading {
  readonly #request: ReadRequest;
  readonly #components: Components;
  readonly #instants: Instants;
  readonly #found: Occurrence[] = [];
  #broken: number;
  #endless = 0;

  constructor(request: ReadRequest, components: Components) {
    this.#request = request;
    this.#components = components;
    this.#instants = createInstants(request.timezone, components.zones);
    this.#broken = components.broken;
  }

  result(): ReadCalendar {
    const { events } = this.#components;
    const changed = Map.groupBy(
      events.filter((event) => event.hasProperty("recurrence-id")),
      uidOf,
    );
    const originals = events.filter((event) => !event.hasProperty("recurrence-id"));
    const known = new Set(originals.map(uidOf));
    for (const component of originals) this.#add(component, changed.get(uidOf(component)) ?? []);
    // A single repetition that was sent without its series.
    for (const [uid, exceptions] of changed) if (!known.has(uid)) for (const one of exceptions) this.#add(one, []);
    const occurrences = this.#found.sort((a, b) => a.start - b.start || a.end - b.end);
    const cut = Math.max(0, occurrences.length - MOST_OCCURRENCES);
    return {
      occurrences: occurrences.slice(0, MOST_OCCURRENCES),
      events: events.length,
      problems: this.#problems(cut),
    };
  }

  #problems(cut: number): string[] {
    return [
      ...(this.#broken > 0 ? [`${this.#broken} of its entries cannot be read and are left out`] : []),
      ...(this.#endless > 0
        ? [`${this.#endless} of its events repeat more than ${MOST_REPETITIONS} times up to now and are cut off`]
        : []),
      ...(cut > 0 ? [`it has too many events: the last ${cut} are left out`] : []),
    ];
  }

  #add(component: ICAL.Component, exceptions: ICAL.Component[]): void {
    try {
      const event = new ICAL.Event(component, { exceptions });
      if (event.isRecurring()) this.#addSeries(event);
      else this.#addOne(event, event.startDate, event.endDate);
    } catch {
      this.#broken++;
    }
  }

  #addSeries(event: ICAL.Event): void {
    const { until } = this.#request;
    const tzid = tzidOf(event.component, "dtstart");
    const iterator = event.iterator();
    for (let count = 0; ; count++) {
      const next = iterator.next() as ICAL.Time | undefined;
      if (!next) return;
      if (count >= MOST_REPETITIONS) {
        this.#endless++;
        return;
      }
      const at = this.#instants.of(next, tzid);
      if (at >= until + LONGEST_EVENT_MS || this.#found.length > 2 * MOST_OCCURRENCES) return;
      // What was moved may have come from outside the window; details are costly.
      const isMoved = event.exceptions && Object.keys(event.exceptions).length > 0;
      if (!isMoved && at < this.#request.from - LONGEST_EVENT_MS) continue;
      const details = event.getOccurrenceDetails(next);
      this.#addOne(details.item, details.startDate, details.endDate);
    }
  }

  #addOne(item: ICAL.Event, startDate: ICAL.Time | null, endDate: ICAL.Time | null): void {
    if (!startDate) throw new TypeError("an event without a start");
    if (String(item.component.getFirstPropertyValue("status")).toUpperCase() === "CANCELLED") return;
    const { from, until } = this.#request;
    const tzid = tzidOf(item.component, "dtstart");
    const start = this.#instants.of(startDate, tzid);
    const end = endDate ? this.#instants.of(endDate, tzidOf(item.component, "dtend") ?? tzid) : start;
    if (!Number.isFinite(start) || !Number.isFinite(end)) throw new TypeError("a time that is none");
    if (end < from || start >= until) return;
    this.#found.push({
      uid: textOf(item.uid) ?? "",
      title: textOf(item.summary) ?? "",
      start,
      end: Math.max(start, end),
      allDay: startDate.isDate,
      location: textOf(item.location),
    });
  }
}

function uidOf(component: ICAL.Component): string {
  return String(component.getFirstPropertyValue("uid"));
}

function tzidOf(component: ICAL.Component, property: string): string | undefined {
  const tzid = component.getFirstProperty(property)?.getFirstParameter("tzid");
  return typeof tzid === "string" && tzid !== "" ? tzid : undefined;
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" && value.trim() !== "" ? value.trim().slice(0, LONGEST_TEXT) : undefined;
}
