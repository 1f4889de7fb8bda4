// The series there are, and those of their samples that are not settled in the file yet. All in memory, and bounded.
import type { Sample } from "./sample.ts";

export interface Series {
  readonly deviceId: string;
  readonly attribute: string;
  /** In the file; 0 while it is not there. */
  id: number;
  /** Not settled yet, in the order of their times; those of one millisecond in the order they came. */
  held: Sample[];
  /** The greatest time in the file or given to it; undefined while nobody has looked. */
  newest: number | undefined;
}

export interface SeriesDirectory {
  readonly size: number;
  find(deviceId: string, attribute: string): Series | undefined;
  ofDevice(deviceId: string): Iterable<Series>;
  all(): Iterable<Series>;
  /** The series, begun if nobody knows it; undefined where there are too many. */
  open(deviceId: string, attribute: string): Series | undefined;
  /** What the file says; no limit stands in its way. */
  load(id: number, deviceId: string, attribute: string): Series;
  remove(series: Series): void;
}

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
      return add({ deviceId, attribute, id: 0, held: [], newest: undefined });
    },
    load: (id, deviceId, attribute) => add({ deviceId, attribute, id, held: [], newest: undefined }),
    remove({ deviceId, attribute }) {
      const attributes = devices.get(deviceId);
      if (!attributes?.delete(attribute)) return;
      if (attributes.size === 0) devices.delete(deviceId);
      size--;
    },
  };
}

/** Puts a sample where its time belongs: at the end, unless the clock stepped back. */
export function hold(series: Series, sample: Sample): void {
  const { held } = series;
  const last = held.at(-1);
  if (!last || last.at <= sample.at) held.push(sample);
  else held.splice(firstFrom(held, sample.at + 1), 0, sample);
}

/** The index of the first that is not before `at`. */
export function firstFrom(samples: readonly Sample[], at: number): number {
  let low = 0;
  for (let high = samples.length; low < high; ) {
    const middle = (low + high) >> 1;
    if ((samples[middle]?.at ?? 0) < at) low = middle + 1;
    else high = middle;
  }
  return low;
}
