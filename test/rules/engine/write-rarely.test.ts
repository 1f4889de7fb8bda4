// What rules leave on disk of their own accord, how often they fired and their traces, is written rarely: rules may fire all day.
import { afterEach, beforeEach, expect, test } from "bun:test";
import { silentLog } from "../../../src/kit/lifecycle/log.ts";
import { openRuleStore } from "../../../src/rules/engine/store.ts";
import { openTraceStore } from "../../../src/rules/engine/trace-store.ts";
import type { Trace } from "../../../src/rules/model/trace.ts";
import type { StateDb } from "../../../src/server/db/state-db.ts";
import { openTestState } from "../../support/state-db.ts";
import { createTemporaryFolder, type TemporaryFolder } from "../../support/temporary-folder.ts";
import { createVirtualClock, type VirtualClock } from "../../support/virtual-clock.ts";

const SECOND_MS = 1000;
const MINUTE_MS = 60_000;
let folder: TemporaryFolder;
let clock: VirtualClock;
let db: StateDb;
beforeEach(() => {
  folder = createTemporaryFolder();
  clock = createVirtualClock(Date.parse("2026-01-15T12:00:00Z"));
  db = openTestState(folder.at("state.redb"), clock.now);
});
afterEach(() => {
  db[Symbol.dispose]();
  folder[Symbol.dispose]();
});

const rowOf = (count: number) => () => ({
  ...{ rule_id: "r", last_fired_at: clock.now(), fire_count: count },
  ...{ paused_at: null, paused_ms: null },
});
const countOnDisk = (): number | undefined =>
  db.durable.query<{ fire_count: number }, []>("SELECT fire_count FROM rule_state").get()?.fire_count;
const openStore = () => openRuleStore({ db, clock, log: silentLog, flushMs: 5 * SECOND_MS });

test("how often a rule fired is written within flush_secs, where it fires all the time once a minute, and at the end", async () => {
  {
    using store = openStore();
    store.saveState("r", rowOf(1));
    await clock.advance(5 * SECOND_MS);
    expect(countOnDisk()).toBe(1);
    await clock.advance(25 * SECOND_MS);
    store.saveState("r", rowOf(2));
    await clock.advance(15 * SECOND_MS);
    expect(countOnDisk()).toBe(1);
    await clock.advance(45 * SECOND_MS);
    expect(countOnDisk()).toBe(2);
    store.saveState("r", rowOf(3));
  }
  expect(countOnDisk()).toBe(3);
});

test("what keeps a rule from firing again is written at once, and a hold or a mark within flush_secs", async () => {
  using store = openStore();
  store.saveStateSoon("r", rowOf(1));
  store.saveMark({ id: "m", at: 7 });
  await clock.advance(1);
  expect(countOnDisk()).toBe(1);
  await clock.advance(5 * SECOND_MS);
  expect(store.marks()).toEqual([{ id: "m", at: 7 }]);
});

const traceOf = (n: number): Trace => ({
  ...{ id: `${n}`.padStart(6, "0"), ruleId: "busy", at: n, dryRun: false, outcome: "fired", why: "", endedAt: n },
  ...{ trigger: { type: "hears", label: "", context: {} }, conditions: [], actions: [] },
});

test("the traces of a rule that fires all the time are written every five minutes, and at the end", async () => {
  const kept: string[] = [];
  const seen = new Set<string>();
  const newest = (): string | undefined => store.of("busy")[0]?.id;
  const store = openTraceStore({ db, clock, log: silentLog, maxBytes: 1_000_000 });
  for (let n = 0; n < 120; n++) {
    kept.push(JSON.stringify(traceOf(n)));
    store.changed("busy", () => kept);
    await clock.advance(6 * SECOND_MS);
    seen.add(newest() ?? "none");
  }
  // After the first minute, and twice more in these twelve.
  expect(seen.size).toBe(4);
  store.close();
  expect(newest()).toBe("000119");
  expect(store.of("busy")).toHaveLength(20);
  store[Symbol.dispose]();
});

test("a rule that fired once is on disk after a minute, whatever others do", async () => {
  using store = openTraceStore({ db, clock, log: silentLog, maxBytes: 1_000_000 });
  store.changed("busy", () => [JSON.stringify(traceOf(1))]);
  await clock.advance(MINUTE_MS);
  store.changed("busy", () => [JSON.stringify(traceOf(2))]);
  store.changed("rare", () => [JSON.stringify({ ...traceOf(3), ruleId: "rare" })]);
  await clock.advance(MINUTE_MS);
  expect(store.of("rare")).toHaveLength(1);
  expect(store.of("busy").map(({ id }) => id)).toEqual(["000001"]);
});
