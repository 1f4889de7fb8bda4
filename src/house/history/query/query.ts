// Answers a query with the text of a page: raw samples, or a value for each bucket.
import type { Database } from "bun:sqlite";
import { HubError } from "../../../kit/schema/errors.ts";
import { isSecretName, masked } from "../../../kit/text/masking.ts";
import type { Zone } from "../../../kit/time/zone.ts";
import { jsonOf, REMOVED, type Sample } from "../sample.ts";
import type { Rollup } from "../store/rollups.ts";
import type { Series, SeriesDirectory } from "../store/series.ts";
import type { HistoryPage, HistoryQuery } from "../worker-protocol.ts";
import { aggregateBuckets, bucketStarts } from "./buckets.ts";
import { createScanner, type Scanner } from "./scan.ts";
import { summariesOf } from "./summary-scan.ts";

// A page of long texts ends before it has `limit` samples.
const MAX_PAGE = 4 * 1024 * 1024;
const MAX_BUCKETS = 10_000;

export interface QuerySource {
  db: Database;
  series: SeriesDirectory;
  zone: Zone;
  /** Buckets end here. */
  now: number;
  /** Called with each rollup that was missing. */
  onRollup: (rollup: Rollup) => void;
}

export function answerQuery(query: HistoryQuery, source: QuerySource): HistoryPage {
  const wanted = query.attributes && new Set(query.attributes);
  const series = [...source.series.ofDevice(query.deviceId)]
    .filter(({ attribute }) => wanted?.has(attribute) ?? true)
    .filter(({ attribute }) => !isRedacted(query, attribute))
    .sort((a, b) => (a.attribute < b.attribute ? -1 : 1));
  const scanner = createScanner(source.db);
  return query.bucketMs === undefined
    ? samplesPage(query, series, scanner)
    : bucketsPage({ ...query, bucketMs: query.bucketMs }, series, scanner, source);
}

/** Whether the caller may not see it. */
export function isRedacted({ withoutSecrets, secrets }: HistoryQuery, attribute: string): boolean {
  return withoutSecrets === true && (isSecretName(attribute) || secrets?.includes(attribute) === true);
}

/** Masks secrets inside lists and objects too. */
export function pageFor({ format, withoutSecrets }: HistoryQuery, counted: boolean): PageWriter {
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

interface OrderedSample {
  sample: Sample;
  series: Series;
  /** The series' position: orders samples of the same millisecond. */
  order: number;
}

function samplesPage(query: HistoryQuery, series: readonly Series[], scanner: Scanner): HistoryPage {
  const { from, to, limit } = query;
  const page = pageFor(query, false);
  if (query.initial) {
    for (const { series: one, sample } of initialOf(series, from, scanner))
      page.add(sample.at, one.attribute, jsonOf(sample));
  }
  // One series may fill the page alone; several share it.
  const portion = Math.min(limit + 1, Math.max(16, Math.ceil((2 * limit) / Math.max(1, series.length))));
  const sources = series.map((one, order) => ordered(one, order, scanner.samples(one, { from, to, portion })));
  let count = 0;
  let last = Number.NaN;
  for (const { sample, series: one } of mergeSorted(sources, comesBefore)) {
    const full = count >= limit || page.length > MAX_PAGE;
    if (full && sample.at !== last) return { text: page.end(), next: sample.at };
    page.add(sample.at, one.attribute, jsonOf(sample));
    last = sample.at;
    count++;
  }
  return { text: page.end(), next: undefined };
}

function* ordered(series: Series, order: number, samples: Iterable<Sample>): Iterable<OrderedSample> {
  for (const sample of samples) yield { sample, series, order };
}

function comesBefore(a: OrderedSample, b: OrderedSample): boolean {
  return a.sample.at < b.sample.at || (a.sample.at === b.sample.at && a.order < b.order);
}

/** The last sample before `from` of each series, oldest first. A removed attribute has none. */
function initialOf(series: readonly Series[], from: number, scanner: Scanner): OrderedSample[] {
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
  assertFewBuckets(to - from, bucketMs);
  const all = bucketStarts(from, to, bucketMs, source.zone);
  const starts = all.slice(0, Math.max(1, Math.floor(limit / series.length)));
  const next = all[starts.length];
  const span = { from, to: next ?? to, starts };
  const rows = series.map((one) =>
    aggregateBuckets(summariesOf({ ...source, ...span, scanner, series: one }), {
      ...{ ...span, aggregate },
      lastBefore: (at) => scanner.lastBefore(one, at),
    }),
  );
  for (const [index, start] of starts.entries()) {
    for (const [order, { attribute }] of series.entries()) {
      const bucket = rows[order]?.[index];
      if (bucket) page.add(start, attribute, bucket.json, bucket.count);
    }
  }
  return { text: page.end(), next };
}

const SUGGESTED_SIZES = [
  ["1m", 60],
  ["5m", 300],
  ["15m", 900],
  ["1h", 3600],
  ["6h", 21_600],
  ["1d", 86_400],
  ["1w", 604_800],
] as const;

/** Throws HubError `invalid`. */
export function assertFewBuckets(spanMs: number, bucketMs: number): void {
  if (spanMs / bucketMs > MAX_BUCKETS) throw tooMany(spanMs);
}

function tooMany(spanMs: number): HubError {
  const fits = SUGGESTED_SIZES.find(([, secs]) => spanMs / (secs * 1000) <= MAX_BUCKETS)?.[0] ?? "4w";
  const message = `gives more than ${MAX_BUCKETS} buckets for this time; try bucket=${fits}`;
  return new HubError("invalid", `bucket: ${message}`, { details: { problems: [{ path: "bucket", message }] } });
}

interface Source<T> {
  item: T;
  rest: Iterator<T>;
}

/** Items of all sources in the order of `before`, which must be strict for items of different sources. */
function* mergeSorted<T>(sources: Iterable<Iterable<T>>, before: (a: T, b: T) => boolean): Iterable<T> {
  const heap: Source<T>[] = [];
  for (const source of sources) {
    const rest = source[Symbol.iterator]();
    const first = rest.next();
    if (first.done) continue;
    heap.push({ item: first.value, rest });
    rise(heap, before);
  }
  for (let top = heap[0]; top; top = heap[0]) {
    yield top.item;
    const next = top.rest.next();
    if (!next.done) top.item = next.value;
    else {
      const last = heap.pop() as Source<T>;
      if (last !== top) heap[0] = last;
    }
    sink(heap, before);
  }
}

function rise<T>(heap: Source<T>[], before: (a: T, b: T) => boolean): void {
  for (let index = heap.length - 1; index > 0; ) {
    const parent = (index - 1) >> 1;
    if (!swapIf(heap, index, parent, before)) return;
    index = parent;
  }
}

function sink<T>(heap: Source<T>[], before: (a: T, b: T) => boolean): void {
  for (let index = 0; ; ) {
    const left = 2 * index + 1;
    const [a, b] = [heap[left], heap[left + 1]];
    if (!a) return;
    const child = b && before(b.item, a.item) ? left + 1 : left;
    if (!swapIf(heap, child, index, before)) return;
    index = child;
  }
}

/** Swaps the child with its parent where it comes before it. */
function swapIf<T>(heap: Source<T>[], child: number, parent: number, before: (a: T, b: T) => boolean): boolean {
  const [below, above] = [heap[child], heap[parent]];
  if (!below || !above || !before(below.item, above.item)) return false;
  heap[child] = above;
  heap[parent] = below;
  return true;
}

/** Writes the text of a page: JSON items, or CSV lines. */
interface PageWriter {
  /** Characters so far. */
  readonly length: number;
  /** `json` is the value's JSON; `count` only in pages that have one. */
  add(at: number, attribute: string, json: string, count?: number): void;
  end(): string;
}

function createPageWriter(format: "json" | "csv", counted: boolean): PageWriter {
  return format === "json" ? jsonWriter() : csvWriter(counted);
}

function jsonWriter(): PageWriter {
  const items: string[] = [];
  const names = new Map<string, string>();
  let length = 0;
  return {
    get length() {
      return length;
    },
    add(at, attribute, json, count) {
      const name = names.get(attribute) ?? JSON.stringify(attribute);
      names.set(attribute, name);
      const tail = count === undefined ? "" : `,"count":${count}`;
      const item = `{"timestamp":"${new Date(at).toISOString()}","attribute":${name},"value":${json}${tail}}`;
      items.push(item);
      length += item.length;
    },
    end: () => `[${items.join(",")}]`,
  };
}

// RFC 4180: lines end with CR LF, and fields with a comma, quote or line break are quoted.
function csvWriter(counted: boolean): PageWriter {
  const lines = [`timestamp,attribute,value${counted ? ",count" : ""}`];
  let length = 0;
  return {
    get length() {
      return length;
    },
    add(at, attribute, json, count) {
      const tail = counted ? `,${count ?? ""}` : "";
      const line = `${new Date(at).toISOString()},${csvText(attribute)},${csvValue(json)}${tail}`;
      lines.push(line);
      length += line.length;
    },
    end: () => `${lines.join("\r\n")}\r\n`,
  };
}

/** null is an empty field, an empty text `""`; lists and objects are their JSON. */
function csvValue(json: string): string {
  if (json === "null") return "";
  return json.startsWith('"') ? csvText(JSON.parse(json) as string) : csvField(json);
}

// A spreadsheet runs text that begins like this as a formula; an apostrophe prevents it. Numbers do not need one.
const FORMULA = /^[=+\-@\t\r]/;
const NUMBER = /^[+-]?\d+(\.\d+)?$/;

function csvText(text: string): string {
  return csvField(FORMULA.test(text) && !NUMBER.test(text) ? `'${text}` : text);
}

function csvField(text: string): string {
  return text === "" || /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
