// The calendars of the house: each is read from its source, refreshed now and then, and is a device that is on during an event.
// What was read last stays when a source fails.
import { watchFile } from "../../kit/files/file-watch.ts";
import type { FolderNotices } from "../../kit/lifecycle/folder-notices.ts";
import { background, guarded } from "../../kit/lifecycle/lifecycle.ts";
import type { Log } from "../../kit/lifecycle/log.ts";
import { HubError, messageOf } from "../../kit/schema/errors.ts";
import type { JsonObject } from "../../kit/schema/json.ts";
import type { Clock, Timer } from "../../kit/time/clock.ts";
import { createCache } from "./cache.ts";
import type { CalendarEntry, CalendarsSection } from "./config.ts";
import type { Occurrence, Window } from "./occurrence.ts";
import type { ReadFile } from "./reader.ts";
import { type CalendarSource, type Loaded, sourceOf } from "./source.ts";

/** What the house keeps of a calendar. */
export interface CalendarDevices {
  /** Throws HubError if another device has the id. */
  declare(id: string, name: string): void;
  report(id: string, attributes: JsonObject): void;
  available(id: string, available: boolean): void;
}

export interface CalendarsOptions {
  config: CalendarsSection;
  devices: CalendarDevices;
  clock: Clock;
  /** See kit/files/file-watch.ts. */
  notices?: FolderNotices | undefined;
  log: Log;
  fetch: typeof fetch;
  /** See download.ts. */
  fetchElsewhere: typeof fetch;
  /** Where downloads are kept. */
  folder: string;
  resolve(path: string): string;
  /** IANA name. */
  timezone: () => string;
  read: ReadFile;
}

export interface CalendarInfo {
  id: string;
  name: string;
  /** The file, or the host of the address. */
  source: string;
  /** How many events the file has. */
  events: number;
  next: Occurrence | undefined;
  /** Epoch ms. */
  refreshedAt: number | undefined;
  problem: string | undefined;
}

export interface CalendarProblem {
  id: string;
  message: string;
  /** Monotonic ms. */
  since: number;
}

const DAY_MS = 86_400_000;
const BEFORE_MS = 7 * DAY_MS;
const AHEAD_MS = 120 * DAY_MS;
const MAX_HOP_MS = 30_000;
/** A source that failed is asked again after this. */
const RETRY_MS = 5 * 60_000;

export function openCalendars(options: CalendarsOptions): Calendars {
  return new Calendars(options);
}

interface Calendar {
  readonly entry: CalendarEntry;
  readonly source: CalendarSource;
  occurrences: readonly Occurrence[];
  /** What they were read for. */
  window: Window | undefined;
  events: number;
  /** Undefined until it was read for the first time. */
  present: Present | undefined;
  refreshedAt: number | undefined;
  problem: { message: string; since: number } | undefined;
  warning: string | undefined;
  refreshing: Promise<void> | undefined;
  /** Monotonic ms. */
  triedAt: number;
  isDeclared: boolean;
  readonly listeners: Set<() => void>;
}

export class Calendars implements AsyncDisposable {
  readonly #options: CalendarsOptions;
  readonly #calendars = new Map<string, Calendar>();
  readonly #stack = new DisposableStack();
  readonly #ending = new AbortController();
  #timer: Timer | undefined;

  constructor(options: CalendarsOptions) {
    this.#options = options;
    const { config, folder, read, timezone, clock } = options;
    const cache = createCache(folder);
    cache.keepOnly(config.filter(({ url }) => url !== undefined).map(({ id }) => id));
    const readNow = (path: string) =>
      read(
        { path, timezone: timezone(), from: clock.now() - BEFORE_MS, until: clock.now() + AHEAD_MS },
        this.#ending.signal,
      );
    for (const entry of config) {
      this.#calendars.set(entry.id, {
        ...{ entry, source: sourceOf(entry, { ...options, cache, read: readNow }) },
        ...{ occurrences: [], window: undefined, events: 0, present: undefined, refreshedAt: undefined },
        ...{ problem: undefined, warning: undefined, refreshing: undefined, triedAt: 0, isDeclared: false },
        listeners: new Set(),
      });
    }
  }

  list(): CalendarInfo[] {
    return [...this.#calendars.values()].map(infoOf);
  }

  /** Throws HubError `not_found`. */
  get(id: string): CalendarInfo {
    return infoOf(this.#calendar(id));
  }

  has(id: string): boolean {
    return this.#calendars.has(id);
  }

  /** What it has from a week ago to four months ahead, by start. Throws HubError `not_found`. */
  occurrences(id: string): readonly Occurrence[] {
    return this.#calendar(id).occurrences;
  }

  /** Which events it knows; undefined before it was read. Throws HubError `not_found`. */
  window(id: string): Window | undefined {
    return this.#calendar(id).window;
  }

  /** Calls the listener when its events have changed. Does nothing for one that does not exist. */
  onChange(id: string, listener: () => void): Disposable {
    const listeners = this.#calendars.get(id)?.listeners;
    listeners?.add(listener);
    return { [Symbol.dispose]: () => void listeners?.delete(listener) };
  }

  problems(): CalendarProblem[] {
    return [...this.#calendars.values()].flatMap(({ entry: { id }, problem }) => (problem ? [{ id, ...problem }] : []));
  }

  /** Of calendars that are read, what of each is left out. */
  leftOut(): { id: string; message: string }[] {
    return [...this.#calendars.values()].flatMap(({ entry: { id }, warning, problem }) =>
      warning === undefined || problem ? [] : [{ id, message: warning }],
    );
  }

  /** Reads what is on disk, then asks the sources, and follows the clock from now on. */
  start(): void {
    const { log, clock, notices } = this.#options;
    for (const calendar of this.#calendars.values()) {
      const { entry, source } = calendar;
      background(log, `calendar ${entry.id}`, this.#begin(calendar));
      const refresh = guarded(log, `calendar ${entry.id}`, () => void this.#refresh(calendar));
      if (source.file !== undefined)
        this.#stack.use(watchFile({ clock, log, path: source.file, notices, onChange: refresh }));
      const everyMs = source.file === undefined ? entry.refresh_mins * 60_000 : DAY_MS;
      const isDue = (): boolean => calendar.problem !== undefined || clock.mono() - calendar.triedAt >= everyMs;
      this.#stack.use(clock.every(`calendar ${entry.id}`, RETRY_MS, () => (isDue() ? refresh() : undefined)));
    }
  }

  /** Asks its source now. Resolves whatever comes of it. Throws HubError `not_found`. */
  async refresh(id: string): Promise<CalendarInfo> {
    const calendar = this.#calendar(id);
    await this.#refresh(calendar);
    return infoOf(calendar);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#ending.abort();
    this.#stack[Symbol.dispose]();
    this.#timer?.[Symbol.dispose]();
    await Promise.all([...this.#calendars.values()].map(({ refreshing }) => refreshing));
  }

  #calendar(id: string): Calendar {
    const calendar = this.#calendars.get(id);
    if (calendar) return calendar;
    throw new HubError("not_found", `there is no calendar "${id}"`);
  }

  async #begin(calendar: Calendar): Promise<void> {
    try {
      this.#declare(calendar);
      if (calendar.source.file === undefined) this.#take(calendar, await calendar.source.load());
    } catch (error) {
      this.#failed(calendar, error);
    }
    await this.#refresh(calendar);
  }

  /** First of all: the id may be that of another device. */
  #declare(calendar: Calendar): void {
    const { devices } = this.#options;
    const { id, name = id } = calendar.entry;
    if (calendar.isDeclared) return;
    devices.declare(id, name);
    calendar.isDeclared = true;
  }

  #refresh(calendar: Calendar): Promise<void> {
    calendar.refreshing ??= this.#refreshNow(calendar).finally(() => {
      calendar.refreshing = undefined;
    });
    return calendar.refreshing;
  }

  async #refreshNow(calendar: Calendar): Promise<void> {
    if (this.#ending.signal.aborted) return;
    calendar.triedAt = this.#options.clock.mono();
    try {
      this.#declare(calendar);
      const loaded = await calendar.source.refresh(this.#ending.signal);
      if (this.#ending.signal.aborted) return;
      this.#take(calendar, loaded);
      calendar.problem = undefined;
    } catch (error) {
      if (!this.#ending.signal.aborted) this.#failed(calendar, error);
    }
  }

  #failed(calendar: Calendar, error: unknown): void {
    const { clock, log } = this.#options;
    const message = messageOf(error);
    if (calendar.problem?.message !== message)
      log.warn("a calendar cannot be read; what was read before stays", {
        calendar: calendar.entry.id,
        error: message,
      });
    calendar.problem = { message, since: calendar.problem?.since ?? clock.mono() };
  }

  #take(calendar: Calendar, loaded: Loaded | undefined): void {
    if (!loaded) return;
    const { log, devices } = this.#options;
    calendar.refreshedAt = loaded.refreshedAt;
    if (!loaded.calendar) return;
    const { occurrences, events, problems, from, until } = loaded.calendar;
    const warning = problems.join("; ") || undefined;
    if (warning !== undefined && warning !== calendar.warning)
      log.warn("a part of a calendar is left out", { calendar: calendar.entry.id, warning });
    Object.assign(calendar, { occurrences, events, warning, window: { from, until } });
    this.#update(calendar);
    devices.available(calendar.entry.id, true);
    for (const listener of calendar.listeners) listener();
    this.#arm();
  }

  #update(calendar: Calendar): void {
    const { clock, devices } = this.#options;
    calendar.present = presentOf(calendar.occurrences, clock.now());
    devices.report(calendar.entry.id, calendar.present.attributes);
  }

  /** Looks at the clock every 30 s at least, because that may be set. */
  #arm(): void {
    this.#timer?.[Symbol.dispose]();
    const { clock, log } = this.#options;
    const now = clock.now();
    const next = Math.min(
      ...[...this.#calendars.values()].map(({ present }) => present?.until ?? Number.POSITIVE_INFINITY),
    );
    const wait = Math.min(MAX_HOP_MS, Math.max(1, next - now));
    this.#timer = clock.after(
      "calendars",
      wait,
      guarded(log, "calendars", () => this.#wake()),
    );
  }

  #wake(): void {
    const now = this.#options.clock.now();
    for (const calendar of this.#calendars.values()) {
      const { present } = calendar;
      if (present && (now < present.since || now >= present.until)) this.#update(calendar);
    }
    this.#arm();
  }
}

function infoOf({ entry, source, events, present, refreshedAt, problem, warning }: Calendar): CalendarInfo {
  const { id, name = id } = entry;
  return {
    id,
    name,
    source: source.label,
    events,
    next: present?.next,
    refreshedAt,
    problem: problem?.message ?? warning,
  };
}

interface Present {
  attributes: JsonObject;
  next: Occurrence | undefined;
  /** Holds in [since, until), in epoch ms. */
  since: number;
  until: number;
}

/** `occurrences`: by start. Of several that go on, the one that began last counts. */
function presentOf(occurrences: readonly Occurrence[], now: number): Present {
  const begun = occurrences.filter(({ start }) => start <= now);
  const current = begun.findLast(({ end }) => now < end);
  const next = occurrences[begun.length];
  let since = Number.NEGATIVE_INFINITY;
  let until = Number.POSITIVE_INFINITY;
  for (const edge of occurrences.flatMap(({ start, end }) => [start, end])) {
    if (edge <= now) since = Math.max(since, edge);
    else until = Math.min(until, edge);
  }
  return {
    attributes: { on: current !== undefined, ...fieldsOf(current, ""), ...fieldsOf(next, "next_") },
    next,
    since,
    until,
  };
}

function fieldsOf(one: Occurrence | undefined, prefix: "" | "next_"): JsonObject {
  const fields = {
    title: one?.title ?? null,
    start: one ? new Date(one.start).toISOString() : null,
    end: one ? new Date(one.end).toISOString() : null,
  };
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [prefix + name, value]));
}
