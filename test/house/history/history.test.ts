// The whole history: events in, answers out, through the real worker.
import { Database } from "bun:sqlite";
import { afterEach, beforeEach, expect, test } from "bun:test";
import { createTemporaryFolder, type TemporaryFolder } from "../../support/temporary-folder.ts";
import { until } from "../../support/wait.ts";
import { type HistoryRig, startHistoryRig } from "./history-rig.ts";

let folder: TemporaryFolder;
let rig: HistoryRig | undefined;
beforeEach(() => {
  folder = createTemporaryFolder();
});
afterEach(async () => {
  await rig?.[Symbol.asyncDispose]();
  rig = undefined;
  folder[Symbol.dispose]();
});

const path = () => folder.at("history.db");
const start = (options: Partial<Parameters<typeof startHistoryRig>[0]> = {}): HistoryRig => {
  rig = startHistoryRig({ path: path(), ...options });
  return rig;
};
const rowsOnDisk = (): number => {
  using db = new Database(path(), { readonly: true });
  return db.query<{ n: number }, []>("SELECT count(*) AS n FROM history").get()?.n ?? 0;
};

test("a reported change is in the next answer, with the time of its report", async () => {
  const { clock, report, ask } = start();
  report("lamp", { on: true, brightness: 10 });
  await clock.advance(7);
  report("lamp", { on: true, brightness: 20 });
  report("lamp", { brightness: 20 });
  report("other", { on: false });
  const found = (await ask()).map(({ timestamp, attribute, value }) => [timestamp.slice(17), attribute, value]);
  expect(found).toEqual([
    ["00.000Z", "brightness", 10],
    ["00.000Z", "on", true],
    ["00.007Z", "brightness", 20],
    ["00.007Z", "on", null],
  ]);
});

test("changes are written once a period", async () => {
  const { clock, history, report, ask } = start();
  await ask();
  report("lamp", { on: true });
  expect(rowsOnDisk()).toBe(0);
  await clock.advance(1000);
  await until("the change is written", () => history.health().samplesRecorded === 1);
  expect(rowsOnDisk()).toBe(1);
  expect(history.health()).toMatchObject({
    recording: true,
    problem: undefined,
    samplesRecorded: 1,
    samplesDropped: 0,
  });
});

test("a write waits until the disk may be written, or the hub stops", async () => {
  const waits: number[] = [];
  const { clock, report, ask } = start({ mayWrite: (waitedMs) => waits.push(waitedMs) > 1e9 });
  report("lamp", { on: true });
  await clock.advance(5000);
  report("lamp", { on: false });
  await clock.advance(5000);
  expect(waits.length).toBe(10);
  expect(waits.at(-1)).toBeGreaterThan(9000);
  expect(await ask()).toHaveLength(2);
  expect(rowsOnDisk()).toBe(0);
  await rig?.[Symbol.asyncDispose]();
  rig = undefined;
  expect(rowsOnDisk()).toBe(2);
});

test("a flood is written at once, and all of it is there after a restart", async () => {
  const { report, ask, clock, history } = start({ mayWrite: () => false });
  for (let index = 0; index < 12_000; index++) {
    report("lamp", { level: index });
    if (index % 1000 === 999) await clock.advance(10);
  }
  await until("most of it is written", () => history.health().samplesRecorded >= 10_000);
  expect(await ask({ from: clock.now() - 25, to: clock.now() })).toHaveLength(2000);
  await rig?.[Symbol.asyncDispose]();
  const again = start();
  expect(await again.ask()).toHaveLength(10_000);
  expect(rowsOnDisk()).toBe(12_000);
});

test("excluded attributes, long values and NaN are not recorded; the last two are logged once and counted", async () => {
  const { report, ask, history, output } = start({ config: { exclude: ["secret*", "*/linkquality", "lamp/debug_*"] } });
  report("secret-camera", { on: true });
  report("lamp", {
    linkquality: 5,
    debug_a: 1,
    debug: 2,
    long: "ü".repeat(4097),
    fits: "ü".repeat(4096),
    odd: Number.NaN,
  });
  report("lamp", { long: "x".repeat(9000), nested: { a: "x".repeat(9000) } });
  const names = (await ask()).map(({ attribute }) => attribute);
  expect([...new Set(names)].sort()).toEqual(["debug", "fits", "odd"]);
  expect(await ask({ deviceId: "secret-camera" })).toEqual([]);
  expect(output.text.match(/is not recorded/g)).toHaveLength(3);
  expect(history.health().samplesDropped).toBe(4);
});

test("a hidden device is not recorded while it is hidden, whatever [history] include says", async () => {
  const hidden = new Set<string>();
  const { report, ask } = start({ config: { include: ["*"] }, isHidden: (id) => hidden.has(id) });
  report("lamp", { level: 1 });
  hidden.add("lamp");
  report("lamp", { level: 2 });
  report("plug", { level: 2 });
  hidden.clear();
  report("lamp", { level: 3 });
  expect((await ask()).map(({ value }) => value)).toEqual([1, 3]);
  expect(await ask({ deviceId: "plug" })).toHaveLength(1);
});

test("a worker that dies is restarted: written samples are there and recording continues", async () => {
  const worker = new URL("./mortal-worker.ts", import.meta.url);
  const { report, ask, clock, history } = start({ worker });
  report("lamp", { level: 1 });
  await clock.advance(1000);
  await until("it is written", () => history.health().samplesRecorded === 1);
  await expect(ask({ deviceId: "fatal" })).rejects.toThrow("the history is restarting");
  expect(history.health().problem).toContain("worker died");
  for (let tries = 0; tries < 3; tries++) await clock.advance(2000);
  report("lamp", { level: 2 });
  const found = await until("it answers again", () => ask().catch(() => undefined));
  expect(found.map(({ value }) => value)).toEqual([1, 2]);
  expect(history.health()).toMatchObject({ recording: true, problem: undefined });
});

test("unacknowledged samples above the limit are dropped, counted and logged once", async () => {
  const { report, history, output, clock } = start();
  // Nothing is acknowledged while this loop blocks the thread.
  for (let index = 0; index < 21; index++) {
    const level = Object.fromEntries(Array.from({ length: 10_000 }, (_, name) => [`a${name}`, index]));
    report("lamp", level);
  }
  expect(history.health().samplesDropped).toBe(10_000);
  expect(output.text.match(/samples are dropped/g)).toHaveLength(1);
  await clock.advance(1000);
  await until("it records all changes again", () => output.text.includes("records all changes again"));
  report("lamp", { a0: "after" });
  await clock.advance(1000);
  expect(history.health().samplesDropped).toBe(10_000);
});

test("old samples are removed hourly, and with them all samples of removed devices", async () => {
  const { report, ask, clock } = start({ config: { retention_days: 1 }, devices: () => ["lamp"] });
  report("lamp", { level: 1 });
  report("gone", { level: 1 });
  await clock.advance(1000);
  report("lamp", { level: 2 });
  for (let hour = 0; hour < 60; hour++) await clock.advance(3_600_000);
  await until("the old ones are gone", async () => (await ask()).length === 1);
  expect(await ask({ deviceId: "gone" })).toEqual([]);
});

test("a disabled history records nothing, and a query says so", async () => {
  const { report, ask, history } = start({ config: { enabled: false } });
  report("lamp", { on: true });
  await expect(ask()).rejects.toThrow("[history] enabled is false");
  expect(history.health()).toMatchObject({ recording: false, problem: undefined });
  expect(() => rowsOnDisk()).toThrow();
});

test("a damaged file is reported in the hub's own log", async () => {
  await Bun.write(path(), "no database ".repeat(1000));
  const { report, ask, output } = start();
  report("lamp", { on: true });
  expect(await ask()).toHaveLength(1);
  await until("it is logged", () => output.text.includes("set aside"));
});
