// Devices found by area, tag and type, at the moment the rule runs.
import { describe, expect, test } from "bun:test";
import type { JsonObject } from "../../../src/kit/schema/json.ts";
import { createLookup, fillTemplate } from "../../../src/kit/text/template.ts";
import { openRealRig, written } from "../support/real.ts";
import type { Rig } from "./rig.ts";

function openHouse(): Rig {
  const rig = openRealRig();
  rig.place("hall_lamp", { area: "hall", deviceType: "light", tags: ["xmas"] });
  rig.place("hall_spot", { area: "hall", deviceType: "light", tags: ["xmas", "dim"] });
  rig.place("hall_motion", { area: "hall", deviceType: "motion_sensor" });
  rig.place("kitchen_lamp", { area: "kitchen", deviceType: "light" });
  rig.place("kitchen_fan", { area: "kitchen", deviceType: "fan" });
  for (const id of ["hall_lamp", "hall_spot", "kitchen_lamp", "kitchen_fan"]) rig.report(id, { on: false, level: 10 });
  rig.report("hall_motion", { motion: false });
  return rig;
}

const turnOn = (target: JsonObject): JsonObject => ({ type: "set_device_state", ...target, state: { on: true } });

describe("an action", () => {
  test.each<[JsonObject, string[]]>([
    [{ area: "hall" }, ["hall_lamp", "hall_spot"]],
    [{ area: ["hall", "kitchen"], device_type: "light" }, ["hall_lamp", "hall_spot", "kitchen_lamp"]],
    [{ tag: "dim" }, ["hall_spot"]],
    [{ tag: ["dim", "xmas"], device_type: ["fan", "light"] }, ["hall_lamp", "hall_spot"]],
    [{ device_type: "fan" }, ["kitchen_fan"]],
    [{ area: "kitchen", tag: "xmas" }, []],
  ])("%j commands the devices that fit all of it", async (target, devices) => {
    await using rig = openHouse();
    rig.begin(written("on", { actions: [turnOn(target)] }));
    await rig.engine.run("on");
    expect(rig.commands).toEqual(devices.map((id) => `${id} {"on":true}`));
  });

  test("a device that joins the area counts at once, and one that leaves no longer does", async () => {
    await using rig = openHouse();
    rig.begin(written("on", { actions: [turnOn({ area: "hall", device_type: "light" })] }));
    rig.place("kitchen_lamp", { area: "hall" });
    rig.place("hall_lamp", { area: "kitchen" });
    await rig.engine.run("on");
    expect(rig.commands).toEqual(['hall_spot {"on":true}', 'kitchen_lamp {"on":true}']);
  });

  test("says in the trace that nothing is found, which is no failure", async () => {
    await using rig = openHouse();
    rig.begin(
      written("on", {
        actions: [
          turnOn({ area: "attic", device_type: "light" }),
          turnOn({ device_type: "motion_sensor" }),
          turnOn({ area: "hall" }),
          { type: "capture_device_state", area: "attic" },
          { type: "fade_device", area: "attic", attribute: "level", to: 1, duration_secs: 1 },
        ],
      }),
    );
    const trace = await rig.engine.run("on");
    expect(trace.actions.map(({ result, detail }) => `${result}: ${detail}`)).toEqual([
      "ok: nothing: there is no light in attic at present",
      "ok: nothing: no motion_sensor has such an attribute",
      'ok: hall_lamp, hall_spot {"on":true}; 1 more device in hall without such an attribute',
      "ok: nothing: there is no device in attic at present",
      "ok: nothing: there is no device in attic at present",
    ]);
  });

  test("fade_device fades several devices together, each from where it is", async () => {
    await using rig = openHouse();
    rig.report("hall_spot", { level: 12 });
    rig.begin(
      written("fade", {
        actions: [{ type: "fade_device", area: "hall", attribute: "level", to: 14, duration_secs: "4s" }],
      }),
    );
    const running = rig.engine.run("fade");
    await rig.clock.advance(2000);
    expect(rig.commands).toEqual(['hall_lamp {"level":11}', 'hall_spot {"level":13}', 'hall_lamp {"level":12}']);
    await rig.clock.advance(2000);
    expect(rig.commands.slice(3)).toEqual([
      'hall_lamp {"level":13}',
      'hall_spot {"level":14}',
      'hall_lamp {"level":14}',
    ]);
    await running;
  });
});

describe("a trigger", () => {
  test("on an area fires for the devices that are in it at the time of the event", async () => {
    await using rig = openHouse();
    rig.begin(
      written("lit", {
        triggers: [{ type: "device_state_changed", area: "hall", device_type: "light", attribute: "on", to: true }],
      }),
    );
    const fired = () => rig.engine.state("lit").fire_count;
    rig.report("hall_motion", { on: true });
    rig.report("kitchen_lamp", { on: true });
    expect(fired()).toBe(0);
    rig.report("hall_lamp", { on: true });
    expect(fired()).toBe(1);
    expect(rig.last("lit")).toBe("fired: any light in hall.on to true; there are no conditions");
    rig.place("kitchen_lamp", { area: "hall" });
    rig.report("kitchen_lamp", { on: true });
    expect(fired()).toBe(2);
  });

  test("with a wait keeps time for each device", async () => {
    await using rig = openHouse();
    rig.begin(
      written("long", {
        triggers: [{ type: "device_state_changed", tag: "xmas", attribute: "on", to: true, for: "10s" }],
      }),
    );
    rig.report("hall_lamp", { on: true });
    await rig.clock.advance(5000);
    rig.report("hall_spot", { on: true });
    rig.report("hall_lamp", { on: false });
    await rig.clock.advance(9999);
    expect(rig.engine.state("long").fire_count).toBe(0);
    await rig.clock.advance(1);
    expect(rig.engine.traces("long")[0]?.trigger.context).toMatchObject({ device_id: "hall_spot" });
  });

  test.each([
    [{ type: "device_availability_changed", area: "hall" }, "device_availability_changed", { available: false }],
    [{ type: "device_battery_low", tag: "dim" }, "device_battery_low", { battery_pct: 5, threshold_pct: 20 }],
    [{ type: "device_action", device_type: "light" }, "device_action", { action: "single" }],
    [{ type: "button_event", area: "hall", event: "pressed" }, "device_action", { action: "single" }],
  ] as const)("%j is reported", async (trigger, type, fields) => {
    await using rig = openHouse();
    rig.begin(written("told", { triggers: [trigger] }));
    rig.feed.emit({ type, device_id: "kitchen_fan", ...fields } as never);
    expect(rig.engine.state("told").fire_count).toBe(0);
    rig.feed.emit({ type, device_id: "hall_spot", ...fields } as never);
    expect(rig.engine.state("told").fire_count).toBe(1);
  });
});

test("what a message says beside a press is in conditions, and passed on", async () => {
  await using rig = openHouse();
  rig.begin(
    written("plate", {
      triggers: [{ type: "device_action", device_id: "hall_spot" }],
      conditions: [{ type: "expression", expression: "has(trigger.data.duration) && trigger.data.duration > 2" }],
      actions: [{ type: "notify", channel: "log", message: "seen: {{trigger.data.plate}}" }],
    }),
  );
  const press = (data?: JsonObject) =>
    rig.feed.emit({ type: "device_action", device_id: "hall_spot", action: "seen", ...(data && { data }) });
  press();
  press({ duration: 1, plate: "A" });
  expect(rig.engine.state("plate").fire_count).toBe(0);
  press({ duration: 3, plate: "B" });
  expect(rig.engine.state("plate").fire_count).toBe(1);
  await rig.clock.advance(1);
  const passedOn = rig.engine.traces("plate").find(({ outcome }) => outcome === "fired")?.trigger.context ?? {};
  expect(passedOn).toMatchObject({ data: { duration: 3, plate: "B" } });
  // Messages are filled in where they are sent.
  const [sent = ""] = rig.commands;
  const house = { device: () => undefined, variable: () => undefined, now: () => "", timezone: "UTC" };
  const look = createLookup(house, { deviceId: undefined, trigger: passedOn, vars: {} });
  expect(fillTemplate(sent, look, { onUnknown() {} })).toEqual([{ markup: "log: seen: " }, { value: "B" }]);
});

describe("a condition", () => {
  const ask = async (condition: JsonObject, prepare: (rig: Rig) => void = () => {}) => {
    await using rig = openHouse();
    prepare(rig);
    rig.begin(written("asks", { conditions: [condition] }));
    const [trace] = (await rig.engine.run("asks", { conditions: true })).conditions;
    return trace;
  };
  const isOn = { type: "device_state", attribute: "on", value: true };
  const oneOn = (rig: Rig): void => rig.report("hall_lamp", { on: true });

  test("passes for all, or for any", async () => {
    expect(await ask({ ...isOn, area: "hall" }, oneOn)).toMatchObject({
      passed: false,
      expected: "every device in hall: on is true",
      actual: "1 of 2; not hall_spot",
    });
    expect(await ask({ ...isOn, area: "hall", match: "any" }, oneOn)).toMatchObject({
      passed: true,
      expected: "any device in hall: on is true",
      actual: "1 of 2; not hall_spot",
    });
    expect(await ask({ ...isOn, device_ids: ["hall_lamp", "hall_spot"], match: "any" })).toMatchObject({
      passed: false,
      actual: "0 of 2; not hall_lamp, hall_spot",
    });
  });

  test("the trace begins with the devices that decided", async () => {
    const parts = (await ask({ ...isOn, area: "hall" }, oneOn))?.parts;
    expect(parts?.map(({ expected, passed }) => `${expected} ${passed}`)).toEqual([
      "hall_spot.on is true false",
      "hall_lamp.on is true true",
    ]);
  });

  test("a named device without the attribute does not pass, a found one does not count", async () => {
    const off = { ...isOn, value: false };
    expect(await ask({ ...off, area: "hall" })).toMatchObject({ passed: true, actual: "2 of 2" });
    expect(await ask({ ...off, device_ids: ["hall_lamp", "hall_motion"] })).toMatchObject({
      passed: false,
      actual: "1 of 2; not hall_motion",
    });
  });

  test("without a device it never passes", async () => {
    for (const match of ["all", "any"]) {
      expect(await ask({ ...isOn, op: "Ne", area: "attic", match })).toMatchObject({
        passed: false,
        actual: "nothing: there is no device in attic at present",
      });
    }
  });

  test("time_elapsed asks several devices as well", async () => {
    await using rig = openHouse();
    rig.begin(
      written("still", {
        conditions: [
          { type: "time_elapsed", area: "hall", device_type: "light", attribute: "on", duration_secs: "1m" },
        ],
      }),
    );
    await rig.clock.advance(30_000);
    rig.report("hall_spot", { on: true });
    await rig.clock.advance(30_000);
    const trace = await rig.engine.run("still", { conditions: true });
    expect(trace.conditions[0]).toMatchObject({ passed: false, actual: "1 of 2; not hall_spot" });
  });
});

test.each<[JsonObject, string]>([
  [{ device_id: "a", area: "hall" }, "actions[0].area: finds devices by itself: leave it out, or the ids"],
  [{ area: [] }, "actions[0].area: must be a text or a list of texts"],
  [{}, "actions[0]: give `device_id` or `device_ids`, or find devices by `area`, `tag` or `device_type`"],
])("a target such as %j is refused", (target, problem) => {
  expect(() => written("x", { actions: [turnOn(target)] })).toThrow(problem);
});
