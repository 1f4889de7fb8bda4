// Puts samples into the file that another machine recorded for the same house, and that may be there already. They come late, so they
// go where compaction would put them, and wait for nothing.
import type { Database } from "bun:sqlite";
import { HubError } from "../../../kit/schema/errors.ts";
import { BOOLEAN, JSON_TEXT, MAX_TEXT_BYTES, REMOVED, type Sample } from "../sample.ts";
import { highestNumber } from "./compaction.ts";
import { firstFrom, type Series, type SeriesDirectory } from "./series.ts";

/** For each series `[device, attribute, at, n, value, type, at, n, …]`, oldest first. */
export type MergedSeries = (string | number | null)[][];

const WIDTH = 4;
const MAX_ID = 255;

/** Returns how many were not there, synced. Throws HubError `invalid`, or SQLite's error; then none of them is in the file. */
export function mergeSamples(db: Database, directory: SeriesDirectory, all: MergedSeries): number {
  const rows = all.map(readRow);
  const begun: Series[] = [];
  const changed: [Series, newest: Sample][] = [];
  let added = 0;

  function open(deviceId: string, attribute: string): Series | undefined {
    const series = directory.open(deviceId, attribute);
    if (series?.id !== 0) return series;
    const insert = db.query<{ id: number }, [string, string]>(
      "INSERT INTO series (device_id, attribute) VALUES (?, ?) RETURNING id",
    );
    series.id = insert.get(deviceId, attribute)?.id ?? 0;
    begun.push(series);
    return series;
  }

  function mergeAll(): void {
    const insert = db.query("INSERT INTO samples (series_id, at, n, value, type) VALUES (?, ?, ?, ?, ?)");
    for (const { deviceId, attribute, samples } of rows) {
      const series = open(deviceId, attribute);
      if (!series) continue;
      for (const group of groupsOf(samples)) {
        for (const { at, value, type } of missing(db, series, group)) {
          const sample = { at, n: highestNumber(db, series, at) + 1, value, type };
          insert.run(series.id, at, sample.n, value, type);
          changed.push([series, sample]);
          added++;
        }
      }
    }
  }

  try {
    db.run("PRAGMA synchronous = FULL");
    db.transaction(mergeAll).immediate();
  } catch (error) {
    for (const series of begun) series.id = 0;
    throw error;
  } finally {
    db.run("PRAGMA synchronous = NORMAL");
  }
  for (const [series, sample] of changed) note(series, sample);
  return added;
}

/** What is known of the series by heart must stay true. */
function note(series: Series, { at, n }: Sample): void {
  if (series.compactedBefore !== undefined) series.compactedBefore = Math.max(series.compactedBefore, at + 1);
  if (series.newest === undefined || at < series.newest) return;
  series.newest = at;
  series.newestNumber = n;
}

interface Row {
  deviceId: string;
  attribute: string;
  samples: Sample[];
}

/** Those of one millisecond together. */
function* groupsOf(samples: readonly Sample[]): Iterable<Sample[]> {
  for (let first = 0; first < samples.length; ) {
    const at = samples[first]?.at;
    let end = first + 1;
    while (samples[end]?.at === at) end++;
    yield samples.slice(first, end);
    first = end;
  }
}

/** Both may have numbered those of one millisecond in their own order, so the values are compared: each as often as it is there. */
function missing(db: Database, series: Series, group: readonly Sample[]): Sample[] {
  const at = group[0]?.at ?? 0;
  const stored = db.query<Sample, [number, number]>(
    "SELECT at, n, value, type FROM samples WHERE series_id = ? AND at = ?",
  );
  const present = stored.all(series.id, at);
  const numbers = new Set(present.map(({ n }) => n));
  const { buffered } = series;
  for (let index = firstFrom(buffered, at); buffered[index]?.at === at; index++) {
    const sample = buffered[index] as Sample;
    // One that is being compacted is in both.
    if (sample.n < 0 || !numbers.has(sample.n)) present.push(sample);
  }
  return group.filter(function isMissing({ value, type }) {
    const index = present.findIndex((one) => one.value === value && one.type === type);
    if (index >= 0) present.splice(index, 1);
    return index < 0;
  });
}

function readRow([deviceId, attribute, ...rest]: MergedSeries[number]): Row {
  if (!isName(deviceId) || !isName(attribute) || rest.length % WIDTH !== 0) throw invalid();
  const samples: Sample[] = [];
  for (let index = 0; index < rest.length; index += WIDTH) {
    const [at, , value = null, type = null] = rest.slice(index, index + WIDTH);
    if (typeof at !== "number" || !Number.isSafeInteger(at) || !isStored(value, type)) throw invalid();
    samples.push({ at, n: -1, value, type });
  }
  return { deviceId, attribute, samples: samples.sort((a, b) => a.at - b.at) };
}

function isName(text: unknown): text is string {
  return typeof text === "string" && text !== "" && text.length <= MAX_ID;
}

function isStored(value: unknown, type: unknown): type is number | null {
  if (typeof value === "string" && Buffer.byteLength(value) > MAX_TEXT_BYTES) return false;
  if (type === null) return typeof value === "number" || typeof value === "string";
  if (type === BOOLEAN) return value === 0 || value === 1;
  return type === JSON_TEXT ? typeof value === "string" : type === REMOVED && value === null;
}

function invalid(): HubError {
  return new HubError("invalid", "these are not samples as a history has them");
}
