// Commands for devices: what is refused at once, and what is reported of those that come to nothing.
import { describe, expect, test } from "bun:test";
import { randomBytes } from "node:crypto";
import { refusalIn, startCommandWatch } from "../../../../src/house/state/commands/command-watch.ts";
import { createCommands } from "../../../../src/house/state/commands/commands.ts";
import { openRegistry } from "../../../../src/house/state/registry.ts";
import { silentLog } from "../../../../src/kit/lifecycle/log.ts";
import { HubError } from "../../../../src/kit/schema/errors.ts";
import type { JsonObject } from "../../../../src/kit/schema/json.ts";
import type { HubEvent } from "../../../../src/server/events/catalog.ts";
import { openTestState } from "../../../support/state-db.ts";
import { createTemporaryFolder } from "../../../support/temporary-folder.ts";
import { createVirtualClock } from "../../../support/virtual-clock.ts";

const ANN = { kind: "user", id: "u1", name: "ann" };
const LAMP = {
  type: "object",
  properties: {
    start: { type: "string", format: "time" },
    on: { type: "boolean" },
    brightness: { type: "number", minimum: 0, maximum: 254 },
    warmth: { type: "number", minimum: 153, unit: "mired" },
    effect: { type: "string", enum: ["blink", "breathe"] },
    mode: { anyOf: [{ const: "off" }, { const: 1 }] },
    power: { type: "number", unit: "W", readOnly: true },
    identify: { type: "string", enum: ["identify"], writeOnly: true },
  },
};

function rig({
  timeoutSecs = 10,
  dispatch = async () => {},
}: {
  timeoutSecs?: number;
  dispatch?: () => Promise<void>;
} = {}) {
  using stack = new DisposableStack();
  const clock = createVirtualClock();
  const db = stack.use(openTestState(stack.use(createTemporaryFolder()).at("state.redb"), clock.now));
  const events: HubEvent[] = [];
  const warned: string[] = [];
  const emit = (event: HubEvent) => void events.push(event);
  const log = { ...silentLog, warn: (_: string, fields: object = {}) => void warned.push(JSON.stringify(fields)) };
  const registry = stack.use(openRegistry({ db, clock, log: silentLog, emit, flushSecs: 1 }));
  const answered: [string, number][] = [];
  const onAnswered = (seconds: number, pluginId: string) => void answered.push([pluginId, seconds]);
  const watch = stack.use(startCommandWatch({ registry, clock, log, emit, timeoutSecs, onAnswered }));
  const wire = { connected: true, dispatched: 0 };
  const commands = createCommands({
    ...{ registry, clock, random: randomBytes, emit, watch },
    async dispatch() {
      await dispatch();
      wire.dispatched++;
    },
    reaches: () => wire.connected,
    prepare: () => () => {},
  });
  const parts = stack.move();
  const report = (id: string, attributes: JsonObject, more: object = {}) =>
    registry.state(id, attributes, { pluginId: "zigbee", partial: true, ...more });
  report("lamp", { on: false, brightness: 10, power: 0 });
  return {
    ...{ clock, registry, commands, watch, wire, warned, report, answered },
    send: (command: JsonObject, id = "lamp") => commands.send(id, command, ANN),
    failures: () => events.filter((event) => event.type === "device_command_failed"),
    types: () => events.map(({ type }) => type),
    [Symbol.dispose]: () => parts[Symbol.dispose](),
  };
}

describe("what the device says it does not take is refused, and nothing is sent", () => {
  const refusalOf = async (command: JsonObject, described: "schema" | "capabilities" = "schema") => {
    using house = rig();
    if (described === "schema") house.registry.schema("lamp", LAMP, "zigbee");
    else house.registry.register({ device_id: "lamp", capabilities: LAMP }, "zigbee");
    const error = await house.send(command).then(
      () => undefined,
      (error: unknown) => error,
    );
    expect(house.wire.dispatched).toBe(error ? 0 : 1);
    if (error === undefined) return undefined;
    expect(error).toBeInstanceOf(HubError);
    expect((error as HubError).code).toBe("invalid");
    return (error as HubError).message;
  };

  test.each<[JsonObject, string | undefined]>([
    [{ power: 5 }, "power: the device only reports it"],
    [{ brightness: 255 }, "brightness: must be from 0 to 254, not 255"],
    [{ brightness: -1 }, "brightness: must be from 0 to 254, not -1"],
    [{ warmth: 100 }, "warmth: must be at least 153 mired, not 100"],
    [{ effect: "explode" }, "effect: must be one of blink, breathe"],
    [{ mode: 2, on: true }, "mode: must be one of off, 1"],
    [{ power: 1, brightness: 300 }, "power: the device only reports it; brightness: must be from 0 to 254, not 300"],
    [{ brightness: 254, effect: "blink", mode: "off" }, undefined],
    [{ start: "half past six" }, 'start: must be a time of day such as "06:30" or "06:30:00"'],
    [{ start: "06:30" }, undefined],
    // Some devices take the number for the text.
    [{ mode: "1" }, undefined],
    // What it does not describe only the device can judge.
    [{ on: "toggle", brightness: "max", transition: 3, constructor: 1 }, undefined],
  ])("%j", async (command, message) => {
    expect(await refusalOf(command)).toBe(message);
    expect(await refusalOf(command, "capabilities")).toBe(message);
  });

  test("a description that makes no sense refuses nothing", async () => {
    using house = rig();
    for (const schema of [{ properties: [] }, { properties: { on: true } }, { properties: { on: { enum: [] } } }]) {
      house.registry.schema("lamp", schema as never, "zigbee");
      await house.send({ on: true });
    }
    expect(house.wire.dispatched).toBe(3);
  });
});

describe("a command that nobody takes", () => {
  test("is reported at once, after it was sent", async () => {
    using house = rig();
    house.wire.connected = false;
    const correlation_id = await house.send({ on: true });
    expect(house.failures()).toEqual([
      {
        ...{ type: "device_command_failed", device_id: "lamp", plugin_id: "zigbee", command: { on: true } },
        ...{ source: "user", actor_name: "ann", correlation_id, reason: "not_connected" },
        message: expect.stringContaining('"zigbee" is not connected'),
      },
    ]);
    expect(house.types().slice(-2)).toEqual(["device_command_sent", "device_command_failed"]);
    await house.clock.advance(60_000);
    expect(house.failures()).toHaveLength(1);
  });

  test("is reported also where it asks for what is already so", async () => {
    using house = rig({ timeoutSecs: 0 });
    house.wire.connected = false;
    await house.send({ on: false });
    expect(house.failures()).toHaveLength(1);
  });

  test("and is not reported where sending it failed: whoever sent it knows", async () => {
    using house = rig({ dispatch: () => Promise.reject(new HubError("unavailable", "MQTT is off")) });
    await expect(house.send({ on: true })).rejects.toThrow("MQTT is off");
    house.watch.refused({ deviceId: "lamp", message: "too late" });
    await house.clock.advance(60_000);
    expect(house.types()).not.toContain("device_command_failed");
  });
});

describe("a command without an answer", () => {
  test("is reported when its time is over", async () => {
    using house = rig();
    const correlation_id = await house.send({ on: true });
    house.report("lamp", { power: 0.2 });
    await house.clock.advance(9_999);
    expect(house.failures()).toEqual([]);
    await house.clock.advance(1);
    expect(house.failures()).toMatchObject([
      { reason: "no_answer", correlation_id, message: expect.stringMatching(/nothing was heard.* 10 s.*switched off/) },
    ]);
    expect(house.clock.pending()).not.toContain("command answers");
  });

  test.each<[string, JsonObject]>([
    ["the wanted value", { on: true }],
    ["the wanted attribute, with whatever value", { on: false }],
    ["one of the wanted attributes", { brightness: 20 }],
  ])("has one when the device reports %s", async (_, attributes) => {
    using house = rig();
    await house.send({ on: true, brightness: 20 });
    house.report("lamp", attributes);
    await house.clock.advance(60_000);
    expect(house.failures()).toEqual([]);
  });

  test("has one when a report names it as its cause", async () => {
    using house = rig();
    const correlation_id = await house.send({ on: true });
    house.report("lamp", { power: 3 }, { change: { correlation_id: "another" } });
    house.report("lamp", { power: 4 }, { change: { correlation_id } });
    await house.clock.advance(60_000);
    expect(house.failures()).toEqual([]);
  });

  test("has one that comes while it is still being sent", async () => {
    using house = rig({ dispatch: async () => house.report("lamp", { on: true }) });
    await house.send({ on: true });
    await house.clock.advance(60_000);
    expect(house.failures()).toEqual([]);
  });

  test("has none from what was kept since before", async () => {
    using house = rig();
    await house.send({ on: true });
    house.report("lamp", { on: true }, { retained: true });
    await house.clock.advance(10_000);
    expect(house.failures()).toHaveLength(1);
  });

  test.each<[string, JsonObject]>([
    ["asks for what is already so", { on: false, brightness: 10 }],
    ["is about nothing that the device reports", { transition: 3 }],
    ["is one by name", { command: "toggle" }],
  ])("needs none where it %s", async (_, command) => {
    using house = rig();
    await house.send(command);
    await house.clock.advance(60_000);
    expect(house.failures()).toEqual([]);
  });

  test("needs none for what the schema says is never reported, but for what it says is", async () => {
    using house = rig();
    house.registry.schema("lamp", LAMP, "zigbee");
    await house.send({ identify: "identify" });
    await house.send({ effect: "blink" });
    await house.clock.advance(10_000);
    expect(house.failures()).toMatchObject([{ command: { effect: "blink" } }]);
  });

  test("of a device that has said nothing yet is answered by anything", async () => {
    using house = rig();
    house.registry.register({ device_id: "plug" }, "zigbee");
    await house.send({ on: true }, "plug");
    await house.clock.advance(10_000);
    expect(house.failures()).toMatchObject([{ device_id: "plug", reason: "no_answer" }]);
    await house.send({ on: true }, "plug");
    house.report("plug", { power: 1 });
    await house.clock.advance(60_000);
    expect(house.failures()).toHaveLength(1);
  });

  test("is reported with the time that it took, once, and only where there is one", async () => {
    using house = rig();
    await house.send({ on: true });
    await house.clock.advance(250);
    house.report("lamp", { power: 5 });
    await house.clock.advance(250);
    house.report("lamp", { on: true });
    house.report("lamp", { on: true });
    await house.send({ brightness: 20 });
    await house.clock.advance(60_000);
    house.report("lamp", { brightness: 20 });
    expect(house.answered).toEqual([["zigbee", 0.5]]);
  });

  test("for a position is answered by the movement towards it", async () => {
    using house = rig();
    house.report("blind", { position: 0, moving: "stopped" });
    await house.send({ position: 100 }, "blind");
    house.report("blind", { moving: "opening" });
    await house.clock.advance(60_000);
    expect(house.failures()).toEqual([]);
  });

  test("may come from a device that sleeps", async () => {
    using house = rig();
    house.report("valve", { target_temperature: 20, battery: 80 });
    await house.send({ target_temperature: 21 }, "valve");
    await house.clock.advance(10_000);
    expect(house.failures()).toMatchObject([{ message: expect.stringContaining("it may sleep") }]);
  });

  test("is in the log once until the device answers, and each time in the events", async () => {
    using house = rig();
    for (let n = 0; n < 3; n++) {
      await house.send({ brightness: 100 + n });
      await house.clock.advance(10_000);
    }
    expect([house.failures().length, house.warned.length]).toEqual([3, 1]);
    await house.send({ on: true });
    house.report("lamp", { on: true });
    await house.send({ on: false });
    await house.clock.advance(10_000);
    expect([house.failures().length, house.warned.length]).toEqual([4, 2]);
  });

  test("is forgotten with its device, and with the timeout off", async () => {
    using house = rig();
    await house.send({ on: true });
    house.registry.remove("lamp");
    await house.clock.advance(60_000);
    expect(house.failures()).toEqual([]);
    using patient = rig({ timeoutSecs: 0 });
    await patient.send({ on: true });
    await patient.clock.advance(3_600_000);
    expect(patient.failures()).toEqual([]);
    expect(patient.clock.pending()).not.toContain("command answers");
  });
});

describe("a command that the device's side refuses", () => {
  const refuse = (house: ReturnType<typeof rig>, fields: object) =>
    house.watch.refused(refusalIn({ device_id: "lamp", reason: "it is too hot", ...fields }));

  test.each([10, 0])("is reported with its reason, once (timeout %i s)", async (timeoutSecs) => {
    using house = rig({ timeoutSecs });
    const first = await house.send({ on: true });
    const second = await house.send({ command: "blink" });
    refuse(house, { correlation_id: first });
    refuse(house, { correlation_id: first });
    expect(house.failures()).toMatchObject([{ reason: "refused", message: "it is too hot", correlation_id: first }]);
    refuse(house, {});
    expect(house.failures().at(-1)).toMatchObject({ correlation_id: second, command: { command: "blink" } });
    await house.clock.advance(60_000);
    expect(house.failures()).toHaveLength(2);
  });

  test("is ignored where there is no such command, or it was another device's", async () => {
    using house = rig();
    const correlation_id = await house.send({ on: true });
    refuse(house, { correlation_id: "made up" });
    refuse(house, { correlation_id, device_id: "other" });
    refuse(house, { device_id: 7 });
    expect(house.failures()).toEqual([]);
    house.report("lamp", { on: true });
    refuse(house, { correlation_id });
    expect(house.failures()).toEqual([]);
  });
});

test("what is waited for is bounded: the oldest commands are forgotten", async () => {
  using house = rig();
  for (let n = 0; n < 1200; n++) await house.send({ brightness: 20 + n });
  await house.clock.advance(10_000);
  expect(house.failures()).toHaveLength(1000);
  expect(house.failures()[0]).toMatchObject({ command: { brightness: 220 } });
  const text = "x".repeat(1_000_000);
  for (let n = 0; n < 10; n++) await house.send({ brightness: n, text });
  await house.clock.advance(10_000);
  expect(house.failures().length - 1000).toBeLessThan(5);
});
