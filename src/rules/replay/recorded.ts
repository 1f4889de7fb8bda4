// The recorded changes of some devices, in the order of time: one page of each device is in memory at a time.
import type { Json } from "../../core/json.ts";

/** As much of the history as a replay needs. */
export interface RecordedHistory {
  query(query: {
    deviceId: string;
    from: number;
    to: number;
    limit: number;
    aggregate: "last";
    initial: boolean;
    format: "json";
  }): Promise<{ text: string; next: number | undefined }>;
}

/** What one device reported in one moment. */
export interface RecordedChange {
  readonly deviceId: string;
  /** Epoch ms. */
  readonly at: number;
  /** Null where the attribute was removed. */
  readonly values: ReadonlyMap<string, Json>;
}

export interface Recorded {
  /** The last changes before the period, oldest first for each device. */
  readonly before: readonly RecordedChange[];
  /** Samples taken so far, those before the period included. */
  readonly samples: number;
  /** The next one; undefined after the last. */
  next(): Promise<RecordedChange | undefined>;
  /** To be called once for each change that `next` gave. */
  take(change: RecordedChange): void;
}

export interface RecordedOptions {
  history: RecordedHistory;
  deviceIds: readonly string[];
  /** Epoch ms; `to` is not included. */
  from: number;
  to: number;
  /** Called before each page; throws where nobody waits for it any more. */
  check(): void;
}

const LARGEST_PAGE = 1000;
const SMALLEST_PAGE = 50;
/** Of all devices together, in memory. */
const MOST_READ_AHEAD = 20_000;

interface Item {
  timestamp: string;
  attribute: string;
  value: Json;
}

interface Reader {
  readonly deviceId: string;
  /** Where the next page begins; undefined after the last. */
  from: number | undefined;
  changes: RecordedChange[];
  position: number;
}

export async function readRecorded(options: RecordedOptions): Promise<Recorded> {
  const { history, deviceIds, from, to, check } = options;
  const page = Math.floor(MOST_READ_AHEAD / Math.max(1, deviceIds.length));
  const limit = Math.min(LARGEST_PAGE, Math.max(SMALLEST_PAGE, page));
  const readers: Reader[] = deviceIds.map((deviceId) => ({ deviceId, from, changes: [], position: 0 }));
  const before: RecordedChange[] = [];
  let samples = 0;

  async function read(reader: Reader, initial: boolean): Promise<void> {
    if (reader.from === undefined) return;
    check();
    const { deviceId } = reader;
    const asked = { deviceId, from: reader.from, to, limit, aggregate: "last", initial, format: "json" } as const;
    const { text, next } = await history.query(asked);
    reader.changes = changesIn(deviceId, JSON.parse(text) as Item[]);
    reader.position = 0;
    reader.from = next;
  }

  for (const reader of readers) {
    await read(reader, true);
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
    async next() {
      let first: RecordedChange | undefined;
      for (const reader of readers) {
        while (reader.position >= reader.changes.length && reader.from !== undefined) await read(reader, false);
        const change = reader.changes[reader.position];
        if (change && (!first || change.at < first.at)) first = change;
      }
      return first;
    },
    take(change) {
      const reader = readers.find(({ deviceId }) => deviceId === change.deviceId);
      if (reader) reader.position++;
      samples += change.values.size;
    },
  };
}

/** Attributes that changed in the same millisecond were one report, unless one of them is there twice. */
function changesIn(deviceId: string, items: readonly Item[]): RecordedChange[] {
  const changes: (RecordedChange & { values: Map<string, Json> })[] = [];
  for (const { timestamp, attribute, value } of items) {
    const at = Date.parse(timestamp);
    const last = changes.at(-1);
    if (last?.at === at && !last.values.has(attribute)) last.values.set(attribute, value);
    else changes.push({ deviceId, at, values: new Map([[attribute, value]]) });
  }
  return changes;
}

function samplesIn(changes: readonly RecordedChange[]): number {
  return changes.reduce((sum, { values }) => sum + values.size, 0);
}
