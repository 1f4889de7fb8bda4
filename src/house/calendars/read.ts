// Reads an iCalendar text: the occurrences of its events within a window. Each entry is read by itself, within bounds; what cannot be
// read is named, and the others stay. What takes too long all the same is ended from outside (reader.ts), which knows by the marks where.
import ICAL from "ical.js";
import { printable } from "../../kit/text/printable.ts";
import { type Block, blocksIn, isCalendar, mended, nameOf } from "./blocks.ts";
import { checkDuration, checkEvent, checkZone, EntryFault } from "./bounds.ts";
import type { Occurrence, ReadCalendar, ReadRequest } from "./occurrence.ts";
import { createInstants, type Instants } from "./times.ts";

const MAX_OCCURRENCES = 10_000;
/** Of one event, also those before the window. */
const MAX_REPETITIONS = 100_000;
/** Of all events together; then each has only as many as one needs that repeats daily for years. */
const MAX_ALL_REPETITIONS = 1_000_000;
const MIN_REPETITIONS = 4000;
const MAX_TEXT_CHARS = 300;
const MAX_NAMED = 5;
/** Also the longest event that is found when it began before the window. */
const MAX_EVENT_MS = 32 * 86_400_000;

/** `mark` is called before an entry is read, with its place in the text. Undefined where the text is no calendar. */
export function readCalendar(
  text: string,
  request: ReadRequest,
  mark: (entry: number) => void = () => {},
): ReadCalendar | undefined {
  return isCalendar(text) ? new Reading(text, request, mark).result() : undefined;
}

interface Entry {
  place: number;
  component: ICAL.Component;
}

class Reading {
  readonly #request: ReadRequest;
  readonly #mark: (entry: number) => void;
  readonly #blocks: readonly Block[];
  readonly #skipped: ReadonlyMap<number, string>;
  readonly #zones = new Map<string, ICAL.Timezone>();
  readonly #instants: Instants;
  readonly #found: Occurrence[] = [];
  readonly #leftOut = new Map<number, string>();
  readonly #endless = new Set<number>();
  #repetitions = 0;

  constructor(text: string, request: ReadRequest, mark: (entry: number) => void) {
    this.#request = request;
    this.#mark = mark;
    this.#blocks = blocksIn(text);
    this.#skipped = new Map(request.skip?.map(({ entry, why }) => [entry, why]));
    this.#instants = createInstants(request.timezone, this.#zones);
  }

  result(): ReadCalendar {
    const events: number[] = [];
    for (const [place, { kind }] of this.#blocks.entries()) {
      if (kind === "VEVENT") events.push(place);
      else this.#read(place, (component) => this.#addZone(component));
    }
    const changes = this.#changes(events);
    for (const place of events) if (!changes.places.has(place)) this.#readEvent(place, changes.byUid);
    // A single repetition that was sent without its series.
    for (const entries of changes.byUid.values())
      for (const { place, component } of entries) this.#within(place, () => this.#add(place, component, []));
    const occurrences = this.#found.sort((a, b) => a.start - b.start || a.end - b.end);
    const cut = Math.max(0, occurrences.length - MAX_OCCURRENCES);
    const { from, until } = this.#request;
    return {
      ...{ from, until },
      occurrences: occurrences.slice(0, MAX_OCCURRENCES),
      events: events.length,
      problems: this.#problems(cut),
    };
  }

  #problems(cut: number): string[] {
    const named = (places: Iterable<number>, nameOne: (place: number) => string): string => {
      const all = [...places];
      const rest = all.length - MAX_NAMED;
      return `${all.slice(0, MAX_NAMED).map(nameOne).join(", ")}${rest > 0 ? ` and ${rest} more` : ""}`;
    };
    const nameAt = (place: number): string => {
      const block = this.#blocks[place];
      return block ? nameOf(block) : "";
    };
    const [broken, endless] = [this.#leftOut, this.#endless];
    return [
      ...(broken.size > 0
        ? [
            `${broken.size} of its entries cannot be read and are left out: ${named(broken.keys(), (place) => `${nameAt(place)} (${broken.get(place)})`)}`,
          ]
        : []),
      ...(endless.size > 0
        ? [`${endless.size} of its events repeat too often up to now and are cut off: ${named(endless, nameAt)}`]
        : []),
      ...(cut > 0 ? [`it has too many events: the last ${cut} are left out`] : []),
    ];
  }

  /** The changed repetitions of series. */
  #changes(events: readonly number[]): { places: Set<number>; byUid: Map<string, Entry[]> } {
    const places = new Set(events.filter((place) => /^RECURRENCE-ID[;:]/im.test(this.#blocks[place]?.text ?? "")));
    const byUid = new Map<string, Entry[]>();
    for (const place of places)
      this.#read(place, (component) => {
        const entries = byUid.getOrInsert(uidOf(component), []);
        entries.push({ place, component });
      });
    return { places, byUid };
  }

  #readEvent(place: number, changes: Map<string, Entry[]>): void {
    this.#read(place, (component) => {
      const uid = uidOf(component);
      const exceptions = changes.get(uid)?.map((entry) => entry.component) ?? [];
      changes.delete(uid);
      this.#add(place, component, exceptions);
    });
  }

  #read(place: number, use: (component: ICAL.Component) => void): void {
    const block = this.#blocks[place];
    if (!block) return;
    this.#within(place, () => {
      if (!block.isWhole) throw new EntryFault(`it has no END:${block.kind}`);
      const component = new ICAL.Component(ICAL.parse(mended(block)));
      if (component.name === "vevent") checkEvent(component);
      use(component);
    });
  }

  #within(place: number, work: () => void): void {
    const why = this.#skipped.get(place);
    if (why !== undefined) {
      this.#leftOut.set(place, why);
      return;
    }
    this.#mark(place);
    try {
      work();
    } catch (error) {
      this.#leftOut.set(place, whyOf(error));
    }
  }

  #addZone(component: ICAL.Component): void {
    checkZone(component);
    const zone = new ICAL.Timezone(component);
    // A broken one throws only when it is used.
    zone.utcOffset(ICAL.Time.fromData({ year: 2026, month: 1, day: 1, hour: 0, minute: 0, second: 0 }));
    if (zone.tzid) this.#zones.set(zone.tzid, zone);
  }

  #add(place: number, component: ICAL.Component, exceptions: ICAL.Component[]): void {
    const periods = takePeriods(component);
    const event = new ICAL.Event(component, { exceptions });
    if (event.isRecurring()) this.#addSeries(place, event);
    else this.#addOne(event, event.startDate, event.endDate);
    for (const { start, end, tzid } of periods)
      this.#addSpan(event, this.#instants.of(start, tzid), this.#instants.of(end, tzid));
  }

  #addSeries(place: number, event: ICAL.Event): void {
    const { until } = this.#request;
    const tzid = tzidOf(event.component, "dtstart");
    const iterator = event.iterator();
    const most = this.#repetitions < MAX_ALL_REPETITIONS ? MAX_REPETITIONS : MIN_REPETITIONS;
    for (let count = 0; ; count++) {
      const next = iterator.next() as ICAL.Time | undefined;
      if (!next) return;
      if (count >= most) {
        this.#endless.add(place);
        return;
      }
      this.#repetitions++;
      const at = this.#instants.of(next, tzid);
      if (at >= until + MAX_EVENT_MS || this.#found.length > 2 * MAX_OCCURRENCES) return;
      // What was moved may have come from outside the window; details are costly.
      const isMoved = event.exceptions && Object.keys(event.exceptions).length > 0;
      if (!isMoved && at < this.#request.from - MAX_EVENT_MS) continue;
      const details = event.getOccurrenceDetails(next);
      this.#addOne(details.item, details.startDate, details.endDate);
    }
  }

  #addOne(item: ICAL.Event, startDate: ICAL.Time | null, endDate: ICAL.Time | null): void {
    if (!startDate) throw new EntryFault("it has no DTSTART");
    const tzid = tzidOf(item.component, "dtstart");
    const start = this.#instants.of(startDate, tzid);
    const end = endDate ? this.#instants.of(endDate, tzidOf(item.component, "dtend") ?? tzid) : start;
    this.#addSpan(item, start, end);
  }

  #addSpan(item: ICAL.Event, start: number, end: number): void {
    if (!Number.isFinite(start) || !Number.isFinite(end)) throw new EntryFault("one of its times is none");
    if (String(item.component.getFirstPropertyValue("status")).toUpperCase() === "CANCELLED") return;
    const { from, until } = this.#request;
    if (end < from || start >= until) return;
    this.#found.push({
      uid: textOf(item.uid) ?? "",
      title: textOf(item.summary) ?? "",
      start,
      end: Math.max(start, end),
      allDay: item.startDate.isDate,
      location: textOf(item.location),
    });
  }
}

/** Of what ical.js throws, its own words; the rest of it is of its inside. */
function whyOf(error: unknown): string {
  if (error instanceof EntryFault) return error.message;
  const isInside = error instanceof TypeError || error instanceof RangeError || !(error instanceof Error);
  return `it is not written as iCalendar is${isInside ? "" : `: ${printable(error.message).slice(0, 100)}`}`;
}

function uidOf(component: ICAL.Component): string {
  return String(component.getFirstPropertyValue("uid"));
}

function tzidOf(component: ICAL.Component, property: string): string | undefined {
  const tzid = component.getFirstProperty(property)?.getFirstParameter("tzid");
  return typeof tzid === "string" && tzid !== "" ? tzid : undefined;
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" && value.trim() !== "" ? value.trim().slice(0, MAX_TEXT_CHARS) : undefined;
}

interface ListedPeriod {
  start: ICAL.Time;
  end: ICAL.Time;
  tzid: string | undefined;
}

/** Takes repetitions with ends of their own (RDATE;VALUE=PERIOD), which ical.js cannot work out, out of the event. Throws EntryFault. */
function takePeriods(component: ICAL.Component): ListedPeriod[] {
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
