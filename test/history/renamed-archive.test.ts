// What an archive was sent under the former name of an attribute is the past of its present one.
import { expect, test } from "bun:test";
import type { Archive, ArchivedSample } from "../../src/history/archive.ts";
import { archiveOfRenamed } from "../../src/history/renamed-archive.ts";

const SINCE = 50;
const RENAMED = [{ deviceId: "door", from: "contact", to: "open", at: SINCE }];
const sample = (attribute: string, at: number, value: number): ArchivedSample => ({
  ...{ attribute, at, value },
  kind: "boolean",
});
// Until 50, `contact` was true while the door was open.
const SENT = [
  sample("contact", 10, 1),
  sample("contact", 20, 0),
  sample("battery", 30, 1),
  sample("contact", 40, 1),
  sample("battery", 60, 0),
  sample("contact", 60, 1),
  sample("open", 60, 0),
];

/** Answers as a database does. */
const database: Archive = {
  async attributes({ attributes }) {
    return [...new Set(SENT.map(({ attribute }) => attribute))].filter((one) => attributes?.includes(one) ?? true);
  },
  async samples({ attributes, from, to, limit }) {
    const found = SENT.filter(({ attribute }) => attributes?.includes(attribute) ?? true);
    return found.filter(({ at }) => at >= from && at < to).slice(0, limit);
  },
  async lastBefore({ attributes, at: end }) {
    const found = SENT.filter(({ attribute, at }) => at < end && (attributes?.includes(attribute) ?? true));
    return [...new Map(found.map((one) => [one.attribute, one])).values()];
  },
  async summaries({ attributes, from, to, starts }) {
    const found = SENT.filter(({ attribute }) => attributes?.includes(attribute) ?? true);
    const inTime = found.filter(({ at }) => at >= from && at < to);
    const bucketOf = ({ at }: ArchivedSample) => starts.findLastIndex((start) => start <= at);
    return [...Map.groupBy(inTime, (one) => `${bucketOf(one)} ${one.attribute}`).values()].map((group) => {
      const values = group.map(({ value }) => Number(value));
      const [first, last] = [group[0] as ArchivedSample, group.at(-1) as ArchivedSample];
      const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
      return {
        ...{ bucket: bucketOf(first), at: first.at, count: group.length, last, mean, meanMs: 10 * group.length },
        ...{ min: Math.min(...values), max: Math.max(...values) },
      };
    });
  },
};
const archive = archiveOfRenamed(database, () => RENAMED);
const told = (samples: readonly ArchivedSample[]) => samples.map(({ attribute, at, value }) => [attribute, at, value]);
const all = { deviceId: "door", from: 0, to: 100, limit: 100 };

test("samples, with a limit too", async () => {
  const past = [
    ["open", 10, 1],
    ["open", 20, 0],
    ["open", 40, 1],
  ];
  expect(told(await archive.samples({ ...all, attributes: ["open"] }))).toEqual([...past, ["open", 60, 0]]);
  expect(told(await archive.samples({ ...all, attributes: ["contact"] }))).toEqual([["contact", 60, 1]]);
  expect(told(await archive.samples({ ...all, attributes: ["open"], limit: 2 }))).toEqual(past.slice(0, 2));
  expect(told(await archive.samples({ ...all, limit: 3 }))).toEqual([...past.slice(0, 2), ["battery", 30, 1]]);
});

test("attributes, and the last sample before a moment", async () => {
  expect((await archive.attributes({ deviceId: "door" })).sort()).toEqual(["battery", "contact", "open"]);
  expect(await archive.attributes({ deviceId: "door", attributes: ["open"] })).toEqual(["open"]);
  const lastAt = async (at: number) => told(await archive.lastBefore({ deviceId: "door", at })).sort();
  expect(await lastAt(30)).toEqual([["open", 20, 0]]);
  // Nothing was sent since: what it was still holds.
  expect(await lastAt(55)).toEqual([
    ["battery", 30, 1],
    ["open", 40, 1],
  ]);
  expect(await lastAt(100)).toEqual([
    ["battery", 60, 0],
    ["contact", 60, 1],
    ["open", 60, 0],
  ]);
});

test("buckets, with the one in which the name changed", async () => {
  const found = await archive.summaries({ ...all, attributes: ["open"], starts: [0, 30] });
  expect(found.map(({ bucket, count, min, max, mean }) => ({ bucket, count, min, max, mean }))).toEqual([
    { bucket: 0, count: 2, min: 0, max: 1, mean: 0.5 },
    { bucket: 1, count: 2, min: 0, max: 1, mean: 0.5 },
  ]);
  expect(found.at(-1)).toMatchObject({ at: 40, last: { attribute: "open", at: 60 } });
});

test("another device is asked as it is", async () => {
  expect(told(await archive.samples({ ...all, deviceId: "lamp", attributes: ["contact"] }))).toHaveLength(4);
});
