import { describe, expect, test } from "bun:test";
import { type Areas, openAreas } from "../../../src/house/state/areas.ts";
import { openRegistry, type Registry } from "../../../src/house/state/registry.ts";
import { silentLog } from "../../../src/kit/lifecycle/log.ts";
import { openTestState } from "../../support/state-db.ts";
import { createTemporaryFolder } from "../../support/temporary-folder.ts";
import { createVirtualClock } from "../../support/virtual-clock.ts";

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

describe("another spelling is the same area", () => {
  const withAreas = () => {
    const folder = createTemporaryFolder();
    const clock = createVirtualClock();
    const db = openTestState(folder.at("state.redb"), clock.now);
    const registry: Registry = openRegistry({
      ...{ db, clock, log: silentLog, emit() {}, flushSecs: 1 },
      areaIdOf: (text, by) => (by === "person" ? areas.idOf(text) : areas.likelyIdOf(text)),
    });
    const areas: Areas = openAreas({ db, registry, clock });
    const areaOf = (id: string) => registry.get(id).area;
    for (const id of ["lamp", "fan", "tv"]) registry.register({ device_id: id }, "zigbee");
    return {
      ...{ areas, registry, areaOf },
      [Symbol.dispose]() {
        registry[Symbol.dispose]();
        db[Symbol.dispose]();
        folder[Symbol.dispose]();
      },
    };
  };

  test("for a person and for plugins, of an area that was made and of one that devices name", () => {
    using house = withAreas();
    const { areas, registry, areaOf } = house;
    areas.create({ name: "Living room" });
    for (const text of ["living room", "Living Room ", "LIVING-ROOM", "living_room"]) {
      registry.edit("lamp", { area: text });
      expect(areaOf("lamp")).toBe("living_room");
    }
    registry.register({ device_id: "tv", area: "Living Room" }, "zigbee");
    expect(areaOf("tv")).toBe("living_room");
    registry.register({ device_id: "fan", area: "Attic" }, "zigbee");
    registry.edit("lamp", { area: "attic" });
    expect(areaOf("lamp")).toBe("Attic");
    expect(areas.create({ name: "ATTIC" })).toMatchObject({ id: "Attic", devices: 2 });
    expect(() => areas.create({ name: "attic" })).toThrow("already");
    registry.edit("lamp", { area: "Büro" });
    expect(areaOf("lamp")).toBe("Büro");
    expect(areas.list().map(({ id }) => id)).toEqual(["Attic", "Büro", "living_room"]);
  });

  test("where two areas are called so, a person is asked which, and a plugin gets the first", () => {
    using house = withAreas();
    const { areas, registry, areaOf } = house;
    areas.create({ id: "a1", name: "Bath" });
    areas.create({ id: "a2", name: "bath" });
    expect(() => registry.edit("lamp", { area: "BATH" })).toThrow('give one of the ids "a1", "a2"');
    registry.register({ device_id: "tv", area: "BATH" }, "zigbee");
    expect(areaOf("tv")).toBe("a1");
    registry.edit("lamp", { area: "bath" });
    expect(areaOf("lamp")).toBe("a2");
  });

  test("and so it is with tags", () => {
    using house = withAreas();
    const { registry } = house;
    registry.edit("lamp", { tags: ["Outside"] });
    expect(registry.edit("tv", { tags: ["outside", "OUTSIDE", "new"] }).tags).toEqual(["Outside", "new"]);
  });
});
