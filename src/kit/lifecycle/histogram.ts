// Counts how long things take: how many took at most so long, by labels. A fixed number of counters, however many there are.

export interface Histogram {
  /** With a value for each label. Beyond 100 different ones, all count as `other`. */
  observe(seconds: number, ...values: readonly string[]): void;
  series(): Iterable<HistogramSeries>;
  /** In seconds, growing. */
  readonly bounds: readonly number[];
}

export interface HistogramSeries {
  labels: Readonly<Record<string, string>>;
  /** How many were in the bucket that ends with each bound, and at last how many were above all of them. */
  counts: readonly number[];
  sum: number;
}

const MAX_SERIES = 100;

export function createHistogram(bounds: readonly number[], labels: readonly string[] = []): Histogram {
  const all = new Map<string, { labels: Record<string, string>; counts: number[]; sum: number }>();

  function made(key: string, values: readonly string[]) {
    if (all.size >= MAX_SERIES) {
      const others = labels.map(() => "other");
      return all.get(others.join("\n")) ?? add(others.join("\n"), others);
    }
    return add(key, values);
  }

  function add(key: string, values: readonly string[]) {
    const labelled = Object.fromEntries(labels.map((label, index) => [label, values[index] ?? ""]));
    const series = { labels: labelled, counts: new Array<number>(bounds.length + 1).fill(0), sum: 0 };
    all.set(key, series);
    return series;
  }

  return {
    bounds,
    observe(seconds, ...values) {
      const key = values.length > 1 ? values.join("\n") : (values[0] ?? "");
      const series = all.get(key) ?? made(key, values);
      let bucket = 0;
      while (bucket < bounds.length && seconds > (bounds[bucket] ?? 0)) bucket++;
      series.counts[bucket] = (series.counts[bucket] ?? 0) + 1;
      series.sum += seconds;
    },
    series: () => all.values(),
  };
}
