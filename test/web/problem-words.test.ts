// Every alert that the hub can raise has words of the page in both languages, and what it does not know is said as the hub says it.
import "./browser.ts";
import { afterAll, beforeAll, expect, test } from "bun:test";
import { OPTIONAL_PARTS } from "../../src/app/hub/start/part-starter.ts";
import { alertInWords, problemInWords } from "../../src/page/model/text/problem-words.ts";
import { loadLater, setLanguage, textFor } from "../../src/page/texts/index.ts";
import { AlertKind, type Finding } from "../../src/server/alerts/alert.ts";
import { backupWatch } from "../../src/server/alerts/watches/backups.ts";
import { brokerWatch } from "../../src/server/alerts/watches/broker.ts";
import { calendarWatch } from "../../src/server/alerts/watches/calendars.ts";
import { clockWatch } from "../../src/server/alerts/watches/clock.ts";
import { diskWatch } from "../../src/server/alerts/watches/disk.ts";
import { exchangedWatch } from "../../src/server/alerts/watches/exchanged.ts";
import { exportWatch } from "../../src/server/alerts/watches/exports.ts";
import { partsOffWatch } from "../../src/server/alerts/watches/parts-off.ts";
import { pluginWatch } from "../../src/server/alerts/watches/plugins.ts";
import {
  certificateWatch,
  databaseLost,
  floodWatch,
  guessingWatch,
  HISTORY_LOST,
  historyWatch,
  memoryWatch,
  UNCLEAN_STOP,
} from "../../src/server/alerts/watches/process.ts";
import { renamedAttributesWatch } from "../../src/server/alerts/watches/renamed-attributes.ts";
import { standbyWatch, type TwoMachines } from "../../src/server/alerts/watches/standby.ts";
import { createVirtualClock } from "../support/virtual-clock.ts";

const DAY_MS = 86_400_000;
const FAULTS = ["full", "read_only", "failing"] as const;
const off = (): boolean => false;

/** What is said of a second machine in its hour, whatever is wrong with it. */
async function ofTwoMachines(): Promise<Finding[]> {
  const clock = createVirtualClock();
  const well = { name: "ben", version: "1", heard_secs: 1, whole: true, behind_secs: 1, problem: null };
  const lease = { lease: "nats://n1", trouble: "it does not answer" };
  const from = { from: "ada", lost_secs: 9, gone_secs: 12 };
  const all: [Partial<TwoMachines>, "stop" | "continue"][] = [
    [{ machine: { ...well, heard_secs: 400 } }, "stop"],
    [{ machine: { ...well, whole: false } }, "stop"],
    [{ machine: { ...well, problem: "the disk is full" } }, "stop"],
    [{ machine: { ...well, version: "2" } }, "stop"],
    [{ machine: well, ...lease }, "stop"],
    [lease, "stop"],
    [lease, "continue"],
    ...(["handed_over", "gone", "promoted"] as const).map((reason): [Partial<TwoMachines>, "stop"] => [
      { took_over: { ...from, reason } },
      "stop",
    ]),
  ];
  const nothing: TwoMachines = { lease: null, trouble: null, machine: null, took_over: null };
  const watches = all.map(([seen, whenAlone]) =>
    standbyWatch(() => ({ ...nothing, ...seen }), { clock, version: "1", whenAlone }),
  );
  for (const watch of watches) watch.check(off);
  await clock.advance(16 * 60_000);
  return watches.flatMap((watch) => watch.check(off));
}

/** One of every sentence. */
const OFF_PARTS = OPTIONAL_PARTS.map((part) => ({ part, why: "it failed", remedy: "wait", nextTry: 0 }));

async function findings(): Promise<Finding[]> {
  const clock = createVirtualClock(Date.UTC(2026, 5, 1));
  const plugin = { id: "lamp", status: "offline", enabled: true, restarts: 0, last_exit: null };
  const ended = { ...plugin, id: "blinds", last_exit: { reason: "it was killed" } };
  let restarts = 0;
  const down = pluginWatch(() => [plugin, ended], clock);
  const loop = pluginWatch(
    () => [
      { ...plugin, restarts },
      { ...ended, restarts },
    ],
    clock,
  );
  const ahead = clockWatch(clock);
  const behind = clockWatch(clock);
  const backups = { last: () => null, scheduled: true, problem: () => undefined, days: 7, clock, houseSince: () => 0 };
  const disk = { folder: import.meta.dir, freeMb: 1, fault: () => undefined, sparing: off, sampled: () => undefined };
  down.check(off);
  loop.check(off);
  restarts = 9;
  const calendars = calendarWatch(() => [{ id: "family", message: "404", since: 0 }], { mono: () => DAY_MS });
  await clock.advance(121_000);
  clock.step(3_600_000);
  const forward = ahead.check(off);
  behind.check(off);
  clock.step(-7_200_000);
  return [
    ...FAULTS.flatMap((fault) => diskWatch({ ...disk, fault: () => fault, sparing: () => true }).check(off)),
    ...diskWatch({ ...disk, sampled: () => ({ devices: ["meter", "plug"], everySecs: 30 }) }).check(off),
    ...exchangedWatch([
      { file: "data/state.redb", exchanged: () => ({ keptAs: undefined, isWrittenOver: true }) },
    ]).check(off),
    // Nobody fills a disk for this.
    { kind: "disk_nearly_full", severity: "warning", message: "", mend: "", values: { free_mb: 400 } },
    ...exportWatch(() => [{ name: "tsdb", why: "busy", lagMinutes: 61, lost: 3 }]).check(off),
    ...down.check(off),
    ...loop.check(off),
    ...backupWatch({ ...backups, problem: () => "no space" }).check(off),
    ...backupWatch(backups).check(off),
    ...backupWatch({ ...backups, last: () => "2026-01-01T00:00:00Z" }).check(off),
    ...forward,
    ...behind.check(off),
    ...clockWatch(createVirtualClock(0)).check(off),
    ...memoryWatch(() => 5e8, 400).check(off),
    ...partsOffWatch(OFF_PARTS, () => "2026-11-26 20:20").check(off),
    ...floodWatch(() => [{ limit: "max_rate", account: "zigbee", message: "too much" }]).check(off),
    ...guessingWatch(() => ["192.0.2.7"]).check(off),
    ...calendars.check(off),
    ...["away", "refused"].flatMap((kind) =>
      brokerWatch(() => ({ kind, reason: "nobody listens", since: -DAY_MS }), { mono: () => DAY_MS }).check(off),
    ),
    ...certificateWatch(() => clock.now() + 5 * DAY_MS, clock.now, 14).check(off),
    ...certificateWatch(() => clock.now() - DAY_MS, clock.now, 14).check(off),
    ...historyWatch(() => "history.broken", clock).check(off),
    ...renamedAttributesWatch(() => [{ name: "Hall light" }]).check(off),
    databaseLost(undefined, "Restore."),
    databaseLost("state.broken", "Restore."),
    HISTORY_LOST,
    UNCLEAN_STOP,
    ...(await ofTwoMachines()),
  ];
}

beforeAll(loadLater);
afterAll(() => setLanguage("en"));

test.each(["en", "de"] as const)("all are said in %s, with their numbers and names", async (language) => {
  await setLanguage(language);
  const all = await findings();
  const kinds = AlertKind.anyOf.map(({ const: kind }) => kind);
  expect([...new Set(all.map(({ kind }) => kind))].sort()).toEqual([...kinds].sort());
  const foreign = all.flatMap((finding) => {
    const { message, mend } = alertInWords(finding);
    const { kind, variant = "" } = finding;
    const key = variant === "" ? `alert.${kind}` : `alert.${kind}_${variant}`;
    const isOurs = textFor(key) !== undefined && textFor(`alert.${kind}_mend`) !== undefined;
    const isTitled = textFor(`attention.${kind}`) !== undefined;
    return isOurs && isTitled && !/[{}]/.test(message + mend) ? [] : [`${key}: ${message} ${mend}`];
  });
  expect(foreign).toEqual([]);
});

test("what is reported by a hub that knows more is said in its own words", async () => {
  await setLanguage("de");
  const said = { kind: "moon", message: "The moon is down", mend: "Wait." };
  expect(alertInWords(said)).toEqual({ message: "The moon is down", mend: "Wait." });
  expect(problemInWords({ part: "moon" })).toEqual({ part: "moon", mend: undefined });
  expect(problemInWords({ part: "mqtt" }).mend).toContain("Konten");
});
