// What checks read from a state database beside the hub.
import { expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { openAreas } from "../../../src/house/state/areas.ts";
import { openRegistry } from "../../../src/house/state/registry.ts";
import { silentLog } from "../../../src/kit/lifecycle/log.ts";
import { knownAttributes, knownIds, knownVariables } from "../../../src/server/db/known-ids.ts";
import { openStateDb } from "../../../src/server/db/state-db.ts";
import { createTemporaryFolder } from "../../support/temporary-folder.ts";
import { createVirtualClock } from "../../support/virtual-clock.ts";

test("devices with their attributes, scenes and variables, also with a row that cannot be read", () => {
  using folder = createTemporaryFolder();
  const path = folder.at("state.redb");
  using db = openStateDb(path, () => 0);
  db.durable.run(
    "INSERT INTO devices (id, plugin_id, name, created_at) VALUES ('lamp', 'p', 'Lamp', 0), ('x', 'p', 'X', 0), ('new', 'p', 'New', 0)",
  );
  db.durable.run(
    "INSERT INTO device_state (device_id, available, attributes, last_changed) VALUES ('lamp', 1, '{\"on\":true}', '{}'), ('x', 1, 'broken', '{}')",
  );
  db.durable.run("INSERT INTO variables (name, value, updated_at) VALUES ('guests', '1', 0)");
  expect(knownIds(path, "devices")).toEqual(new Set(["lamp", "x", "new"]));
  expect(knownIds(path, "scenes")).toEqual(new Set());
  expect(knownVariables(path)).toEqual(new Set(["guests"]));
  expect(knownAttributes(path)).toEqual(
    new Map([
      ["lamp", ["on"]],
      ["x", []],
      ["new", []],
    ]),
  );
});

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

test("nothing is known of a file that is missing or no database", () => {
  using folder = createTemporaryFolder();
  writeFileSync(folder.at("text"), "no database");
  for (const path of [folder.at("missing"), folder.at("text")])
    expect([knownIds(path, "devices"), knownVariables(path), knownAttributes(path)]).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
});
