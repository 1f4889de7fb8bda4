// The directory of series, each with its samples that are not compacted in the file yet. All in memory, and bounded.
import type { Sample } from "../sample.ts";

export interface Series {
  readonly deviceId: string;
  readonly attribute: string;
  /** Its row in the file; 0 while it has none. */
  id: number;
  /** Not compacted yet, in order of time; those of one millisecond in order of arrival. */
  buffered: Sample[];
  /** No compacted sample is at this time or later; undefined until it is looked up. */
  compactedBefore: number | undefined;
  /** The greatest time in the file or given to it; undefined until it is looked up. */
  newest: number | undefined;
  /** The last number given at that time; undefined where none was given yet. */
  newestNumber: number | undefined;
}

export interface SeriesDirectory {
  readonly size: number;
  find(deviceId: string, attribute: string): Series | undefined;
  ofDevice(deviceId: string): Iterable<Series>;
  all(): Iterable<Series>;
  /** The series, added if it is new; undefined where there are too many. */
  open(deviceId: string, attribute: string): Series | undefined;
  /** Adds a series of the file, whatever the limit. */
  load(id: number, deviceId: string, attribute: string): Series;
  remove(series: Series): void;
}

const UNKNOWN = { compactedBefore: undefined, newest: undefined, newestNumber: undefined } as const;

export function createSeriesDirectory(most: number): SeriesDirectory {
  const devices = new Map<string, Map<string, Series>>();
  let size = 0;

  function add(series: Series): Series {
    const attributes = devices.get(series.deviceId);
    if (attributes) attributes.set(series.attribute, series);
    else devices.set(series.deviceId, new Map([[series.attribute, series]]));
    size++;
    return series;
  }

  const find: SeriesDirectory["find"] = (deviceId, attribute) => devices.get(deviceId)?.get(attribute);
  return {
    get size() {
      return size;
    },
    find,
    ofDevice: (deviceId) => devices.get(deviceId)?.values() ?? [],
    *all() {
      for (const attributes of devices.values()) yield* attributes.values();
    },
    open(deviceId, attribute) {
      const known = find(deviceId, attribute);
      if (known || size >= most) return known;
      return add({ deviceId, attribute, id: 0, buffered: [], ...UNKNOWN });
    },
    load: (id, deviceId, attribute) => add({ deviceId, attribute, id, buffered: [], ...UNKNOWN }),
    remove({ deviceId, attribute }) {
      const attributes = devices.get(deviceId);
      if (!attributes?.delete(attribute)) return;
      if (attributes.size === 0) devices.delete(deviceId);
      size--;
    },
  };
}

/** Inserts a sample in order of time: at the end, unless the clock stepped back. */
export function insertSample(series: Series, sample: Sample): void {
  const { buffered } = series;
  const last = buffered.at(-1);
  if (!last || last.at <= sample.at) buffered.push(sample);
  else buffered.splice(firstFrom(buffered, sample.at + 1), 0, sample);
}

/** The index of the first sample that is not before `at`. */
export function firstFrom(samples: readonly Sample[], at: number): number {
  let low = 0;
  for (let high = samples.length; low < high; ) {
    const middle = (low + high) >> 1;
    if ((samples[middle]?.at ?? 0) < at) low = middle + 1;
    else high = middle;
  }
  return low;
}
