// Answers queries that reach beyond what the file has kept: what is older is read from an archive, with the same buckets.
import { HubError, messageOf } from "../../kit/schema/errors.ts";
import type { Clock } from "../../kit/time/clock.ts";
import type { History } from "./history.ts";
import { aggregateBuckets, bucketStarts } from "./query/buckets.ts";
import { type HourSummary, weighted } from "./query/hour-summary.ts";
import { assertFewBuckets, isRedacted, pageFor } from "./query/query.ts";
import { BOOLEAN, JSON_TEXT, jsonOf, REMOVED, type Sample } from "./sample.ts";
import type { HistoryPage, HistoryQuery, KeptSpan } from "./worker-protocol.ts";

export interface ArchivedSample {
  attribute: string;
  /** Epoch ms. */
  at: number;
  /** 0 and 1 for booleans, the text of JSON, null where the attribute was removed. */
  kind: "number" | "boolean" | "text" | "json" | "removed";
  value: number | string | null;
}

/** What there is of one attribute from the beginning of a bucket to its end; at least one sample. */
export interface ArchivedSummary {
  /** Which of the buckets. */
  bucket: number;
  /** Of the first sample. */
  at: number;
  count: number;
  /** Of the numbers, and booleans as 0 and 1; null where there is none. */
  min: number | null;
  max: number | null;
  /** The mean of the time after each number, until the next sample or the end of the bucket, and how long that is. */
  mean: number | null;
  meanMs: number;
  last: ArchivedSample;
}

interface Wanted {
  deviceId: string;
  /** All where absent. */
  attributes?: readonly string[] | undefined;
}

/** Times are epoch ms; each rejects with why it cannot answer. */
export interface Archive {
  attributes(wanted: Wanted): Promise<string[]>;
  /** The first `limit` from `from` to `to`, oldest first. */
  samples(wanted: Wanted & { from: number; to: number; limit: number }): Promise<ArchivedSample[]>;
  /** The last one before `at` of each attribute. */
  lastBefore(wanted: Wanted & { at: number }): Promise<ArchivedSample[]>;
  /** Oldest first. `starts`: of the buckets; samples are from `from` to `to`. */
  summaries(wanted: Wanted & { from: number; to: number; starts: readonly number[] }): Promise<ArchivedSummary[]>;
}

const KEPT_MS = 60_000;

export function withArchive(history: History, archive: Archive, clock: Clock): Pick<History, "query"> {
  let known: { span: Promise<KeptSpan>; at: number } | undefined;

  function kept(): Promise<KeptSpan> {
    if (!known || clock.mono() - known.at >= KEPT_MS) known = { span: history.kept(), at: clock.mono() };
    const { span } = known;
    // A history that did not answer is asked again.
    span.catch(() => (known = undefined));
    return span;
  }

  return {
    async query(query) {
      const { cut, oldest } = await kept();
      if (query.from >= oldest) return history.query(query);
      try {
        return await answer(query, { history, archive, oldest, now: clock.now() });
      } catch (error) {
        if (error instanceof HubError) throw error;
        // Nothing of this was removed here: the archive would only know more where the history itself was lost.
        if (query.from >= cut) return history.query(query);
        const since = new Date(oldest).toISOString();
        const message = `what is older than ${since} is in another database, which cannot be read now: ${messageOf(error)}`;
        throw new HubError("unavailable", message, { cause: error });
      }
    },
  };
}

interface Answering {
  history: Pick<History, "query" | "zone">;
  archive: Archive;
  oldest: number;
  now: number;
}

/** A page of the archive, and of the history behind it where there is room for more. */
async function answer(query: HistoryQuery, { history, archive, oldest, now }: Answering): Promise<HistoryPage> {
  const { bucketMs } = query;
  const to = bucketMs === undefined ? query.to : Math.min(query.to, now);
  if (query.from >= to) return history.query(query);
  if (bucketMs !== undefined) assertFewBuckets(to - query.from, bucketMs);
  const starts = bucketMs === undefined ? [] : bucketStarts(query.from, to, bucketMs, history.zone);
  // A bucket is answered by one of the two.
  const end = bucketMs === undefined ? Math.min(to, oldest) : (starts.find((start) => start >= oldest) ?? to);
  const old = { ...query, to: end };
  const page =
    bucketMs === undefined
      ? await samplesPage(old, archive)
      : await bucketsPage(
          old,
          starts.filter((start) => start < end),
          archive,
        );
  if (page.next !== undefined || end >= query.to) return page;
  const limit = query.limit - page.count;
  if (limit < 1) return { text: page.text, next: end };
  const rest = await history.query({ ...query, from: end, limit, initial: false });
  return { text: joined(page.text, rest.text, query.format), next: rest.next };
}

type Counted = HistoryPage & { count: number };

async function samplesPage(query: HistoryQuery, archive: Archive): Promise<Counted> {
  const { deviceId, attributes, from, to, limit, initial } = query;
  const page = pageFor(query, false);
  const add = (samples: readonly ArchivedSample[]): void => {
    for (const sample of samples) {
      if (isRedacted(query, sample.attribute)) continue;
      page.add(sample.at, sample.attribute, jsonOf(storedOf(sample)));
    }
  };
  if (initial) {
    const before = await archive.lastBefore({ deviceId, attributes, at: from });
    add(before.filter(({ kind }) => kind !== "removed").sort((a, b) => a.at - b.at));
  }
  const found = await wholeMoments(archive, { deviceId, attributes, from, to, limit });
  add(found.samples);
  return { text: page.end(), next: found.next, count: found.samples.length };
}

/** A page never splits a millisecond. */
async function wholeMoments(
  archive: Archive,
  wanted: Parameters<Archive["samples"]>[0],
): Promise<{ samples: ArchivedSample[]; next: number | undefined }> {
  const { limit } = wanted;
  const samples = await archive.samples({ ...wanted, limit: limit + 1 });
  const next = samples[limit]?.at;
  if (next === undefined) return { samples, next };
  if (samples[limit - 1]?.at !== next) return { samples: samples.slice(0, limit), next };
  const rest = await archive.samples({ ...wanted, from: next, to: next + 1, limit: 10 * limit });
  return { samples: [...samples.filter(({ at }) => at < next), ...rest], next: next + 1 };
}

async function bucketsPage(query: HistoryQuery, all: readonly number[], archive: Archive): Promise<Counted> {
  const { deviceId, from, to, aggregate, limit } = query;
  const page = pageFor(query, true);
  const attributes = (await archive.attributes({ deviceId, attributes: query.attributes }))
    .filter((attribute) => !isRedacted(query, attribute))
    .sort();
  if (attributes.length === 0) return { text: page.end(), next: undefined, count: 0 };
  const starts = all.slice(0, Math.max(1, Math.floor(limit / attributes.length)));
  const next = all[starts.length];
  const end = next ?? to;
  const [before, summaries] = await Promise.all([
    archive.lastBefore({ deviceId, attributes, at: from }),
    archive.summaries({ deviceId, attributes, from, to: end, starts }),
  ]);
  const previous = new Map(before.map((sample) => [sample.attribute, sampleOf(sample)]));
  const byAttribute = Map.groupBy(summaries, ({ last }) => last.attribute);
  const rows = attributes.map((attribute) =>
    aggregateBuckets(
      (byAttribute.get(attribute) ?? []).map((summary) => summaryOf(summary, starts[summary.bucket + 1] ?? end)),
      { starts, from, to: end, aggregate, lastBefore: () => previous.get(attribute) },
    ),
  );
  let count = 0;
  for (const [index, start] of starts.entries()) {
    for (const [order, attribute] of attributes.entries()) {
      const bucket = rows[order]?.[index];
      if (bucket) page.add(start, attribute, bucket.json, bucket.count);
      if (bucket) count++;
    }
  }
  return { text: page.end(), next, count };
}

/** `until`: the end of its bucket. */
function summaryOf({ at, count, min, max, mean, meanMs, last }: ArchivedSummary, until: number): HourSummary {
  const sample = sampleOf(last);
  return {
    ...{ at, until, count, sample, weightMs: meanMs },
    min: min ?? Number.POSITIVE_INFINITY,
    max: max ?? Number.NEGATIVE_INFINITY,
    sum: weighted(mean ?? 0, meanMs),
    last: last.kind === "number" || last.kind === "boolean" ? Number(last.value) : undefined,
  };
}

function sampleOf(archived: ArchivedSample): Sample {
  return { at: archived.at, n: 0, ...storedOf(archived) };
}

const TYPES = { number: null, text: null, boolean: BOOLEAN, json: JSON_TEXT, removed: REMOVED } as const;

function storedOf({ kind, value }: ArchivedSample): Pick<Sample, "value" | "type"> {
  return { value, type: TYPES[kind] };
}

/** Two pages as one. */
function joined(first: string, second: string, format: HistoryQuery["format"]): string {
  if (format === "csv") return first + second.slice(second.indexOf("\n") + 1);
  const items = [first, second].map((text) => text.slice(1, -1)).filter((text) => text !== "");
  return `[${items.join(",")}]`;
}
