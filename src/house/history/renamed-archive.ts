// An archive has what it was sent by the names of then: it is asked for the past of an attribute by its former names.
import type { Archive, ArchivedSample, ArchivedSummary } from "./archive.ts";
import type { RenamedSeries } from "./worker-protocol.ts";

interface Wanted {
  deviceId: string;
  attributes?: readonly string[] | undefined;
}

/** A span of time in which no name changed, epoch ms. */
interface Era {
  from: number;
  to: number;
  /** What to ask for; all where undefined. */
  attributes: readonly string[] | undefined;
  /** What is called now what was called so then. */
  now(name: string): string;
}

export function archiveOfRenamed(archive: Archive, renamed: () => Iterable<RenamedSeries>): Archive {
  const of = (wanted: Wanted): RenamedSeries[] => {
    const isWanted = (name: string): boolean => wanted.attributes?.includes(name) ?? true;
    return [...renamed()].filter(
      ({ deviceId, from, to }) => deviceId === wanted.deviceId && (isWanted(from) || isWanted(to)),
    );
  };
  const during = (wanted: Wanted, span: { from: number; to: number }): Era[] =>
    erasOf(of(wanted), wanted.attributes).flatMap((era) => {
      const [from, to] = [Math.max(era.from, span.from), Math.min(era.to, span.to)];
      return from < to && era.attributes?.length !== 0 ? [{ ...era, from, to }] : [];
    });

  return {
    async attributes(wanted) {
      const all = of(wanted);
      const former = all.filter(({ to }) => wanted.attributes?.includes(to) ?? true);
      const attributes = wanted.attributes && [...new Set([...wanted.attributes, ...former.map(({ from }) => from)])];
      const found = await archive.attributes({ ...wanted, attributes });
      const isNow = (name: string): boolean => wanted.attributes?.includes(name) ?? true;
      const now = found.flatMap((name) => former.filter(({ from }) => from === name).map(({ to }) => to));
      return [...new Set([...now, ...found.filter(isNow)])];
    },
    async samples(wanted) {
      const found: ArchivedSample[] = [];
      for (const { now, ...era } of during(wanted, wanted)) {
        const limit = wanted.limit - found.length;
        if (limit <= 0) break;
        for (const sample of await archive.samples({ ...wanted, ...era, limit }))
          found.push({ ...sample, attribute: now(sample.attribute) });
      }
      return found;
    },
    async lastBefore(wanted) {
      const eras = during(wanted, { from: Number.NEGATIVE_INFINITY, to: wanted.at });
      const found = await Promise.all(
        eras.map(async ({ from, to, attributes, now }) => {
          const last = await archive.lastBefore({ ...wanted, attributes, at: to });
          return last.filter(({ at }) => at >= from).map((one) => ({ ...one, attribute: now(one.attribute) }));
        }),
      );
      const last = new Map<string, ArchivedSample>();
      for (const one of found.flat())
        if (one.at >= (last.get(one.attribute)?.at ?? one.at)) last.set(one.attribute, one);
      return [...last.values()];
    },
    async summaries(wanted) {
      const { starts } = wanted;
      const found = await Promise.all(
        during(wanted, wanted).map(async ({ now, ...era }) => {
          const first = Math.max(
            0,
            starts.findLastIndex((start) => start <= era.from),
          );
          const end = starts.findIndex((start) => start >= era.to);
          const within = starts.slice(first, end < 0 ? undefined : end);
          const all = await archive.summaries({ ...wanted, ...era, starts: within });
          return all.map((one) => ({
            ...one,
            bucket: one.bucket + first,
            last: { ...one.last, attribute: now(one.last.attribute) },
          }));
        }),
      );
      return joined(found.flat());
    },
  };
}

/** Oldest first: there is one more than there are moments at which a name changed. */
function erasOf(renamed: readonly RenamedSeries[], wanted: readonly string[] | undefined): Era[] {
  const moments = [...new Set(renamed.map(({ at }) => at))].sort((a, b) => a - b);
  return [Number.NEGATIVE_INFINITY, ...moments].map((from, index) => {
    const valid = renamed.filter(({ at }) => at > from);
    const present = new Map(valid.map((one) => [one.from, one.to]));
    const namesOf = (name: string): string[] => [
      ...(present.has(name) ? [] : [name]),
      ...valid.filter(({ to }) => to === name).map((one) => one.from),
    ];
    return {
      from,
      to: moments[index] ?? Number.POSITIVE_INFINITY,
      attributes: wanted?.flatMap(namesOf),
      now: (name) => present.get(name) ?? name,
    };
  });
}

/** The bucket in which the name changed is in both. */
function joined(found: readonly ArchivedSummary[]): ArchivedSummary[] {
  const all = new Map<string, ArchivedSummary>();
  for (const one of found) {
    const key = `${one.bucket}\n${one.last.attribute}`;
    const earlier = all.get(key);
    all.set(key, earlier ? together(earlier, one) : one);
  }
  return [...all.values()].sort((a, b) => a.bucket - b.bucket);
}

function together(a: ArchivedSummary, b: ArchivedSummary): ArchivedSummary {
  const pick = (choose: typeof Math.min, values: (number | null)[]): number | null => {
    const numbers = values.filter((value) => value !== null);
    return numbers.length === 0 ? null : choose(...numbers);
  };
  const meanMs = a.meanMs + b.meanMs;
  const sum = (a.mean ?? 0) * a.meanMs + (b.mean ?? 0) * b.meanMs;
  return {
    ...b,
    ...{ at: Math.min(a.at, b.at), count: a.count + b.count, meanMs },
    last: b.last.at < a.last.at ? a.last : b.last,
    ...{ min: pick(Math.min, [a.min, b.min]), max: pick(Math.max, [a.max, b.max]) },
    mean: meanMs > 0 ? sum / meanMs : (b.mean ?? a.mean),
  };
}
