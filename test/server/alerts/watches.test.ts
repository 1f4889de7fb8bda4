import { describe, expect, test } from "bun:test";
import type { Watch } from "../../../src/server/alerts/alert.ts";
import { backupWatch } from "../../../src/server/alerts/watches/backups.ts";
import { clockWatch } from "../../../src/server/alerts/watches/clock.ts";
import { type PluginState, pluginWatch } from "../../../src/server/alerts/watches/plugins.ts";
import {
  certificateWatch,
  floodWatch,
  historyWatch,
  memoryWatch,
  startWatch,
  UNCLEAN_STOP,
} from "../../../src/server/alerts/watches/process.ts";
import { createVirtualClock } from "../../support/virtual-clock.ts";

const off = (): boolean => false;
const kinds = (watch: Watch, isRaised: Parameters<Watch["check"]>[0] = off): string[] =>
  watch.check(isRaised).map(({ kind, about }) => (about ? `${kind}:${about}` : kind));
const HOUR_MS = 3600_000;
const DAY_MS = 86_400_000;

describe("plugins", () => {
  const lamp = (over: Partial<PluginState> = {}): PluginState => ({
    ...{ id: "lamp", status: "offline", enabled: true, restarts: 0, last_exit: { reason: "exit code 1" } },
    ...over,
  });

  test("are down after two minutes offline, not while they restart or are disabled", async () => {
    const clock = createVirtualClock();
    let record = lamp();
    const watch = pluginWatch(() => [record], clock);
    expect(kinds(watch)).toEqual([]);
    await clock.advance(119_000);
    expect(kinds(watch)).toEqual([]);
    await clock.advance(2000);
    expect(kinds(watch)).toEqual(["plugin_down:lamp"]);
    expect(watch.check(off)[0]?.message).toContain("exit code 1");
    record = lamp({ status: "active" });
    expect(kinds(watch)).toEqual([]);
    record = lamp({ enabled: false });
    await clock.advance(600_000);
    expect(kinds(watch)).toEqual([]);
  });

  test("that end five times in ten minutes are in a crash loop, until they stop doing so", async () => {
    const clock = createVirtualClock();
    let record = lamp({ status: "starting" });
    const watch = pluginWatch(() => [record], clock);
    for (let restarts = 0; restarts <= 5; restarts++) {
      expect(kinds(watch)).toEqual([]);
      record = lamp({ status: "starting", restarts });
      await clock.advance(60_000);
    }
    expect(kinds(watch)).toEqual(["plugin_crash_loop:lamp"]);
    await clock.advance(600_000);
    record = lamp({ status: "active", restarts: 5 });
    expect(kinds(watch)).toEqual([]);
  });
});

test("each damaged history is an alert for a day", async () => {
  const clock = createVirtualClock();
  let file: string | undefined;
  const watch = historyWatch(() => file, clock);
  expect(kinds(watch)).toEqual([]);
  file = "history.db.damaged-1";
  expect(kinds(watch)).toEqual(["database_lost:history"]);
  expect(watch.check(off)[0]?.message).toContain("history.db.damaged-1");
  await clock.advance(DAY_MS);
  expect(kinds(watch)).toEqual([]);
  file = "history.db.damaged-2";
  expect(watch.check(off)[0]?.message).toContain("history.db.damaged-2");
});

describe("backups", () => {
  const clock = createVirtualClock();
  const options = { last: () => null, scheduled: false, problem: () => undefined, days: 7, clock };

  test("are overdue after the configured days, also the first one of a new house", () => {
    expect(kinds(backupWatch({ ...options, houseSince: () => clock.now() }))).toEqual([]);
    const never = backupWatch({ ...options, houseSince: () => clock.now() - 8 * DAY_MS });
    expect(never.check(off)).toMatchObject([{ kind: "backup_overdue", message: "This house was never backed up" }]);
    expect(never.check(off)[0]?.mend).toContain("[backup] schedule");
    const old = () => new Date(clock.now() - 9 * DAY_MS).toISOString();
    expect(backupWatch({ ...options, last: old, houseSince: () => 0 }).check(off)[0]?.message).toBe(
      "The last backup is 9 days old",
    );
    const fresh = () => new Date(clock.now() - DAY_MS).toISOString();
    expect(kinds(backupWatch({ ...options, last: fresh, houseSince: () => 0 }))).toEqual([]);
  });

  test("a wrong clock makes neither a new house old nor an old backup new", async () => {
    const clock = createVirtualClock();
    const unsure = backupWatch({ ...options, clock, houseSince: () => undefined });
    expect(kinds(unsure)).toEqual([]);
    const ahead = () => new Date(clock.now() + 3650 * DAY_MS).toISOString();
    const watch = backupWatch({ ...options, clock, last: ahead, houseSince: () => 0 });
    expect(kinds(watch)).toEqual([]);
    await clock.advance(8 * DAY_MS);
    expect(kinds(watch)).toEqual(["backup_overdue"]);
  });

  test("that fail are reported at once, with the reason", () => {
    const watch = backupWatch({ ...options, houseSince: () => clock.now(), problem: () => "the disk is full" });
    expect(watch.check(off)[0]?.message).toContain("the disk is full");
  });

  describe("elsewhere", () => {
    const ago = (ms: number): string => new Date(clock.now() - ms).toISOString();
    const well = { name: "cloud", since: ago(30 * DAY_MS), lastSuccess: ago(DAY_MS) };
    const none = { failingSince: null, problem: null, checkProblem: null };
    const found = (more: object) =>
      backupWatch({
        ...{ ...options, houseSince: () => clock.now() },
        targets: () => [{ ...well, ...none, ...more }],
      }).check(off);

    test("an outage is an alert after six hours, with the place, since when, why, and what to do", () => {
      expect(found({})).toEqual([]);
      expect(found({ failingSince: ago(5 * HOUR_MS), problem: "it is full" })).toEqual([]);
      const [alert] = found({ failingSince: ago(7 * HOUR_MS), problem: "it is full" });
      expect(alert).toMatchObject({ kind: "backup_overdue", about: "cloud", severity: "warning" });
      expect(alert?.message).toBe(`No backup has got to cloud since ${ago(7 * HOUR_MS)}: it is full`);
      expect(alert?.mend).toContain("Test");
    });

    test("so is a place where nothing has got to for days, and a copy that is not good", () => {
      expect(found({ lastSuccess: null, since: ago(DAY_MS) })).toEqual([]);
      expect(found({ lastSuccess: null })).toMatchObject([{ variant: "elsewhere" }]);
      expect(found({ checkProblem: "it is damaged" })).toMatchObject([{ severity: "critical", variant: "bad_copy" }]);
    });
  });
});

describe("the clock", () => {
  test("a step is an alert for an hour, a slow drift is none", async () => {
    const clock = createVirtualClock();
    const watch = clockWatch(clock);
    clock.step(60_000);
    expect(kinds(watch)).toEqual([]);
    clock.step(-3_600_000);
    expect(watch.check(off)[0]?.message).toContain("back by 60 minutes");
    await clock.advance(3_599_000);
    expect(kinds(watch)).toEqual(["clock_stepped"]);
    await clock.advance(2000);
    expect(kinds(watch)).toEqual([]);
    clock.step(10 * 365 * DAY_MS);
    expect(watch.check(off)[0]?.message).toContain("forward by 3650 days");
  });

  test("cannot be right before this hub was written", () => {
    expect(kinds(clockWatch(createVirtualClock(Date.UTC(1970, 0, 1))))).toEqual(["clock_stepped"]);
  });
});

test("the memory alert begins at the limit and ends a tenth below", () => {
  let bytes = 399_000_000;
  const watch = memoryWatch(() => bytes, 400);
  expect(kinds(watch)).toEqual([]);
  bytes = 400_000_000;
  expect(kinds(watch)).toEqual(["memory"]);
  bytes = 370_000_000;
  expect(kinds(watch, () => true)).toEqual(["memory"]);
  expect(kinds(watch)).toEqual([]);
  bytes = 359_000_000;
  expect(kinds(watch, () => true)).toEqual([]);
});

test("each limit that an account keeps reaching is an alert of its own", () => {
  const reached = [
    { limit: "[mqtt] max_connections", account: "lamp", message: "refused" },
    { limit: "[mqtt] max_connections", account: "tv", message: "refused" },
  ];
  expect(kinds(floodWatch(() => reached))).toEqual([
    "flood:[mqtt] max_connections lamp",
    "flood:[mqtt] max_connections tv",
  ]);
});

test("a certificate is reported before it expires, and not without TLS", () => {
  const now = (): number => Date.UTC(2026, 0, 1);
  expect(kinds(certificateWatch(() => undefined, now, 14))).toEqual([]);
  expect(kinds(certificateWatch(() => now() + 15 * DAY_MS, now, 14))).toEqual([]);
  expect(certificateWatch(() => now() + 5 * DAY_MS, now, 14).check(off)[0]).toMatchObject({ severity: "warning" });
  expect(certificateWatch(() => now() - DAY_MS, now, 14).check(off)[0]?.message).toContain("has expired");
});

test("the findings of the start are alerts for a day", async () => {
  const clock = createVirtualClock();
  const watch = startWatch([UNCLEAN_STOP], clock);
  expect(kinds(watch)).toEqual(["unclean_stop"]);
  await clock.advance(DAY_MS);
  expect(kinds(watch)).toEqual([]);
});
