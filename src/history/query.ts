// Answers a query as the text that goes out: raw samples, or a value for each stretch of time.
import type { Database } from "bun:sqlite";
import { HubError } from "../core/errors.ts";
import { isSecretName, masked } from "../core/masking.ts";
import type { Zone } from "../core/zone.ts";
import { bucketStarts } from "./bucket-starts.ts";
import { reckon } from "./buckets.ts";
import { mergeSorted } from "./merge.ts";
import type { HistoryPage, HistoryQuery } from "./messages.ts";
import { jsonOf, REMOVED, type Sample } from "./sample.ts";
import { createScanner, type Scanner } from "./scan.ts";
import type { Series, SeriesDirectory } from "./series.ts";
import { createPageWriter, type PageWriter } from "./text.ts";

// A page of long texts ends earlier than its limit says.
const LONGEST_PAGE = 4 * 1024 * 1024;
const PORTION = 4000;
export const MOST_BUCKETS = 10_000;

export interface QuerySource {
  db: Database;
  series: SeriesDirectory;
  zone: Zone;
  /** Nothing is said of the time after. */
  now: number;
}

export function answerQuery(query: HistoryQuery, source: QuerySource): HistoryPage {
  const wanted = query.attributes && new Set(query.attributes);
  const series = [...source.series.ofDevice(query.deviceId)]
    .filter(({ attribute }) => wanted?.has(attribute) ?? true)
    .filter(({ attribute }) => !(query.withoutSecrets && isSecretName(attribute)))
    .sort((a, b) => (a.attribute < b.attribute ? -1 : 1));
  const scanner = createScanner(source.db);
  return query.bucketMs === undefined
    ? samplesPage(query, series, scanner)
    : bucketsPage({ ...query, bucketMs: query.bucketMs }, series, scanner, source);
}

/** Lists and objects may have secrets of their own within. */
function pageFor({ format, withoutSecrets }: HistoryQuery, counted: boolean): PageWriter {
  const page = createPageWriter(format, counted);
  if (!withoutSecrets) return page;
  return {
    get length() {
      return page.length;
    },
    add(at, attribute, json, count) {
      const isDeep = json.startsWith("{") || json.startsWith("[");
      page.add(at, attribute, isDeep ? JSON.stringify(masked(JSON.parse(json))) : json, count);
    },
    end: page.end,
  };
}

interface Place {
  sample: Sample;
  series: Series;
  /** Among the series, for those of one millisecond. */
  order: number;
}

function samplesPage(query: HistoryQuery, series: readonly Series[], scanner: Scanner): HistoryPage {
  const { from, to, limit } = query;
  const page = pageFor(query, false);
  if (query.initial) {
    for (const { series: one, sample } of initialOf(series, from, scanner))
      page.add(sample.at, one.attribute, jsonOf(sample));
  }
  // A series alone may fill the page; many share it.
  const portion = Math.min(limit + 1, Math.max(16, Math.ceil((2 * limit) / Math.max(1, series.length))));
  const sources = series.map((one, order) => placed(one, order, scanner.samples(one, { from, to, portion })));
  let count = 0;
  let last = Number.NaN;
  for (const { sample, series: one } of mergeSorted(sources, comesBefore)) {
    const full = count >= limit || page.length > LONGEST_PAGE;
    if (full && sample.at !== last) return { text: page.end(), next: sample.at };
    page.add(sample.at, one.attribute, jsonOf(sample));
    last = sample.at;
    count++;
  }
  return { text: page.end(), next: undefined };
}

function* placed(series: Series, order: number, samples: Iterable<Sample>): Iterable<Place> {
  for (const sample of samples) yield { sample, series, order };
}

function comesBefore(a: Place, b: Place): boolean {
  return a.sample.at < b.sample.at || (a.sample.at === b.sample.at && a.order < b.order);
}

/** What stood at `from`, oldest first; nothing stood where the attribute had been removed. */
function initialOf(series: readonly Series[], from: number, scanner: Scanner): Place[] {
  return series
    .flatMap((one, order) => {
      const sample = scanner.lastBefore(one, from);
      return sample && sample.type !== REMOVED ? [{ sample, series: one, order }] : [];
    })
    .sort((a, b) => (comesBefore(a, b) ? -1 : 1));
}

type BucketQuery = HistoryQuery & { bucketMs: number };

function bucketsPage(
  query: BucketQuery,
  series: readonly Series[],
  scanner: Scanner,
  source: QuerySource,
): HistoryPage {
  const { from, bucketMs, aggregate, limit } = query;
  const page = pageFor(query, true);
  const to = Math.min(query.to, source.now);
  if (from >= to || series.length === 0) return { text: page.end(), next: undefined };
  if ((to - from) / bucketMs > MOST_BUCKETS) throw tooMany(to - from);
  const all = bucketStarts(from, to, bucketMs, source.zone);
  const starts = all.slice(0, Math.max(1, Math.floor(limit / series.length)));
  const next = all[starts.length];
  const rows = series.map((one) => {
    const samples = scanner.portions(one, { from, to: next ?? to, portion: PORTION });
    const standing = scanner.lastBefore(one, from);
    return reckon(samples, { standing, starts, from, to: next ?? to, aggregate });
  });
  for (const [index, start] of starts.entries()) {
    for (const [order, { attribute }] of series.entries()) {
      const bucket = rows[order]?.[index];
      if (bucket) page.add(start, attribute, bucket.json, bucket.count);
    }
  }
  return { text: page.end(), next };
}

const COMFORTABLE = [
  ["1m", 60],
  ["5m", 300],
  ["15m", 900],
  ["1h", 3600],
  ["6h", 21_600],
  ["1d", 86_400],
  ["1w", 604_800],
] as const;

function tooMany(spanMs: number): HubError {
  const fits = COMFORTABLE.find(([, secs]) => spanMs / (secs * 1000) <= MOST_BUCKETS)?.[0] ?? "4w";
  const message = `gives more than ${MOST_BUCKETS} buckets for this time; bucket=${fits} would do`;
  return new HubError("invalid", `bucket: ${message}`, { details: { problems: [{ path: "bucket", message }] } });
}
