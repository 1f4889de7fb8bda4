import { describe, expect, test } from "bun:test";
import { openRegistry, type Registry } from "../../../src/house/state/registry.ts";
import { silentLog } from "../../../src/kit/lifecycle/log.ts";
import type { HubEvent } from "../../../src/server/events/catalog.ts";
import { openTestState } from "../../support/state-db.ts";
import { createTemporaryFolder } from "../../support/temporary-folder.ts";
import { createVirtualClock, type VirtualClock } from "../../support/virtual-clock.ts";

interface Rig extends Disposable {
  /** Rows written by the connection that syncs each commit. */
  syncedRows(): number;
  registry: Registry;
  events: HubEvent[];
  clock: VirtualClock;
  /** Opens the same files again as after a power cut: nothing was flushed. */
  reopen(): Rig;
}

function rig(folder = createTemporaryFolder(), clock = createVirtualClock()): Rig {
  const db = openTestState(folder.at("state.redb"), clock.now);
  const events: HubEvent[] = [];
  const registry = openRegistry({ db, clock, log: silentLog, emit: (event) => events.push(event), flushSecs: 1 });
  const synced = db.durable.query<{ rows: number }, []>("SELECT total_changes() AS rows");
  const before = synced.get()?.rows ?? 0;
  return {
    syncedRows: () => (synced.get()?.rows ?? 0) - before,
    registry,
    events,
    clock,
    reopen: () => rig(folder, clock),
    [Symbol.dispose]() {
      registry[Symbol.dispose]();
      db[Symbol.dispose]();
      folder[Symbol.dispose]();
    },
  };
}

const whole = (pluginId: string) => ({ pluginId, partial: false });

describe("what a device reports", () => {
  test("becomes state, and is emitted with before, after and what changed", () => {
    using hub = rig();
    hub.registry.state("lamp", { on: false, level: 3 }, whole("zigbee"));
    hub.registry.state("lamp", { on: true, level: 3 }, whole("zigbee"));
    expect(hub.events.at(-1)).toEqual({
      type: "device_state_changed",
      device_id: "lamp",
      previous: { on: false, level: 3 },
      current: { on: true, level: 3 },
      changed: ["on"],
    });
  });

  test("emits nothing if nothing changed", () => {
    using hub = rig();
    hub.registry.state("lamp", { color: { x: 1, y: 2 } }, whole("zigbee"));
    hub.registry.state("lamp", { color: { y: 2, x: 1 } }, whole("zigbee"));
    hub.registry.state("lamp", {}, { pluginId: "zigbee", partial: true });
    expect(hub.events).toHaveLength(1);
  });

  test("is merged if it is partial, and null removes an attribute", () => {
    using hub = rig();
    hub.registry.state("lamp", { on: true, level: 3 }, whole("zigbee"));
    hub.registry.state("lamp", { level: null, power: 5 }, { pluginId: "zigbee", partial: true });
    expect(hub.registry.get("lamp").attributes).toEqual({ on: true, power: 5 });
    expect(Object.keys(hub.registry.get("lamp").lastChanged).sort()).toEqual(["on", "power"]);
  });

  test("contains who caused it", () => {
    using hub = rig();
    const change = { kind: "user", actor_name: "ann" };
    hub.registry.state("lamp", { on: true }, { ...whole("zigbee"), change });
    expect(hub.events.at(-1)).toMatchObject({ change });
  });

  test("is refused from a plugin that does not own the device", () => {
    using hub = rig();
    hub.registry.state("lamp", { on: true }, whole("zigbee"));
    expect(() => hub.registry.state("lamp", { on: false }, whole("other"))).toThrow("belongs to");
    expect(() => hub.registry.unregister("lamp", "other")).toThrow("belongs to");
    expect(hub.registry.get("lamp").attributes).toEqual({ on: true });
  });
});

describe("availability", () => {
  test("a plugin that is gone makes its devices unavailable; the next report makes each available", () => {
    using hub = rig();
    hub.registry.state("lamp", { on: true }, whole("zigbee"));
    hub.registry.unavailable("zigbee");
    hub.registry.state("lamp", { on: true }, whole("zigbee"));
    const changes = hub.events.filter(({ type }) => type === "device_availability_changed");
    expect(changes).toEqual([
      { type: "device_availability_changed", device_id: "lamp", available: false },
      { type: "device_availability_changed", device_id: "lamp", available: true },
    ]);
  });

  test("a device that its plugin reported offline becomes available only when the plugin says so", () => {
    using hub = rig();
    hub.registry.availability("lamp", false, "zigbee");
    hub.registry.state("lamp", { on: true }, whole("zigbee"));
    expect(hub.registry.get("lamp").available).toBe(false);
    hub.registry.availability("lamp", true, "zigbee");
    expect(hub.registry.get("lamp").available).toBe(true);
  });
});

describe("after a restart", () => {
  const GRACE_MS = 120_000;
  const change = (available: boolean, more: object = {}) => ({
    ...{ type: "device_availability_changed", device_id: "lamp", available },
    ...more,
  });

  /** A lamp that was reported, and the hub after its restart. */
  async function restarted(report: (registry: Registry) => void = () => {}) {
    const first = rig();
    first.registry.state("lamp", { on: true }, whole("zigbee"));
    first.registry.state("plug", { on: true }, whole("zigbee"));
    first.registry.state("blind", { position: 0 }, whole("knx"));
    first.registry.register({ device_id: "guests", device_type: "switch" }, "core");
    report(first.registry);
    await first.clock.advance(1000);
    const again = first.reopen();
    const availables = () => [...again.registry.list()].filter(({ available }) => available).map(({ id }) => id);
    const dispose = (): void => {
      again[Symbol.dispose]();
      first[Symbol.dispose]();
    };
    return { ...again, availables, [Symbol.dispose]: dispose };
  }

  test("only the hub's own devices are available, and nothing is said", async () => {
    using hub = await restarted();
    expect(hub.availables()).toEqual(["guests"]);
    expect(hub.events).toEqual([]);
  });

  test("a report or registration brings its own device back, marked as no news", async () => {
    using hub = await restarted();
    hub.registry.state("lamp", { on: true }, whole("zigbee"));
    hub.registry.register({ device_id: "blind" }, "knx");
    expect(hub.availables()).toEqual(["blind", "guests", "lamp"]);
    expect(hub.events[0]).toEqual(change(true, { after_restart: true }) as HubEvent);
    expect(hub.events).toHaveLength(2);
  });

  test("who takes its commands brings back that one alone", async () => {
    using hub = await restarted((registry) => registry.availability("plug", false, "zigbee"));
    expect([...hub.registry.unattended()].map(({ id }) => id).toSorted()).toEqual(["blind", "lamp"]);
    for (const id of ["lamp", "lamp", "plug", "nobody"]) hub.registry.attended(id);
    expect(hub.availables()).toEqual(["guests", "lamp"]);
    expect(hub.events).toEqual([change(true, { after_restart: true }) as HubEvent]);
  });

  test("a sign of life of a plugin brings back all devices that it had", async () => {
    using hub = await restarted((registry) => registry.availability("plug", false, "zigbee"));
    hub.registry.markSeen("zigbee");
    hub.registry.markSeen("zigbee");
    expect(hub.availables()).toEqual(["guests", "lamp"]);
    expect(hub.events).toEqual([change(true, { after_restart: true }) as HubEvent]);
  });

  test("what was not seen in time is reported, once, and so is its return", async () => {
    using hub = await restarted();
    hub.registry.markSeen("knx");
    hub.registry.state("plug", { on: true }, whole("zigbee"));
    await hub.clock.advance(GRACE_MS - 1);
    expect(hub.events).toHaveLength(2);
    await hub.clock.advance(1);
    expect(hub.events.slice(2)).toEqual([change(false) as HubEvent]);
    await hub.clock.advance(10 * GRACE_MS);
    hub.registry.markSeen("zigbee");
    expect(hub.events).toHaveLength(3);
    hub.registry.state("lamp", { on: true }, whole("zigbee"));
    expect(hub.events.slice(3)).toEqual([change(true) as HubEvent]);
  });

  test("a plugin that turns out to be gone takes its devices with it at once", async () => {
    using hub = await restarted();
    hub.registry.unavailable("knx");
    hub.registry.availability("lamp", false, "zigbee");
    expect(hub.events).toEqual([
      { type: "device_availability_changed", device_id: "blind", available: false },
      change(false) as HubEvent,
    ]);
    hub.registry.markSeen("zigbee");
    expect(hub.availables()).toEqual(["guests", "plug"]);
  });

  test("a message that was kept since before is no sign of life, but may say that a device was offline", async () => {
    using hub = await restarted();
    const retained = { retained: true };
    hub.registry.register({ device_id: "lamp" }, "zigbee", retained);
    hub.registry.availability("lamp", true, "zigbee", retained);
    hub.registry.state("lamp", { on: false }, { ...whole("zigbee"), ...retained });
    expect(hub.registry.get("lamp")).toMatchObject({ available: false, attributes: { on: false } });
    hub.registry.availability("plug", false, "zigbee", retained);
    hub.registry.state("new", { on: true }, { ...whole("zigbee"), ...retained });
    expect(hub.availables()).toEqual(["guests"]);
    hub.registry.markSeen("zigbee");
    expect(hub.availables()).toEqual(["guests", "lamp"]);
  });

  test("a broker that stayed up brings back what was there before the hub's restart, also where it comes later than the hub waits, and nothing else", async () => {
    using hub = await restarted();
    const kept = { retained: true, lasting: true };
    await hub.clock.advance(10 * GRACE_MS);
    expect(hub.availables()).toEqual(["guests"]);
    hub.registry.state("lamp", { on: true }, { ...whole("zigbee"), ...kept });
    hub.registry.availability("plug", false, "zigbee", kept);
    hub.registry.state("plug", { on: true }, { ...whole("zigbee"), ...kept });
    expect(hub.availables()).toEqual(["guests", "lamp"]);
  });
});

describe("a broker that stayed up", () => {
  const kept = { retained: true, lasting: true };

  test("makes a device that is new by what it kept available, unless it keeps that it is offline, in either order", () => {
    using hub = rig();
    hub.registry.state("lamp", { on: true }, { ...whole("mqtt"), ...kept });
    hub.registry.register({ device_id: "found" }, "mqtt", kept);
    hub.registry.state("last", { on: true }, { ...whole("mqtt"), ...kept });
    hub.registry.availability("last", false, "mqtt", kept);
    hub.registry.availability("first", false, "mqtt", kept);
    hub.registry.state("first", { on: true }, { ...whole("mqtt"), ...kept });
    expect([...hub.registry.list()].filter(({ available }) => available).map(({ id }) => id)).toEqual([
      "lamp",
      "found",
    ]);
    expect(hub.registry.get("lamp").lastSeen).toBeUndefined();
    hub.registry.state("lamp", { on: false }, { ...whole("mqtt"), ...kept });
    hub.registry.state("last", { on: false }, { ...whole("mqtt"), ...kept });
    expect([...hub.registry.list()].filter(({ available }) => available).map(({ id }) => id)).toEqual([
      "lamp",
      "found",
    ]);
  });
});

describe("names", () => {
  test("a name that a person gave survives registrations and restarts", () => {
    using hub = rig();
    hub.registry.register({ device_id: "lamp", name: "Lamp 1", area: "attic", model: "L1" }, "zigbee");
    hub.registry.edit("lamp", { name: "Reading lamp" });
    hub.registry.register({ device_id: "lamp", name: "Lamp 1", area: "cellar", sw_version: "2" }, "zigbee");
    using again = hub.reopen();
    expect(again.registry.get("lamp")).toMatchObject({
      name: "Reading lamp",
      area: "cellar",
      details: { model: "L1", sw_version: "2" },
    });
    expect(hub.events.filter(({ type }) => type === "device_name_changed")).toEqual([
      { type: "device_name_changed", device_id: "lamp", previous_name: "Lamp 1", name: "Reading lamp" },
    ]);
  });
});

describe("whether it is recorded", () => {
  test("is what a person said, over registrations and restarts", () => {
    using hub = rig();
    hub.registry.register({ device_id: "lamp" }, "zigbee");
    expect(hub.registry.get("lamp").recorded).toBe(true);
    hub.registry.edit("lamp", { history: false });
    hub.registry.register({ device_id: "lamp", name: "Lamp 1" }, "zigbee");
    using again = hub.reopen();
    expect(again.registry.get("lamp")).toMatchObject({ name: "Lamp 1", recorded: false });
    expect(again.registry.edit("lamp", { history: true }).recorded).toBe(true);
  });
});

describe("tags", () => {
  test("are what a person gave, over registrations and restarts", () => {
    using hub = rig();
    hub.registry.register({ device_id: "lamp" }, "zigbee");
    expect(hub.registry.get("lamp").tags).toEqual([]);
    hub.registry.edit("lamp", { tags: ["xmas", "low", "xmas"] });
    hub.registry.register({ device_id: "lamp", name: "Lamp 1" }, "zigbee");
    using again = hub.reopen();
    expect(again.registry.get("lamp")).toMatchObject({ name: "Lamp 1", tags: ["xmas", "low"] });
    expect(again.registry.edit("lamp", { name: "Lamp" }).tags).toEqual(["xmas", "low"]);
    expect(again.registry.edit("lamp", { tags: [] }).tags).toEqual([]);
  });
});

describe("on disk", () => {
  test("devices that a plugin registers are written at once without a sync; what a person edits is synced", () => {
    using hub = rig();
    for (let n = 0; n < 50; n++) {
      hub.registry.register({ device_id: `lamp_${n}`, name: `Lamp ${n}`, area: "Hall" }, "zigbee");
      hub.registry.state(`plug_${n}`, { on: true }, whole("zigbee"));
      hub.registry.schema(`plug_${n}`, { type: "object" }, "zigbee");
    }
    hub.registry.unregister("lamp_0", "zigbee");
    expect(hub.syncedRows()).toBe(0);
    hub.registry.edit("lamp_1", { name: "Reading lamp" });
    expect(hub.syncedRows()).toBe(1);
    using again = hub.reopen();
    expect(again.registry.count()).toBe(99);
    expect(again.registry.get("lamp_1")).toMatchObject({ name: "Reading lamp", area: "Hall", pluginId: "zigbee" });
    expect(again.registry.get("lamp_2")).toMatchObject({ name: "Lamp 2", nameIsUsers: false });
    expect(again.registry.get("plug_7").details.schema).toEqual({ type: "object" });
  });

  test("attributes are written behind", async () => {
    using hub = rig();
    hub.registry.state("lamp", { on: true, tags: ["a"] }, whole("zigbee"));
    {
      using early = hub.reopen();
      expect(early.registry.get("lamp").attributes).toEqual({});
    }
  });

  test("after the period they are on disk, and restored without an event", async () => {
    using hub = rig();
    hub.registry.state("lamp", { on: true, tags: ["a"] }, whole("zigbee"));
    await hub.clock.advance(1000);
    using again = hub.reopen();
    expect(again.registry.get("lamp").attributes).toEqual({ on: true, tags: ["a"] });
    expect(again.events).toEqual([]);
    again.registry.state("lamp", { on: true, tags: ["a"] }, whole("zigbee"));
    expect(again.events.filter(({ type }) => type === "device_state_changed")).toEqual([]);
  });

  test("a removed device stays removed", async () => {
    using hub = rig();
    hub.registry.state("lamp", { on: true }, whole("zigbee"));
    hub.registry.remove("lamp");
    await hub.clock.advance(1000);
    using again = hub.reopen();
    expect(again.registry.count()).toBe(0);
    expect(() => again.registry.get("lamp")).toThrow('no device "lamp"');
  });
});
