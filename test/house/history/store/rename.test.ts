// An attribute that has another name since a newer version of the hub: what was recorded goes on under that name, and what comes since
// under the former one is a series of its own, whoever died meanwhile.
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import type { RenamedNames } from "../../../../src/house/history/history.ts";
import { underPresentNames } from "../../../../src/house/history/store/rename.ts";
import type { RenamedSeries } from "../../../../src/house/history/worker-protocol.ts";
import { openReadingJournal } from "../../../../src/house/state/reading-journal.ts";
import { NO_TROUBLE } from "../../../../src/kit/files/storage-fault.ts";
import { silentLog } from "../../../../src/kit/lifecycle/log.ts";
import { createTemporaryFolder, type TemporaryFolder } from "../../../support/temporary-folder.ts";
import { startHistoryRig } from "../history-rig.ts";
import { createStoreRig, type StoreRig, seconds, T0 } from "../store-rig.ts";

let folder: TemporaryFolder;
beforeEach(() => {
  folder = createTemporaryFolder();
});
afterEach(() => folder[Symbol.dispose]());

const path = (): string => folder.at("history.db");
const RENAMED_AT = T0 + 5000;
const DOOR: RenamedSeries = { deviceId: "door", from: "contact", to: "open", at: RENAMED_AT };

function rename(rig: StoreRig, renamed: RenamedSeries = DOOR): void {
  rig.store.rename([renamed]);
  rig.store.renameAll(rig.at);
}

const of = (rig: StoreRig, attribute: string): unknown[][] =>
  seconds(rig.ask({ deviceId: "door", attributes: [attribute] })).map(([at, , value]) => [at, value]);

describe("the file", () => {
  /** Compacted, written, and waiting. */
  function recorded(): StoreRig {
    const rig = createStoreRig({ path: path() });
    rig.record("contact", T0 + 1000, true, "door");
    rig.compact();
    rig.record("contact", T0 + 2000, false, "door");
    rig.flush();
    rig.record("contact", T0 + 3000, true, "door");
    rig.record("contact", T0 + 3000, false, "other");
    return rig;
  }
  const PAST = [
    [1, true],
    [2, false],
    [3, true],
  ];

  test("all there is of it goes on under the other name; the same of another device stays", () => {
    const rig = recorded();
    rename(rig);
    rig.record("contact", T0 + 6000, true, "door");
    rig.record("open", T0 + 6000, false, "door");
    expect([of(rig, "open"), of(rig, "contact")]).toEqual([[...PAST, [6, false]], [[6, true]]]);
    expect(rig.ask({ deviceId: "other", attributes: ["contact"] })).toHaveLength(1);
    rig.compact();
    rig.reopen();
    expect([of(rig, "open"), of(rig, "contact")]).toEqual([[...PAST, [6, false]], [[6, true]]]);
  });

  test("once more, it changes nothing", () => {
    const rig = recorded();
    rename(rig);
    rig.record("contact", T0 + 6000, true, "door");
    for (let round = 0; round < 2; round++) {
      rename(rig);
      rig.compact();
      rig.reopen();
    }
    expect([of(rig, "open"), of(rig, "contact")]).toEqual([PAST, [[6, true]]]);
  });

  test("where that name has a past, and the former one a present, only what was before moves", () => {
    const rig = recorded();
    rig.record("open", T0 + 500, false, "door");
    rig.record("open", T0 + 2000, "else", "door");
    rig.record("contact", T0 + 6000, true, "door");
    rig.compact();
    rig.record("contact", T0 + 4000, false, "door");
    rig.record("contact", T0 + 7000, false, "door");
    rename(rig);
    const all = of(rig, "open");
    expect(all.map(([at]) => at)).toEqual([0.5, 1, 2, 3, 4]);
    expect(of(rig, "contact")).toEqual([
      [6, true],
      [7, false],
    ]);
    rig.compact();
    rig.reopen();
    expect(of(rig, "open")).toEqual(all);
  });

  test("what only waits in memory moves too, and buckets are of the right values", () => {
    const rig = createStoreRig({ path: path() });
    rig.record("voltage", T0 + 1000, 3005, "door");
    rename(rig, { ...DOOR, from: "voltage", to: "voltage_mv" });
    rig.record("voltage", T0 + 6000, 3.005, "door");
    expect([of(rig, "voltage_mv"), of(rig, "voltage")]).toEqual([[[1, 3005]], [[6, 3.005]]]);
    rig.compact();
    rig.at = { now: T0 + 60_000, mono: 0 };
    const [bucket] = rig.ask({
      deviceId: "door",
      attributes: ["voltage"],
      from: T0,
      to: T0 + 60_000,
      bucketMs: 60_000,
      aggregate: "max",
    });
    expect(bucket?.value).toBe(3.005);
  });

  test("a name that nothing was recorded under makes no series", () => {
    const rig = createStoreRig({ path: path() });
    rename(rig);
    expect(rig.ask({ deviceId: "door" })).toEqual([]);
  });
});

function createNames(): RenamedNames & { rename(one: RenamedSeries): void } {
  const known: RenamedSeries[] = [];
  let reported: (one: RenamedSeries) => void = () => {};
  return {
    list: () => known,
    nameAt: (device, name, at) =>
      known.find((one) => one.deviceId === device && one.from === name && at < one.at)?.to ?? name,
    onAdded(_, listener) {
      reported = listener;
      return { [Symbol.dispose]() {} };
    },
    rename(one) {
      known.push(one);
      reported(one);
    },
  };
}

const NO_TIMER = { name: "", [Symbol.dispose]() {} };
const HUB_CLOCK = { now: () => 0, mono: () => 0, after: () => NO_TIMER, every: () => NO_TIMER };

describe("the history", () => {
  function start(renamed: RenamedNames, first = 1) {
    const journal = openReadingJournal({
      ...{ folder: folder.at("readings"), id: "house", first, clock: HUB_CLOCK, log: silentLog, flushSecs: 5 },
      trouble: NO_TROUBLE,
    });
    const rig = startHistoryRig({ path: path(), journal, renamed });
    const values = async (attribute: string): Promise<unknown[]> =>
      (await rig.ask({ deviceId: "door", attributes: [attribute] })).map(({ value }) => value);
    /** As the registry does it. */
    function say(attributes: Record<string, boolean>): void {
      journal.note({ device: "door", at: rig.clock.now(), set: attributes });
      rig.report("door", attributes);
    }
    return { ...rig, journal, values, say };
  }

  test("of a device that describes itself to the new version: before and after, asked at once", async () => {
    const names = createNames();
    await using rig = start(names);
    rig.say({ contact: true });
    await rig.history.flush();
    await rig.clock.advance(1000);
    rig.say({ contact: false });
    await rig.clock.advance(1000);
    names.rename({ ...DOOR, at: rig.clock.now() });
    rig.say({ contact: true, open: false });
    expect([await rig.values("open"), await rig.values("contact")]).toEqual([[true, false, false], [true]]);
    await rig.history.flush();
    expect([await rig.values("open"), await rig.values("contact")]).toEqual([[true, false, false], [true]]);
  });

  test("an event from before that comes late is still of before", async () => {
    const names = createNames();
    await using rig = start(names);
    names.rename({ ...DOOR, at: rig.clock.now() + 1 });
    rig.report("door", { contact: true });
    expect([await rig.values("open"), await rig.values("contact")]).toEqual([[true], []]);
  });

  test("a hub that was killed just then has each sample once, under its name, also after the next kill", async () => {
    const names = createNames();
    const killed = start(names);
    killed.say({ contact: true });
    await killed.history.flush();
    await killed.clock.advance(1000);
    killed.say({ contact: false });
    await killed.clock.advance(1000);
    const at = killed.clock.now();
    killed.say({ contact: true, open: false });
    expect(killed.journal.journalTail()).toHaveLength(1);
    // What was renamed is known, and the worker has not seen it.
    const again = createNames();
    again.rename({ ...DOOR, at });
    for (const first of [3, 4]) {
      const next = start(again, first);
      expect([await next.values("open"), await next.values("contact")]).toEqual([[true, false, false], [true]]);
    }
  });
});

test("what another machine recorded comes under the present names", () => {
  const names = createNames();
  names.rename(DOOR);
  const samples = [T0 + 4000, 0, 1, 1, T0 + 6000, 0, 0, 1];
  expect(
    underPresentNames(
      [
        ["door", "contact", ...samples],
        ["lamp", "contact", ...samples],
      ],
      names.nameAt,
    ),
  ).toEqual([
    ["door", "open", T0 + 4000, 0, 1, 1],
    ["door", "contact", T0 + 6000, 0, 0, 1],
    ["lamp", "contact", ...samples],
  ]);
});
