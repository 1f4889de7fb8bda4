import { describe, expect, test } from "bun:test";
import { randomBytes } from "node:crypto";
import { startCommandWatch } from "../../../../src/house/state/commands/command-watch.ts";
import { type Commands, createCommands } from "../../../../src/house/state/commands/commands.ts";
import { openScenes, type Scenes } from "../../../../src/house/state/commands/scenes.ts";
import { openRegistry, type Registry } from "../../../../src/house/state/registry.ts";
import { silentLog } from "../../../../src/kit/lifecycle/log.ts";
import type { JsonObject } from "../../../../src/kit/schema/json.ts";
import type { HubEvent } from "../../../../src/server/events/catalog.ts";
import { openTestState } from "../../../support/state-db.ts";
import { createTemporaryFolder } from "../../../support/temporary-folder.ts";
import { createVirtualClock, type VirtualClock } from "../../../support/virtual-clock.ts";

interface Rig extends Disposable {
  scenes: Scenes;
  registry: Registry;
  clock: VirtualClock;
  events: HubEvent[];
  /** Commands sent to plugins. */
  dispatched: { deviceId: string; payload: JsonObject }[];
  writes(): number;
  reopen(): Rig;
}

type Dispatch = (deviceId: string) => Promise<void>;

function rig(arrives: Dispatch = async () => {}, path?: string, clock = createVirtualClock()): Rig {
  using stack = new DisposableStack();
  const file = path ?? stack.use(createTemporaryFolder()).at("state.redb");
  const db = stack.use(openTestState(file, clock.now));
  const events: HubEvent[] = [];
  const emit = (event: HubEvent) => void events.push(event);
  const registry = stack.use(openRegistry({ db, clock, log: silentLog, emit, flushSecs: 1 }));
  const dispatched: Rig["dispatched"] = [];
  const commands: Commands = createCommands({
    registry,
    clock,
    random: randomBytes,
    emit,
    async dispatch(deviceId, payload) {
      await arrives(deviceId);
      dispatched.push({ deviceId, payload });
    },
    reaches: () => true,
    watch: stack.use(startCommandWatch({ registry, clock, log: silentLog, emit, timeoutSecs: 10 })),
    prepare: () => () => {},
  });
  const scenes = openScenes({ db, registry, commands, clock, random: randomBytes, log: silentLog, emit });
  const parts = stack.move();
  return {
    scenes,
    registry,
    clock,
    events,
    dispatched,
    writes: () => db.durable.query<{ n: number }, []>("SELECT total_changes() AS n").get()?.n ?? 0,
    reopen: () => rig(arrives, file, createVirtualClock(clock.now())),
    [Symbol.dispose]: () => parts[Symbol.dispose](),
  };
}

const ann = { kind: "user", id: "u1", name: "ann" };
const whole = { pluginId: "zigbee", partial: false };

describe("a scene", () => {
  test("is stored as it was answered, with a UUID, and survives a restart", () => {
    using hub = rig();
    const states = { lamp: { on: true, color: { x: 0.1 } }, "not here yet": { command: "open" } };
    const made = hub.scenes.create({ name: " Evening ", states });
    expect(made.id).toMatch(/^[0-9a-f-]{36}$/);
    expect(made).toMatchObject({ name: "Evening", states });
    hub.scenes.create({ id: "night", name: "Evening", states: {} });
    using again = hub.reopen();
    expect(
      again.scenes
        .list()
        .map(({ id }) => id)
        .sort(),
    ).toEqual([made.id, "night"].sort());
    expect(again.scenes.get(made.id)).toEqual(made);
    expect(() => hub.scenes.create({ id: "night", name: "Other", states: {} })).toThrow("already");
  });

  test("is changed and removed durably", async () => {
    using hub = rig();
    const { id, createdAt } = hub.scenes.create({ name: "Evening", states: { lamp: { on: true } } });
    await hub.clock.advance(5000);
    hub.scenes.edit(id, { name: "Night" });
    hub.scenes.edit(id, { states: { fan: { on: false } } });
    {
      using again = hub.reopen();
      expect(again.scenes.get(id)).toEqual({
        id,
        name: "Night",
        states: { fan: { on: false } },
        createdAt,
        updatedAt: createdAt + 5000,
      });
    }
    hub.scenes.remove(id);
    using again = hub.reopen();
    expect(again.scenes.list()).toEqual([]);
    expect(() => hub.scenes.remove(id)).toThrow("no scene");
  });

  test("is not written if nothing differs", () => {
    using hub = rig();
    hub.registry.state("lamp", { on: true, level: 3 }, whole);
    const { id, updatedAt } = hub.scenes.create({ name: "Evening", states: { lamp: { on: true, level: 3 } } });
    const before = hub.writes();
    hub.clock.step(1000);
    hub.scenes.edit(id, { name: "Evening ", states: { lamp: { level: 3, on: true } } });
    hub.scenes.capture(id);
    expect(hub.scenes.get(id).updatedAt).toBe(updatedAt);
    expect(hub.writes()).toBe(before);
  });

  test("cannot be changed through the object that was given or returned", () => {
    using hub = rig();
    const states = { lamp: { on: true } };
    const { id } = hub.scenes.create({ name: "Evening", states });
    states.lamp.on = false;
    expect(() => Object.assign(hub.scenes.get(id).states.lamp ?? {}, { on: false })).toThrow();
    expect(hub.scenes.get(id).states).toEqual({ lamp: { on: true } });
  });

  const many = Object.fromEntries(Array.from({ length: 501 }, (_, at) => [`d${at}`, { on: true }]));
  test.each([
    ["an id that cannot be a device's", { "a/b": { on: true } }, "states.a/b"],
    ["a state that is no object", { lamp: true }, "states.lamp: must be an object"],
    ["an empty state", { lamp: {} }, "states.lamp: must be an object with at least one"],
    ["the hub's own key", { lamp: { on: true, _hc: {} } }, "states.lamp._hc"],
    ["501 devices", many, "at most 500"],
    ["more than 64 KiB", { lamp: { text: "x".repeat(66_000) } }, "65536 bytes"],
  ])("is refused with %s", (_what, states, message) => {
    using hub = rig();
    expect(() => hub.scenes.create({ name: "Evening", states })).toThrow(message);
    const { id } = hub.scenes.create({ name: "Evening", states: {} });
    expect(() => hub.scenes.edit(id, { states })).toThrow(message);
    expect(hub.scenes.get(id).states).toEqual({});
  });

  test("is refused with all its problems at once", () => {
    using hub = rig();
    expect(() => hub.scenes.create({ name: "Evening", states: { a: {}, b: { _hc: 1 } } })).toThrow(
      /states\.a.*states\.b/,
    );
  });
});

describe("activating", () => {
  test("commands every device, and emits an event with the scene's name and the actor", async () => {
    using hub = rig();
    for (const id of ["lamp", "fan"]) hub.registry.register({ device_id: id }, "zigbee");
    const { id } = hub.scenes.create({ name: "Evening", states: { lamp: { on: true }, fan: { speed: 2 } } });
    const answer = await hub.scenes.activate(id, ann);
    expect(hub.dispatched).toMatchObject([
      { deviceId: "lamp", payload: { on: true, _hc: { command: { actor_name: "ann" } } } },
      { deviceId: "fan", payload: { speed: 2 } },
    ]);
    const sent = hub.events.flatMap((event) =>
      event.type === "device_command_sent"
        ? [{ device_id: event.device_id, correlation_id: event.correlation_id }]
        : [],
    );
    expect(answer).toEqual({ scene_id: id, sent: sent as never, failed: [] });
    expect(hub.events.at(-1)).toEqual({
      type: "scene_activated",
      scene_id: id,
      scene_name: "Evening",
      source: "user",
      actor_name: "ann",
      sent: sent as never,
      failed: [],
    });
  });

  test("continues past devices that are missing, unavailable or refused, and reports which", async () => {
    using hub = rig(async (deviceId) => {
      if (deviceId === "broken") throw new Error("a bug with /secret/path in it");
    });
    for (const id of ["off", "broken", "lamp"]) hub.registry.register({ device_id: id }, "zigbee");
    hub.registry.availability("off", false, "zigbee");
    const states = { missing: { on: true }, off: { on: true }, broken: { on: true }, lamp: { on: true } };
    const { id } = hub.scenes.create({ name: "Evening", states });
    const { sent, failed } = await hub.scenes.activate(id, ann);
    expect(sent.map(({ device_id }) => device_id)).toEqual(["lamp"]);
    expect(failed.map(({ device_id, code }) => [device_id, code])).toEqual([
      ["missing", "not_found"],
      ["off", "conflict"],
      ["broken", "internal"],
    ]);
    expect(JSON.stringify(failed)).not.toContain("secret");
    expect(hub.events.at(-1)).toMatchObject({ type: "scene_activated", failed });
    const forced = await hub.scenes.activate(id, ann, { force: true });
    expect(forced.sent.map(({ device_id }) => device_id)).toEqual(["off", "lamp"]);
  });

  test("does not wait long for a device that hangs, and does not delay the others", async () => {
    const hangs = Promise.withResolvers<void>();
    using hub = rig((deviceId) => (deviceId === "stuck" ? hangs.promise : Promise.resolve()));
    for (const id of ["stuck", "lamp"]) hub.registry.register({ device_id: id }, "zigbee");
    const { id } = hub.scenes.create({ name: "Evening", states: { stuck: { on: true }, lamp: { on: true } } });
    const activation = hub.scenes.activate(id, ann);
    await hub.clock.advance(4000);
    expect(hub.dispatched.map(({ deviceId }) => deviceId)).toEqual(["lamp"]);
    await hub.clock.advance(1000);
    const { sent, failed } = await activation;
    expect(sent.map(({ device_id }) => device_id)).toEqual(["lamp"]);
    expect(failed).toMatchObject([{ device_id: "stuck", code: "upstream_failed" }]);
    hangs.reject(new Error("too late to matter"));
    await hub.clock.advance(1000);
  });

  test("is refused for a missing scene, without an event", async () => {
    using hub = rig();
    await expect(hub.scenes.activate("nobody", ann)).rejects.toThrow('no scene "nobody"');
    expect(hub.events).toEqual([]);
  });
});

describe("capturing", () => {
  test("updates the attributes of the scene, and leaves commands and attributes that are not reported", () => {
    using hub = rig();
    hub.registry.state("lamp", { on: false, level: 7, power: 3 }, whole);
    const states = {
      lamp: { on: true, level: 100, transition: 2 },
      egg: { command: "start", duration_secs: 300 },
      "not here yet": { on: true },
    };
    const { id } = hub.scenes.create({ name: "Evening", states });
    hub.registry.state("egg", { state: "idle", duration_secs: 60 }, whole);
    hub.scenes.capture(id);
    using again = hub.reopen();
    expect(again.scenes.get(id).states).toEqual({ ...states, lamp: { on: false, level: 7, transition: 2 } });
  });

  test("takes all attributes that can be commanded of a device that is new to the scene", () => {
    using hub = rig();
    const properties = { temperature: { type: "number", readOnly: true }, target: { type: "number" } };
    hub.registry.register({ device_id: "trv", capabilities: { type: "object", properties } }, "zigbee");
    hub.registry.schema("trv", { properties: { valve: { readOnly: true } } }, "zigbee");
    const attributes = {
      temperature: 19,
      target: 21,
      valve: 40,
      battery: 80,
      battery_pct: 80,
      mode: "auto",
      error: null,
    };
    hub.registry.state("trv", attributes, whole);
    hub.registry.state("lamp", { on: true }, whole);
    const { id } = hub.scenes.create({ name: "Evening", states: { fan: { on: true } } });
    expect(hub.scenes.capture(id, ["trv", "lamp", "lamp"]).states).toEqual({
      trv: { target: 21, mode: "auto" },
      lamp: { on: true },
    });
  });

  test("makes a new scene", () => {
    using hub = rig();
    hub.registry.state("lamp", { on: true, level: 3 }, whole);
    const { id } = hub.scenes.captureNew({ name: "As it is", deviceIds: ["lamp"] });
    using again = hub.reopen();
    expect(again.scenes.get(id)).toMatchObject({ name: "As it is", states: { lamp: { on: true, level: 3 } } });
  });

  test("takes on or off from the hub's own switches and modes, and nothing from timers", () => {
    using hub = rig();
    const core = { pluginId: "core", partial: false };
    hub.registry.register({ device_id: "party", device_type: "switch" }, "core");
    hub.registry.register({ device_id: "egg", device_type: "timer" }, "core");
    hub.registry.state("party", { on: false, since: "today" }, core);
    hub.registry.state("egg", { state: "started" }, core);
    expect(hub.scenes.captureNew({ name: "Party", deviceIds: ["party"] }).states).toEqual({ party: { on: false } });
    expect(() => hub.scenes.captureNew({ name: "Eggs", deviceIds: ["party", "egg"] })).toThrow("by hand");
    expect(hub.scenes.list()).toHaveLength(1);
  });

  test("names the device that is unknown, or has nothing a scene could set", () => {
    using hub = rig();
    hub.registry.state("meter", { battery: 5 }, whole);
    const { id } = hub.scenes.create({ name: "Evening", states: { gone: { on: true } } });
    expect(() => hub.scenes.capture(id, ["nobody"])).toThrow('no device "nobody"');
    expect(() => hub.scenes.capture(id, ["gone"])).toThrow('no device "gone"');
    expect(() => hub.scenes.capture(id, ["meter"])).toThrow('"meter" reports nothing');
    expect(hub.scenes.get(id).states).toEqual({ gone: { on: true } });
  });

  test("can be undone: activating sends what was captured", async () => {
    using hub = rig();
    hub.registry.state("lamp", { on: true, level: 3 }, whole);
    const { id } = hub.scenes.captureNew({ name: "As it is", deviceIds: ["lamp"] });
    hub.registry.state("lamp", { on: false, level: 0 }, whole);
    await hub.scenes.activate(id, ann);
    expect(hub.dispatched).toMatchObject([{ deviceId: "lamp", payload: { on: true, level: 3 } }]);
  });
});

test("the memory of all scenes is limited; an edit that takes no more than before always fits", () => {
  using hub = rig();
  const states = { lamp: { text: "x".repeat(60_000) } };
  let made = 0;
  const fill = () => {
    for (; made < 1000; made++) hub.scenes.create({ id: `s${made}`, name: "Full", states });
  };
  expect(fill).toThrow("all scenes together may take 8388608 bytes: remove some");
  expect(made).toBeGreaterThan(100);
  hub.scenes.edit("s0", { states: { lamp: { text: "x".repeat(10_000) } } });
  hub.scenes.create({ id: "fits", name: "Fits", states: { lamp: { text: "x".repeat(40_000) } } });
  hub.scenes.remove("s1");
  hub.scenes.create({ id: "again", name: "Again", states });
});

test("a captured light keeps the one of colour and warmth that it shows, and no settings", () => {
  using house = rig();
  const own = ["on", "brightness", "color", "color_rgb", "color_temp", "color_temp_k"];
  const properties = {
    ...Object.fromEntries(own.map((name) => [name, {}])),
    brightness_pct: { type: "number", derived: true },
    power_on_behavior: { type: "string", category: "config" },
    power: { type: "number", readOnly: true },
  };
  const reported = {
    ...{ on: true, brightness: 200, brightness_pct: 79, power_on_behavior: "previous", power: 3, linkquality: 90 },
    ...{ color: { x: 0.7, y: 0.3 }, color_rgb: "#ff0000", color_temp: 370, color_temp_k: 2703 },
  };
  house.registry.schema("lamp", { properties, additionalProperties: { readOnly: true } }, "zigbee");
  const captured = (color_mode?: string) => {
    house.registry.state("lamp", { ...reported, ...(color_mode && { color_mode }) }, whole);
    return house.scenes.presentStates(["lamp"]).lamp;
  };
  const { color, color_rgb, color_temp, color_temp_k } = reported;
  const both = { on: true, brightness: 200 };
  expect(captured("color_temp")).toEqual({ ...both, color_temp, color_temp_k });
  expect(captured("xy")).toEqual({ ...both, color, color_rgb });
  expect(captured()).toEqual({ ...both, color, color_rgb, color_temp, color_temp_k });
});
