// Where a calendar comes from: a file of the house, or an address whose last answer is kept on disk.
import { HubError } from "../../kit/schema/errors.ts";
import type { CalendarCache } from "./cache.ts";
import type { CalendarEntry } from "./config.ts";
import { type DownloadOptions, download } from "./download.ts";
import type { ReadCalendar } from "./occurrence.ts";

/** Reads a file for the window of now. */
export type ReadNow = (path: string) => Promise<ReadCalendar>;

export interface Loaded {
  /** Absent where it is as it was. */
  calendar?: ReadCalendar;
  /** Epoch ms: when it was as it is now. */
  refreshedAt: number;
}

export interface CalendarSource {
  /** For people; of an address only the host. */
  readonly label: string;
  /** A file that is watched for changes. */
  readonly file: string | undefined;
  /** What is on disk; undefined where there is nothing yet. */
  load(): Promise<Loaded | undefined>;
  /** Asks for changes. Rejects with HubError that says what is wrong; then what was there before stays. */
  refresh(signal: AbortSignal): Promise<Loaded | undefined>;
}

export interface SourceOptions extends DownloadOptions {
  cache: CalendarCache;
  read: ReadNow;
  /** A path of the configuration. */
  resolve(path: string): string;
}

export function sourceOf({ id, url, file }: CalendarEntry, options: SourceOptions): CalendarSource {
  if (file !== undefined) return fileSource(file, options);
  if (url !== undefined) return webSource(id, url, options);
  throw new HubError("invalid", `the calendar "${id}" has neither url nor file`);
}

function fileSource(file: string, { read, resolve, clock }: SourceOptions): CalendarSource {
  const path = resolve(file);
  const load = async (): Promise<Loaded> => ({ calendar: await read(path), refreshedAt: clock.now() });
  return { label: file, file: path, load, refresh: load };
}

/** A calendar that does not change is read again all the same, because the window moves on. */
const REREAD_MS = 86_400_000;

function webSource(id: string, url: string, options: SourceOptions): CalendarSource {
  const { cache, read, clock } = options;
  let readAt = Number.NEGATIVE_INFINITY;

  async function load(): Promise<Loaded | undefined> {
    const cached = cache.find(id, url);
    if (!cached) return undefined;
    const calendar = await read(cached.path);
    readAt = clock.mono();
    return { calendar, refreshedAt: cached.refreshedAt };
  }

  return {
    label: new URL(url).host,
    file: undefined,
    load,
    async refresh(signal) {
      const { etag, lastModified } = cache.find(id, url) ?? {};
      const known = { ...(etag !== undefined && { etag }), ...(lastModified !== undefined && { lastModified }) };
      const downloaded = await download(url, known, options, signal);
      if (downloaded.kind === "unchanged") {
        const { refreshedAt } = cache.confirm(id, url, known, clock.now());
        return clock.mono() - readAt < REREAD_MS ? { refreshedAt } : load();
      }
      const staged = cache.stage(id, downloaded.bytes);
      try {
        const calendar = await read(staged);
        readAt = clock.mono();
        const { refreshedAt } = cache.accept(id, url, downloaded.validators, clock.now());
        return { calendar, refreshedAt };
      } finally {
        cache.discard(id);
      }
    },
  };
}
