import { expect, test } from "bun:test";
import { silentLog } from "../../src/core/log.ts";
import { knownIds } from "../../src/db/known-ids.ts";
import { openStateDb } from "../../src/db/state-db.ts";
import { openAreas } from "../../src/state/areas.ts";
import { openRegistry } from "../../src/state/registry.ts";
import { createTemporaryFolder } from "../support/temporary-folder.ts";
import { createVirtualClock } from "../support/virtual-clock.ts";

test("an area is known where a person made it or a device is in it", () => {
  using folder = createTemporaryFolder();
  const path = folder.at("state.redb");
  const clock = createVirtualClock();
  using db = openStateDb(path, clock.now);
  using registry = openRegistry({ db, clock, log: silentLog, emit() {}, flushSecs: 1 });
  openAreas({ db, registry, clock }).create({ name: "Attic" });
  registry.register({ device_id: "lamp", area: "Hall" }, "zigbee");
  registry.register({ device_id: "fan" }, "zigbee");
  expect([...(knownIds(path, "areas") ?? [])].sort()).toEqual(["Hall", "attic"]);
  expect([...(knownIds(path, "devices") ?? [])].sort()).toEqual(["fan", "lamp"]);
});

test("without a database, nothing is known", () => {
  expect(knownIds("/nowhere/state.redb", "areas")).toBeUndefined();
});
