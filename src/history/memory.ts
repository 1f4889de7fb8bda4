// What the worker holds of the history: the series, their samples that are not settled, and which of those no file has yet.
import type { Database } from "bun:sqlite";
import type { Log } from "../core/log.ts";
import { ROW_WIDTH, type SampleRows } from "./messages.ts";
import { type Sample, textBytes } from "./sample.ts";
import { createSeriesDirectory, hold, type Series, type SeriesDirectory } from "./series.ts";

export interface MemoryLimits {
  /** Samples that no file has; beyond, the oldest are dropped. */
  mostWaiting: number;
  /** The same for what their texts take in memory. */
  mostTextBytes: number;
  mostSeries: number;
}

export interface Arrival {
  series: Series;
  sample: Sample;
}

export interface Memory {
  readonly series: SeriesDirectory;
  /** In no file yet, in the order they came. */
  readonly waiting: readonly Arrival[];
  /** Samples held, waiting or not. */
  readonly held: number;
  /** What their texts take. */
  readonly heldTextBytes: number;
  readonly waitingTextBytes: number;
  /** Samples that could not be kept. */
  readonly dropped: number;
  record(rows: SampleRows): void;
  /** All that waited is in the file. */
  written(): void;
  /** So many are settled, whose texts took so much. */
  released(samples: number, textBytes: number): void;
  /** The file is gone: all that is held waits again. */
  unsettle(): void;
  /** Begins anew with what the file holds; what waits goes on waiting. */
  reload(db: Database): void;
}

interface RecentRow extends Sample {
  series_id: number;
}

export function createMemory({ mostWaiting, mostTextBytes, mostSeries }: MemoryLimits, log: Log): Memory {
  let series = createSeriesDirectory(mostSeries);
  let waiting: Arrival[] = [];
  let held = 0;
  let heldTextBytes = 0;
  let waitingTextBytes = 0;
  let dropped = 0;
  let toldSeries = false;
  let toldWaiting = false;

  function add(deviceId: string, attribute: string, sample: Sample): void {
    const one = series.open(deviceId, attribute);
    if (!one) {
      refuse(deviceId, attribute);
      return;
    }
    hold(one, sample);
    waiting.push({ series: one, sample });
    held++;
    heldTextBytes += textBytes(sample);
    waitingTextBytes += textBytes(sample);
  }

  function refuse(deviceId: string, attribute: string): void {
    dropped++;
    if (toldSeries) return;
    toldSeries = true;
    const mend = "exclude what is not worth keeping in [history] exclude";
    log.warn(`there are ${mostSeries} series in the history, new ones are not recorded: ${mend}`, {
      deviceId,
      attribute,
    });
  }

  /** How many must go to have a tenth of the room again. */
  function tooMany(): number {
    let count = Math.max(0, waiting.length - Math.floor(mostWaiting * 0.9));
    let bytes = waitingTextBytes;
    for (const { sample } of waiting.slice(0, count)) bytes -= textBytes(sample);
    for (; bytes > mostTextBytes * 0.9 && count < waiting.length; count++)
      bytes -= textBytes((waiting[count] as Arrival).sample);
    return count;
  }

  function dropOldest(): void {
    const gone = new Set(waiting.splice(0, tooMany()));
    const samples = new Set([...gone].map(({ sample }) => sample));
    const bytes = [...samples].reduce((sum, sample) => sum + textBytes(sample), 0);
    heldTextBytes -= bytes;
    waitingTextBytes -= bytes;
    for (const one of new Set([...gone].map(({ series }) => series)))
      one.held = one.held.filter((sample) => !samples.has(sample));
    held -= gone.size;
    dropped += gone.size;
    if (!toldWaiting) log.warn("the history's samples wait too long to be written; the oldest are dropped");
    toldWaiting = true;
  }

  function restart(arrivals: readonly Arrival[]): void {
    waiting = [];
    waitingTextBytes = 0;
    for (const { series, sample } of arrivals) {
      sample.n = -1;
      add(series.deviceId, series.attribute, sample);
    }
  }

  return {
    get series() {
      return series;
    },
    get waiting() {
      return waiting;
    },
    get held() {
      return held;
    },
    get heldTextBytes() {
      return heldTextBytes;
    },
    get waitingTextBytes() {
      return waitingTextBytes;
    },
    get dropped() {
      return dropped;
    },
    record(rows) {
      for (let index = 0; index < rows.length; index += ROW_WIDTH) {
        const [deviceId, attribute, at, value = null, type] = rows.slice(index, index + ROW_WIDTH);
        add(String(deviceId), String(attribute), { at: Number(at), n: -1, value, type: type as number | null });
      }
      if (waiting.length > mostWaiting || waitingTextBytes > mostTextBytes) dropOldest();
    },
    written() {
      waiting = [];
      waitingTextBytes = 0;
      toldWaiting = false;
    },
    released(samples, bytes) {
      held -= samples;
      heldTextBytes -= bytes;
    },
    unsettle() {
      const all = [...series.all()].flatMap((one) => one.held.map((sample) => ({ series: one, sample })));
      series = createSeriesDirectory(mostSeries);
      held = 0;
      heldTextBytes = 0;
      restart(all);
    },
    reload(db) {
      const fresh = createSeriesDirectory(mostSeries);
      const loaded = load(db, fresh);
      series = fresh;
      held = loaded.samples;
      heldTextBytes = loaded.textBytes;
      restart(waiting);
    },
  };
}

// What is settled already may be in `recent` still: a settling that was cut short.
const UNSETTLED = `SELECT series_id, at, n, value, type FROM recent
  WHERE NOT EXISTS (
    SELECT 1 FROM samples
    WHERE samples.series_id = recent.series_id AND samples.at = recent.at AND samples.n = recent.n
  )
  ORDER BY series_id, at, n`;

function load(db: Database, series: SeriesDirectory): { samples: number; textBytes: number } {
  const byId = new Map<number, Series>();
  const known = db.query<{ id: number; device_id: string; attribute: string }, []>("SELECT * FROM series");
  for (const { id, device_id, attribute } of known.iterate()) byId.set(id, series.load(id, device_id, attribute));
  let samples = 0;
  let bytes = 0;
  for (const { series_id, ...sample } of db.query<RecentRow, []>(UNSETTLED).iterate()) {
    const one = byId.get(series_id);
    if (!one) continue;
    hold(one, sample);
    samples++;
    bytes += textBytes(sample);
  }
  return { samples, textBytes: bytes };
}
