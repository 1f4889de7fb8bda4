// Reads an iCalendar text: the occurrences of its events within a window. Each entry is read by itself, within bounds; what cannot be
// read is named, and the others stay. What takes too long all the same is ended from outside (reader.ts), which knows by the marks where.
import ICAL from "ical.js";
import { printable } from "../../kit/text/printable.ts";
import { isTimeZone } from "../../kit/time/zone.ts";
import { checkDuration, checkEvent, checkZone, EntryFault } from "./bounds.ts";
import type { Occurrence, ReadCalendar, ReadRequest } from "./occurrence.ts";

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

/**
 * From a time in a calendar to an instant. Zones that have a name everybody knows are those of this machine: what calendars say of them
 * is often outdated or broken. Other zones are as the calendar says; times without any are those of the house.
 */
interface Instants {
  /** Epoch ms. `tzid`: of the property that the time is from. */
  of(time: ICAL.Time, tzid: string | undefined): number;
}

function createInstants(house: string, zones: ReadonlyMap<string, ICAL.Timezone>): Instants {
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

/** Finds the entries of an iCalendar text without reading them, so that each can be read, named and left out by itself. */
interface Block {
  readonly kind: "VEVENT" | "VTIMEZONE";
  readonly text: string;
  /** False where the text ends, or the next entry begins, before its END. */
  readonly isWhole: boolean;
}

const NAME_CHARS = 60;

function isCalendar(text: string): boolean {
  return /^\uFEFF?\s*BEGIN:VCALENDAR/i.test(text);
}

/** In the order of the text. */
export function blocksIn(text: string): Block[] {
  const blocks: Block[] = [];
  let open: { kind: string; from: number } | undefined;
  const close = (to: number, isWhole: boolean): void => {
    if (open) blocks.push({ kind: open.kind as Block["kind"], text: text.slice(open.from, to), isWhole });
    open = undefined;
  };
  for (const { index, 0: line, 1: edge = "", 2: name = "" } of text.matchAll(
    /^(BEGIN|END):(VEVENT|VTIMEZONE)[ \t;]*\r?$/gim,
  )) {
    const isEnd = edge.toUpperCase() === "END";
    close(isEnd ? index + line.length : index, isEnd);
    if (!isEnd) open = { kind: name.toUpperCase(), from: index };
  }
  close(text.length, false);
  return blocks;
}

/** By what a person finds it: its title, else its id. */
function nameOf({ kind, text }: Block): string {
  const keys = kind === "VEVENT" ? ["SUMMARY", "UID"] : ["TZID"];
  const found = keys.map(
    (key) => new RegExp(`^${key}(?:;[^:\\r\\n]*)?:[ \\t]*([^\\r\\n]{1,500})`, "im").exec(text)?.[1],
  );
  const name = found.find((one) => one !== undefined && one.trim() !== "");
  const what = kind === "VEVENT" ? "an event" : "a time zone";
  return name === undefined ? `${what} without a name` : `"${printable(name.trim()).slice(0, NAME_CHARS)}"`;
}

/** What many programs write against the standard, as the standard has it. */
function mended({ text }: Pick<Block, "text">): string {
  return text
    .replace(/(\r?\n)(?:[ \t]*\r?\n)+/g, "$1")
    .replace(/^([A-Z-]+(?:;[A-Z-]+=(?:"[^"\r\n]*"|[^";:\r\n]*))*);+(?=:|\r?$)/gim, "$1")
    .replace(
      /^(DTSTART|DTEND|RECURRENCE-ID|EXDATE|RDATE)((?:;(?!VALUE=)[^:;\r\n]*)*)(:\d{8}(?:,\d{8})*)[ \t]*(\r?)$/gim,
      "$1$2;VALUE=DATE$3$4",
    );
}
