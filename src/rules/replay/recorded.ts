// The recorded changes of some devices, in the order of time: two pages of each device are in memory at a time.
import type { Json } from "../../kit/schema/json.ts";

export interface HistoryQuery {
  deviceId: string;
  /** All where absent. */
  attributes?: readonly string[];
  from: number;
  to: number;
  limit: number;
  aggregate: "last";
  initial: boolean;
  format: "json";
}

export interface RecordedPage {
  text: string;
  next: number | undefined;
}

/** As much of the history as a replay needs. */
export interface RecordedHistory {
  query(query: HistoryQuery): Promise<RecordedPage>;
}

/** What one device reported in one moment. */
export interface RecordedChange {
  readonly deviceId: string;
  /** Epoch ms. */
  readonly at: number;
  /** The same, in ISO 8601. */
  readonly timestamp: string;
  /** Null where the attribute was removed. */
  readonly values: ReadonlyMap<string, Json>;
}

export interface Recorded {
  /** The last changes before the period, oldest first for each device. */
  readonly before: readonly RecordedChange[];
  /** Samples taken so far, those before the period included. */
  readonly samples: number;
  /** The next one, at once where it has been read already; undefined after the last. */
  next(): Promise<RecordedChange | undefined> | RecordedChange | undefined;
  /** To be called once for each change that `next` gave. */
  take(change: RecordedChange): void;
}

export interface RecordedOptions {
  history: RecordedHistory;
  /** The devices, each with the attributes that matter; undefined for all. */
  devices: ReadonlyMap<string, readonly string[] | undefined>;
  /** Epoch ms; `to` is not included. */
  from: number;
  to: number;
}

const MAX_PAGE = 5000;
const SMALLEST_PAGE = 50;
/** Samples of all devices together, in memory. */
const MAX_READ_AHEAD = 40_000;

interface Item {
  timestamp: string;
  attribute: string;
  value: Json;
}

interface Reader {
  readonly deviceId: string;
  readonly attributes: readonly string[] | undefined;
  /** The next page, which is read while this one is replayed; undefined after the last. */
  next: Promise<RecordedPage> | undefined;
  changes: RecordedChange[];
  position: number;
}

export async function readRecorded(options: RecordedOptions): Promise<Recorded> {
  const { history, devices, from, to } = options;
  const page = Math.floor(MAX_READ_AHEAD / Math.max(1, devices.size));
  const limit = Math.min(MAX_PAGE, Math.max(SMALLEST_PAGE, page));
  const readers: Reader[] = [...devices].map(([deviceId, attributes]) => {
    return { deviceId, attributes, next: undefined, changes: [], position: 0 };
  });
  const before: RecordedChange[] = [];
  let samples = 0;

  function ask({ deviceId, attributes }: Reader, from: number, initial: boolean): Promise<RecordedPage> {
    const asked = { deviceId, from, to, limit, aggregate: "last", initial, format: "json" } as const;
    const page = history.query({ ...asked, ...(attributes && { attributes }) });
    // Whoever awaits it learns of its error; until then it is nobody's.
    page.catch(() => {});
    return page;
  }

  async function read(reader: Reader): Promise<void> {
    const page = await reader.next;
    reader.next = page?.next === undefined ? undefined : ask(reader, page.next, false);
    reader.changes = page ? changesIn(reader.deviceId, JSON.parse(page.text) as Item[]) : [];
    reader.position = 0;
  }

  async function readAll(): Promise<void> {
    for (const reader of readers) while (isEmpty(reader)) await read(reader);
  }

  for (const reader of readers) {
    reader.next = ask(reader, from, true);
    await read(reader);
    const old = reader.changes.filter(({ at }) => at < from);
    before.push(...old);
    samples += samplesIn(old);
    reader.position = old.length;
  }

  return {
    before,
    get samples() {
      return samples;
    },
    next() {
      return readers.some(isEmpty) ? readAll().then(() => first(readers)) : first(readers);
    },
    take(change) {
      const reader = readers.find(({ deviceId }) => deviceId === change.deviceId);
      if (reader) reader.position++;
      samples += change.values.size;
    },
  };
}

/** All of its page is taken, and there is another one. */
function isEmpty({ position, changes, next }: Reader): boolean {
  return position >= changes.length && next !== undefined;
}

function first(readers: readonly Reader[]): RecordedChange | undefined {
  let found: RecordedChange | undefined;
  for (const { changes, position } of readers) {
    const change = changes[position];
    if (change && (!found || change.at < found.at)) found = change;
  }
  return found;
}

/** Attributes that changed in the same millisecond were one report, unless one of them is there twice. */
function changesIn(deviceId: string, items: readonly Item[]): RecordedChange[] {
  const changes: (RecordedChange & { values: Map<string, Json> })[] = [];
  for (const { timestamp, attribute, value } of items) {
    const at = Date.parse(timestamp);
    const last = changes.at(-1);
    if (last?.at === at && !last.values.has(attribute)) last.values.set(attribute, value);
    else changes.push({ deviceId, at, timestamp, values: new Map([[attribute, value]]) });
  }
  return changes;
}

function samplesIn(changes: readonly RecordedChange[]): number {
  return changes.reduce((sum, { values }) => sum + values.size, 0);
}
