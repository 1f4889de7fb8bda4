import { describe, expect, test } from "bun:test";
import { timeInName } from "../../../../src/copies/backup/places.ts";
import {
  copyNameOf,
  isHouseName,
  newHouseName,
  newHubTag,
  parseCopyName,
  parsePart,
} from "../../../../src/copies/backup/remote/copy-names.ts";
import { otherHubs, surplusOf } from "../../../../src/copies/backup/remote/retention.ts";

const DAY_MS = 86_400_000;
const NOW = Date.UTC(2026, 10, 23, 3, 0, 0);
const KEEP = { daily: 7, weekly: 4, monthly: 12 };
const MINE = "aaaaaa";

const copy = (at: number, hub = MINE) => {
  const parsed = parseCopyName(`hub-backup-${timeInName(at)}-${hub}.zip.age`);
  if (!parsed) throw new Error("a name that is not read");
  return parsed;
};
const nights = (count: number, last = NOW, hub = MINE) =>
  Array.from({ length: count }, (_, index) => copy(last - index * DAY_MS, hub));
const options = { keep: KEEP, now: NOW, hub: MINE, spare: [] };

/** As a hub does it: a backup each night, and what is too many goes. */
function afterNights(count: number, keep = KEEP) {
  let kept: ReturnType<typeof copy>[] = [];
  for (let night = count - 1; night >= 0; night--) {
    const now = NOW - night * DAY_MS;
    kept.push(copy(now));
    const gone = surplusOf(kept, { ...options, keep, now });
    kept = kept.filter(({ name }) => !gone.includes(name));
  }
  return kept.map(({ at }) => new Date(at).toISOString().slice(0, 10));
}

describe("what is kept", () => {
  test("after two years of nights: seven days, four weeks, twelve months", () => {
    const kept = afterNights(730);
    expect(kept.slice(-7)).toEqual(
      nights(7)
        .map(({ at }) => new Date(at).toISOString().slice(0, 10))
        .reverse(),
    );
    expect(new Set(kept.map((day) => day.slice(0, 7))).size).toBe(12);
    expect(kept.length).toBeLessThanOrEqual(7 + 4 + 12);
    expect(kept).toContain("2025-12-31");
  });

  test("days without a backup do not count: after a month of silence, the last seven are still there", () => {
    expect(surplusOf(nights(7, NOW - 30 * DAY_MS), options)).toEqual([]);
  });

  test("several of a day are one", () => {
    const hourly = Array.from({ length: 24 }, (_, hour) => copy(Date.UTC(2026, 10, 22, hour)));
    expect(surplusOf(hourly, options)).toHaveLength(23);
    expect(surplusOf(hourly, options)).not.toContain(hourly.at(-1)?.name);
  });

  test("nothing goes while the clock shows a year before the hub's own; what was copied last never goes", () => {
    expect(surplusOf(nights(100), { ...options, now: 0 })).toEqual([]);
    const old = copy(NOW - 3000 * DAY_MS);
    expect(surplusOf([...nights(100), old], { ...options, spare: [old.name] })).not.toContain(old.name);
  });

  test("copies of a clock that was ahead take nobody's place, and go once there are enough good ones", () => {
    const ahead = nights(9, NOW + 3000 * DAY_MS);
    expect(surplusOf([...ahead, ...nights(3)], options)).toEqual([]);
    expect(surplusOf([...ahead, ...nights(7)], options).sort()).toEqual(ahead.map(({ name }) => name).sort());
  });
});

describe("two hubs that save one house", () => {
  test("nothing of the other goes while it makes some", () => {
    const both = [...nights(60), ...nights(60, NOW - 3600_000, "bbbbbb")];
    expect(otherHubs(both, options)).toEqual(["bbbbbb"]);
    expect(surplusOf(both, options).every((name) => name.includes(MINE))).toBe(true);
  });

  test("after a restore on a new machine, the old one's grow old like one's own", () => {
    const moved = [...nights(3), ...nights(60, NOW - 3 * DAY_MS, "bbbbbb")];
    expect(otherHubs(moved, options)).toEqual([]);
    expect(surplusOf(moved, options).length).toBeGreaterThan(40);
  });
});

test("names: what is ours is read, and nothing else is", () => {
  const random = (bytes: number) => crypto.getRandomValues(new Uint8Array(bytes));
  expect(isHouseName(newHouseName(random))).toBe(true);
  expect(copyNameOf("hub-backup-2026-11-23T02-30-00Z.zip.age", "aaaaaa")).toBe(
    "hub-backup-2026-11-23T02-30-00Z-aaaaaa.zip.age",
  );
  expect(parseCopyName(`hub-backup-2026-11-23T02-30-00Z-${newHubTag(random)}.zip`)?.encrypted).toBe(false);
  expect(parsePart("hub-backup-2026-11-23T02-30-00Z-aaaaaa.zip.age.part")?.hub).toBe("aaaaaa");
  for (const name of ["mine.zip", "hub-backup-2026-13-23T02-30-00Z-aaaaaa.zip", "hub-backup-2026-11-23T02-30-00Z.zip"])
    expect(parseCopyName(name)).toBeUndefined();
});
