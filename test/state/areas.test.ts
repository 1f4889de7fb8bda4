import { describe, expect, test } from "bun:test";
import { silentLog } from "../../src/core/log.ts";
import { type Areas, openAreas } from "../../src/state/areas.ts";
import { openRegistry, type Registry } from "../../src/state/registry.ts";
import { openTestState } from "../support/state-db.ts";
import { createTemporaryFolder } from "../support/temporary-folder.ts";
import { createVirtualClock } from "../support/virtual-clock.ts";

interface Rig extends Disposable {
  areas: Areas;
  registry: Registry;
  /** Rows written so far, in all tables. */
  writes(): number;
  reopen(): Rig;
}

function rig(folder = createTemporaryFolder(), clock = createVirtualClock()): Rig {
  const db = openTestState(folder.at("state.redb"), clock.now);
  const registry = openRegistry({ db, clock, log: silentLog, emit() {}, flushSecs: 1 });
  return {
    areas: openAreas({ db, registry, clock }),
    registry,
    writes: () => db.durable.query<{ n: number }, []>("SELECT total_changes() AS n").get()?.n ?? 0,
    reopen: () => rig(folder, clock),
    [Symbol.dispose]() {
      registry[Symbol.dispose]();
      db[Symbol.dispose]();
      folder[Symbol.dispose]();
    },
  };
}

describe("an area a person makes", () => {
  test("gets an id from its name, and survives a restart", () => {
    using hub = rig();
    const made = hub.areas.create({ name: " Living Room " });
    expect(made).toEqual({ id: "living_room", name: "Living Room", devices: 0, declared: true });
    expect(() => hub.areas.create({ name: "Living-Room" })).toThrow("already");
    hub.areas.create({ name: "Living Room", id: "upstairs" });
    using again = hub.reopen();
    expect(again.areas.list().map(({ id, name }) => [id, name])).toEqual([
      ["living_room", "Living Room"],
      ["upstairs", "Living Room"],
    ]);
  });

  test.each([
    ["a blank name", { name: "   " }, "1 to 200"],
    ["a name without letters", { name: "!?" }, "give one as well"],
    ["an id with a slash", { name: "Attic", id: "a/b" }, "without /"],
  ])("is refused with %s", (_what, area, message) => {
    using hub = rig();
    expect(() => hub.areas.create(area)).toThrow(message);
    expect(hub.areas.list()).toEqual([]);
  });

  test("counts its devices, and is removed from them when it is removed", () => {
    using hub = rig();
    hub.areas.create({ name: "Attic" });
    for (const id of ["lamp", "fan", "tv"]) hub.registry.register({ device_id: id }, "zigbee");
    for (const id of ["lamp", "fan"]) hub.registry.edit(id, { area: "attic" });
    expect(hub.areas.get("attic").devices).toBe(2);
    expect(hub.areas.has("attic")).toBe(true);
    hub.areas.remove("attic");
    expect(hub.areas.has("attic")).toBe(false);
    using again = hub.reopen();
    expect(again.areas.list()).toEqual([]);
    expect([...again.registry.list()].map(({ area }) => area)).toEqual([undefined, undefined, undefined]);
    expect(() => hub.areas.remove("attic")).toThrow('no area "attic"');
  });

  test("is not written if its name stays the same", () => {
    using hub = rig();
    hub.areas.create({ name: "Attic" });
    hub.areas.edit("attic", { name: "Studio" });
    const before = hub.writes();
    expect(hub.areas.edit("attic", { name: "Studio" }).name).toBe("Studio");
    expect(hub.writes()).toBe(before);
  });
});

describe("an area that a plugin sent", () => {
  test("is listed while a device is in it, and stays once a person has named it", () => {
    using hub = rig();
    hub.registry.register({ device_id: "lamp", area: "Ground Floor/Hall" }, "zigbee");
    expect(hub.areas.list()).toEqual([
      { id: "Ground Floor/Hall", name: "Ground Floor/Hall", devices: 1, declared: false },
    ]);
    expect(() => hub.areas.get("Hall")).toThrow('no area "Hall"');
    expect([hub.areas.has("Ground Floor/Hall"), hub.areas.has("Hall")]).toEqual([true, false]);
    hub.areas.edit("Ground Floor/Hall", { name: "Hall" });
    hub.registry.remove("lamp");
    using again = hub.reopen();
    expect(again.areas.list()).toEqual([{ id: "Ground Floor/Hall", name: "Hall", devices: 0, declared: true }]);
  });

  test("disappears with its last device", () => {
    using hub = rig();
    hub.registry.register({ device_id: "lamp", area: "hall" }, "zigbee");
    hub.registry.remove("lamp");
    expect(hub.areas.list()).toEqual([]);
  });

  test("becomes declared when a person makes one with its id or name: there is no second one", () => {
    using hub = rig();
    hub.registry.register({ device_id: "lamp", area: "hall" }, "zigbee");
    hub.registry.register({ device_id: "fan", area: "Dining Room" }, "zigbee");
    expect(hub.areas.create({ name: "Hall" })).toEqual({ id: "hall", name: "Hall", devices: 1, declared: true });
    expect(hub.areas.create({ name: "Dining Room" })).toMatchObject({ id: "Dining Room", devices: 1, declared: true });
    expect(hub.areas.list()).toHaveLength(2);
  });

  test("can be removed: its devices then have no area", () => {
    using hub = rig();
    hub.registry.register({ device_id: "lamp", area: "hall" }, "zigbee");
    hub.areas.remove("hall");
    expect(hub.registry.get("lamp").area).toBeUndefined();
    expect(hub.areas.list()).toEqual([]);
  });
});

test("there are at most a thousand areas; removing one makes another possible", () => {
  using hub = rig();
  for (let count = 0; count < 1000; count++) hub.areas.create({ name: `Area ${count}` });
  expect(() => hub.areas.create({ name: "One more" })).toThrow("there are 1000 areas: remove some");
  hub.areas.edit("area_0", { name: "Another name" });
  hub.areas.remove("area_1");
  expect(hub.areas.create({ name: "One more" }).id).toBe("one_more");
});
