// An archive has what it was sent by the names of then: it is asked for the past of an attribute by its former name.
import type { Archive, ArchivedSample, ArchivedSummary } from "./archive.ts";
import type { RenamedSeries } from "./worker-protocol.ts";

interface Wanted {
  deviceId: string;
  attributes?: readonly string[] | undefined;
}

export function archiveOfRenamed(archive: Archive, renamed: () => Iterable<RenamedSeries>): Archive {
  function ofDevice({ deviceId, attributes: wanted }: Wanted) {
    const all = [...renamed()].filter((one) => one.deviceId === deviceId);
    const present = new Map(all.map(({ from, to }) => [from, to]));
    const former = new Map(all.map(({ from, to }) => [to, from]));
    // All at once, when the device described itself anew.
    const since = Math.max(Number.NEGATIVE_INFINITY, ...all.map(({ at }) => at));
    return {
      since,
      /** What to ask for of the time before. */
      before: wanted?.flatMap((name) => [present.has(name) ? [] : name, former.get(name) ?? []].flat()),
      now: (name: string): string => present.get(name) ?? name,
    };
  }

  return {
    async attributes(wanted) {
      const { since, before, now } = ofDevice(wanted);
      if (since === Number.NEGATIVE_INFINITY) return archive.attributes(wanted);
      const [past, known] = await Promise.all([
        before?.length === 0 ? [] : archive.attributes({ ...wanted, attributes: before }),
        archive.attributes(wanted),
      ]);
      return [...new Set([...past.map(now), ...known])];
    },
    async samples(wanted) {
      const { since, before, now } = ofDevice(wanted);
      const { from, to, limit } = wanted;
      const past =
        from >= since || before?.length === 0
          ? []
          : await archive.samples({ ...wanted, attributes: before, to: Math.min(to, since) });
      const named = past.map((sample) => ({ ...sample, attribute: now(sample.attribute) }));
      if (to <= since || named.length >= limit) return named;
      const rest = { from: Math.max(from, since), limit: limit - named.length };
      return [...named, ...(await archive.samples({ ...wanted, ...rest }))];
    },
    async lastBefore(wanted) {
      const { since, before, now } = ofDevice(wanted);
      const past =
        before?.length === 0 || since === Number.NEGATIVE_INFINITY
          ? []
          : await archive.lastBefore({ ...wanted, attributes: before, at: Math.min(wanted.at, since) });
      const last = new Map(past.map((sample) => [now(sample.attribute), sample]));
      if (wanted.at > since)
        for (const sample of await archive.lastBefore(wanted))
          if (sample.at >= since) last.set(sample.attribute, sample);
      return [...last].map(([attribute, sample]): ArchivedSample => ({ ...sample, attribute }));
    },
    async summaries(wanted) {
      const { since, before, now } = ofDevice(wanted);
      const { from, to, starts } = wanted;
      if (since === Number.NEGATIVE_INFINITY) return archive.summaries(wanted);
      const past =
        from >= since || before?.length === 0
          ? []
          : await archive.summaries({ ...wanted, attributes: before, to: Math.min(to, since) });
      const named = past.map((one) => ({ ...one, last: { ...one.last, attribute: now(one.last.attribute) } }));
      if (to <= since) return named;
      const first = Math.max(
        0,
        starts.findLastIndex((start) => start <= since),
      );
      const rest = await archive.summaries({ ...wanted, from: Math.max(from, since), starts: starts.slice(first) });
      return joined(
        named,
        rest.map((one) => ({ ...one, bucket: one.bucket + first })),
      );
    },
  };
}

/** The bucket in which the name changed is in both. */
function joined(past: readonly ArchivedSummary[], rest: readonly ArchivedSummary[]): ArchivedSummary[] {
  const all = new Map<string, ArchivedSummary>();
  for (const one of [...past, ...rest]) {
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
    ...{ at: a.at, count: a.count + b.count, meanMs },
    ...{ min: pick(Math.min, [a.min, b.min]), max: pick(Math.max, [a.max, b.max]) },
    mean: meanMs > 0 ? sum / meanMs : (b.mean ?? a.mean),
  };
}
