// The samples that the worker keeps in memory: all that are not compacted in the file yet, and which of them are not written at
// all. The buffer also owns the directory of series.
import type { Database } from "bun:sqlite";
import type { Log } from "../../../kit/lifecycle/log.ts";
import { type Sample, textBytes } from "../sample.ts";
import { ROW_WIDTH, type SampleRows } from "../worker-protocol.ts";
import { createSeriesDirectory, insertSample, type Series, type SeriesDirectory } from "./series.ts";

export interface BufferLimits {
  /** Samples that are not written; above this the oldest are dropped. */
  maxWaiting: number;
  /** The same for the memory of their texts. */
  maxTextBytes: number;
  maxSeries: number;
}

export interface Arrival {
  series: Series;
  sample: Sample;
}

type NameOf = (arrival: Arrival) => string | undefined;

interface RecentRow extends Sample {
  series_id: number;
}

export class SampleBuffer {
  readonly #limits: BufferLimits;
  readonly #log: Log;
  #series: SeriesDirectory;
  #waiting: Arrival[] = [];
  #size = 0;
  #textBytes = 0;
  #waitingTextBytes = 0;
  #dropped = 0;
  #seriesWarned = false;
  #waitingWarned = false;

  constructor(limits: BufferLimits, log: Log) {
    this.#limits = limits;
    this.#log = log;
    this.#series = createSeriesDirectory(limits.maxSeries);
  }

  get series(): SeriesDirectory {
    return this.#series;
  }

  /** Not written yet, in order of arrival. */
  get waiting(): readonly Arrival[] {
    return this.#waiting;
  }

  /** All samples in memory, written or not. */
  get size(): number {
    return this.#size;
  }

  /** The memory of their texts. */
  get textBytes(): number {
    return this.#textBytes;
  }

  /** The same for the samples that are not written. */
  get waitingTextBytes(): number {
    return this.#waitingTextBytes;
  }

  /** Samples that were lost. */
  get dropped(): number {
    return this.#dropped;
  }

  record(rows: SampleRows): void {
    for (let index = 0; index < rows.length; index += ROW_WIDTH) {
      const [at, value = null, type] = [rows[index + 2], rows[index + 3], rows[index + 4]];
      const sample = { at: Number(at), n: -1, value, type: type as number | null };
      this.#add(String(rows[index]), String(rows[index + 1]), sample);
    }
    const { maxWaiting, maxTextBytes } = this.#limits;
    if (this.#waiting.length > maxWaiting || this.#waitingTextBytes > maxTextBytes) this.#dropOldest();
  }

  /** All that waited is in the file now. */
  markWritten(): void {
    this.#waiting = [];
    this.#waitingTextBytes = 0;
    this.#waitingWarned = false;
  }

  /** So many samples were compacted, with so many bytes of text. */
  release(samples: number, bytes: number): void {
    this.#size -= samples;
    this.#textBytes -= bytes;
  }

  /** The file is lost: every sample in memory has to be written again. */
  markUnwritten(): void {
    const all = [...this.#series.all()].flatMap((series) => series.buffered.map((sample) => ({ series, sample })));
    this.#series = createSeriesDirectory(this.#limits.maxSeries);
    this.#size = 0;
    this.#textBytes = 0;
    this.#addAgain(all);
  }

  /** Starts from the content of the file; waiting samples stay, under these names; those without one go. */
  reload(db: Database, nameOf: NameOf = ({ series }) => series.attribute): void {
    const series = createSeriesDirectory(this.#limits.maxSeries);
    const loaded = loadUncompacted(db, series);
    this.#series = series;
    this.#size = loaded.samples;
    this.#textBytes = loaded.textBytes;
    this.#addAgain(this.#waiting, nameOf);
  }

  #add(deviceId: string, attribute: string, sample: Sample): void {
    const series = this.#series.open(deviceId, attribute);
    if (!series) {
      this.#refuse(deviceId, attribute);
      return;
    }
    insertSample(series, sample);
    this.#waiting.push({ series, sample });
    this.#size++;
    const bytes = textBytes(sample);
    this.#textBytes += bytes;
    this.#waitingTextBytes += bytes;
  }

  #addAgain(arrivals: readonly Arrival[], nameOf: NameOf = ({ series }) => series.attribute): void {
    this.#waiting = [];
    this.#waitingTextBytes = 0;
    for (const arrival of arrivals) {
      const { series, sample } = arrival;
      const name = nameOf(arrival);
      if (name === undefined) continue;
      sample.n = -1;
      this.#add(series.deviceId, name, sample);
    }
  }

  #refuse(deviceId: string, attribute: string): void {
    this.#dropped++;
    if (this.#seriesWarned) return;
    this.#seriesWarned = true;
    const { maxSeries } = this.#limits;
    this.#log.warn(
      `the history has ${maxSeries} series and records no new ones: list those you do not need in [history] exclude`,
      { deviceId, attribute },
    );
  }

  #dropOldest(): void {
    const gone = new Set(this.#waiting.splice(0, this.#excess()));
    const samples = new Set([...gone].map(({ sample }) => sample));
    const bytes = [...samples].reduce((sum, sample) => sum + textBytes(sample), 0);
    this.release(gone.size, bytes);
    this.#waitingTextBytes -= bytes;
    for (const series of new Set([...gone].map((arrival) => arrival.series)))
      series.buffered = series.buffered.filter((sample) => !samples.has(sample));
    this.#dropped += gone.size;
    if (!this.#waitingWarned)
      this.#log.warn("too many samples of the history wait to be written; the oldest are dropped");
    this.#waitingWarned = true;
  }

  /** How many to drop until a tenth of each limit is free again. */
  #excess(): number {
    const { maxWaiting, maxTextBytes } = this.#limits;
    let count = Math.max(0, this.#waiting.length - Math.floor(maxWaiting * 0.9));
    let bytes = this.#waitingTextBytes;
    for (const { sample } of this.#waiting.slice(0, count)) bytes -= textBytes(sample);
    for (; bytes > maxTextBytes * 0.9 && count < this.#waiting.length; count++)
      bytes -= textBytes((this.#waiting[count] as Arrival).sample);
    return count;
  }
}

// A compaction that was cut short leaves samples in both tables.
const UNCOMPACTED = `SELECT series_id, at, n, value, type FROM recent
  WHERE NOT EXISTS (
    SELECT 1 FROM samples
    WHERE samples.series_id = recent.series_id AND samples.at = recent.at AND samples.n = recent.n
  )
  ORDER BY series_id, at, n`;

function loadUncompacted(db: Database, directory: SeriesDirectory): { samples: number; textBytes: number } {
  const byId = new Map<number, Series>();
  const rows = db.query<{ id: number; device_id: string; attribute: string }, []>("SELECT * FROM series");
  for (const { id, device_id, attribute } of rows.iterate()) byId.set(id, directory.load(id, device_id, attribute));
  let samples = 0;
  let bytes = 0;
  for (const { series_id, ...sample } of db.query<RecentRow, []>(UNCOMPACTED).iterate()) {
    const series = byId.get(series_id);
    if (!series) continue;
    insertSample(series, sample);
    samples++;
    bytes += textBytes(sample);
  }
  return { samples, textBytes: bytes };
}
