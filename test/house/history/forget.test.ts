// What was recorded of an attribute before its device said that it is a password.
import { afterEach, beforeEach, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { createTemporaryFolder, type TemporaryFolder } from "../../support/temporary-folder.ts";
import { startHistoryRig } from "./history-rig.ts";
import { createStoreRig, type StoreRig, T0 } from "./store-rig.ts";

const PASSWORD = "hunter2-and-more";
let folder: TemporaryFolder;
beforeEach(() => {
  folder = createTemporaryFolder();
});
afterEach(() => folder[Symbol.dispose]());

const path = (): string => folder.at("history.db");

/** Compacted, written, and waiting. */
function recorded(): StoreRig {
  const rig = createStoreRig({ path: path() });
  rig.record("wifi", T0 + 1000, PASSWORD);
  rig.record("uptime", T0 + 1000, 1);
  rig.compact();
  rig.record("wifi", T0 + 2000, `${PASSWORD}2`);
  rig.flush();
  rig.record("wifi", T0 + 3000, `${PASSWORD}3`);
  rig.record("uptime", T0 + 3000, 3);
  rig.record("wifi", T0 + 3000, "net", "other");
  return rig;
}

const valuesOf = (rig: StoreRig, query: object = {}): unknown[] => rig.ask(query).map(({ value }) => value);

test("nobody without the right to secrets reads it, whatever it is called", () => {
  const rig = recorded();
  expect(valuesOf(rig, { withoutSecrets: true, secrets: ["wifi"] })).toEqual([1, 3]);
  expect(valuesOf(rig, { secrets: ["wifi"], attributes: ["wifi"] })).toHaveLength(3);
  rig.at = { ...rig.at, now: T0 + 60_000 };
  const bucketed = { bucketMs: 60_000, aggregate: "last", to: T0 + 60_000, from: T0 } as const;
  expect(valuesOf(rig, { ...bucketed, withoutSecrets: true, secrets: ["wifi"] })).toEqual([3]);
});

test("it is removed, from the file as well; the rest stays", () => {
  const rig = recorded();
  rig.store.forget([
    { deviceId: "lamp", attribute: "wifi" },
    { deviceId: "gone", attribute: "pin" },
  ]);
  rig.store.renameAll(rig.at);
  expect([valuesOf(rig), valuesOf(rig, { deviceId: "other" })]).toEqual([[1, 3], ["net"]]);
  rig.compact();
  rig.reopen();
  expect([valuesOf(rig), valuesOf(rig, { deviceId: "other" })]).toEqual([[1, 3], ["net"]]);
  rig.store.close(rig.at);
  expect(readFileSync(path()).includes(PASSWORD)).toBe(false);
});

test("what has nothing to forget is not written", () => {
  const rig = createStoreRig({ path: path() });
  rig.record("uptime", T0 + 1000, 1);
  rig.store.forget([{ deviceId: "lamp", attribute: "wifi" }]);
  rig.store.renameAll(rig.at);
  expect([rig.store.renameDue, rig.store.health.waiting]).toEqual([false, 1]);
});

test("at the start, and within the hour of becoming one, what was recorded of a password goes", async () => {
  const passwords: { deviceId: string; attribute: string }[] = [];
  await using rig = startHistoryRig({ path: path(), passwords: () => passwords });
  rig.report("lamp", { wifi: PASSWORD, uptime: 1 });
  await rig.history.flush();
  expect((await rig.ask()).map(({ value }) => value)).toContain(PASSWORD);
  passwords.push({ deviceId: "lamp", attribute: "wifi" });
  await rig.clock.advance(3_600_000);
  expect((await rig.ask()).map(({ attribute }) => attribute)).toEqual(["uptime"]);
});
