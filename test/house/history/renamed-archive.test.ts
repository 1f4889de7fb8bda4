// What an archive was sent under the former name of an attribute is the past of its present one.
import { expect, test } from "bun:test";
import type { Archive, ArchivedSample } from "../../../src/house/history/archive.ts";
import { archiveOfRenamed } from "../../../src/house/history/renamed-archive.ts";

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
const databaseOf = (SENT: readonly ArchivedSample[]): Archive => ({
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
});
const archive = archiveOfRenamed(databaseOf(SENT), () => RENAMED);
const rowsOf = (samples: readonly ArchivedSample[]) =>
  samples.map(({ attribute, at, value }) => [attribute, at, value]);
const all = { deviceId: "door", from: 0, to: 100, limit: 100 };

test("samples, with a limit too", async () => {
  const past = [
    ["open", 10, 1],
    ["open", 20, 0],
    ["open", 40, 1],
  ];
  expect(rowsOf(await archive.samples({ ...all, attributes: ["open"] }))).toEqual([...past, ["open", 60, 0]]);
  expect(rowsOf(await archive.samples({ ...all, attributes: ["contact"] }))).toEqual([["contact", 60, 1]]);
  expect(rowsOf(await archive.samples({ ...all, attributes: ["open"], limit: 2 }))).toEqual(past.slice(0, 2));
  expect(rowsOf(await archive.samples({ ...all, limit: 3 }))).toEqual([...past.slice(0, 2), ["battery", 30, 1]]);
});

test("attributes, and the last sample before a moment", async () => {
  expect((await archive.attributes({ deviceId: "door" })).sort()).toEqual(["battery", "contact", "open"]);
  expect(await archive.attributes({ deviceId: "door", attributes: ["open"] })).toEqual(["open"]);
  const lastAt = async (at: number) => rowsOf(await archive.lastBefore({ deviceId: "door", at })).sort();
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
  expect(rowsOf(await archive.samples({ ...all, deviceId: "lamp", attributes: ["contact"] }))).toHaveLength(4);
});

// A hub that called `t` otherwise at 20, and a person who called `temp` and `hum` otherwise at 40 and 60.
const TWICE = archiveOfRenamed(
  databaseOf([
    sample("t", 10, 1),
    sample("h", 12, 1),
    sample("temp", 25, 2),
    sample("hum", 32, 3),
    sample("room", 45, 4),
    sample("hum", 50, 5),
    sample("damp", 65, 6),
    sample("room", 70, 7),
  ]),
  () => [
    { deviceId: "door", from: "t", to: "room", at: 20 },
    { deviceId: "door", from: "h", to: "damp", at: 20 },
    { deviceId: "door", from: "temp", to: "room", at: 40 },
    { deviceId: "door", from: "hum", to: "damp", at: 60 },
  ],
);
const ROOM = [10, 25, 45, 70];
const DAMP = [12, 32, 50, 65];

test("attributes of one device that got other names at different times", async () => {
  const timesOf = async (attributes?: string[]) =>
    (await TWICE.samples({ ...all, ...(attributes && { attributes }) })).map(({ attribute, at }) => [attribute, at]);
  const expected = [...ROOM.map((at) => ["room", at]), ...DAMP.map((at) => ["damp", at])];
  expect(await timesOf()).toEqual(expected.sort((a, b) => Number(a[1]) - Number(b[1])));
  expect(await timesOf(["room"])).toEqual(ROOM.map((at) => ["room", at]));
  expect(await timesOf(["damp"])).toEqual(DAMP.map((at) => ["damp", at]));
  for (const name of ["t", "temp", "hum"]) expect(await timesOf([name])).toEqual([]);
  for (const at of [11, 21, 33, 46, 61, 71]) {
    const last = await TWICE.lastBefore({ deviceId: "door", at });
    const lastOf = (times: number[]): number => times.findLast((one) => one < at) ?? 0;
    expect(Object.fromEntries(last.map((one) => [one.attribute, one.at]))).toEqual({
      room: lastOf(ROOM),
      ...(lastOf(DAMP) > 0 && { damp: lastOf(DAMP) }),
    });
  }
  const found = await TWICE.summaries({ ...all, starts: [0, 30] });
  expect(found.map(({ bucket, count, at, last }) => [bucket, last.attribute, count, at, last.at])).toEqual([
    [0, "room", 2, 10, 25],
    [0, "damp", 1, 12, 12],
    [1, "damp", 3, 32, 65],
    [1, "room", 2, 45, 70],
  ]);
  // Former names too: they may have been given again.
  expect(await TWICE.attributes({ deviceId: "door" })).toEqual(expect.arrayContaining(["damp", "room"]));
  expect(await TWICE.attributes({ deviceId: "door", attributes: ["room"] })).toEqual(["room"]);
});
