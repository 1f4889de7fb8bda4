// The simulation without a broker: what its devices do with time, commands and chance.
import { describe, expect, test } from "bun:test";
import { type TObject, Type } from "@sinclair/typebox";
import { Value } from "@sinclair/typebox/value";
import fc from "fast-check";
import { door } from "../../plugins/virtual/devices/door.ts";
import { leakSensor } from "../../plugins/virtual/devices/leak-sensor.ts";
import { plainLight, tunableLight } from "../../plugins/virtual/devices/light.ts";
import { motionSensor } from "../../plugins/virtual/devices/motion-sensor.ts";
import { thermostat } from "../../plugins/virtual/devices/thermostat.ts";
import { lightNames } from "../../plugins/virtual/house.ts";
import type { Kind } from "../../plugins/virtual/kind.ts";
import { COLDEST_C, createHouseClock, happens, outsideC, WARMEST_C, type World } from "../../plugins/virtual/world.ts";

const HOUR = 3600;
const DAY = 24 * HOUR;
const world: World = { seed: 1, batteryDrainPctPerDay: 0.5, randomEvents: true };

const worlds = fc.record({
  seed: fc.integer({ min: 0, max: 2 ** 32 - 1 }),
  batteryDrainPctPerDay: fc.double({ min: 0, max: 100, noNaN: true }),
  randomEvents: fc.boolean(),
});
const times = fc.integer({ min: 0, max: 4_000_000_000 });
const lengths = fc.array(fc.integer({ min: 0, max: 2 * DAY }), { maxLength: 20 });

/** Every state on the way through steps of these lengths. */
function through<S>(kind: Kind<S, TObject>, lengthsSecs: readonly number[], in_: World, start = 0): S[] {
  let at = start;
  const states = [kind.initial(at, in_)];
  for (const length of lengthsSecs) {
    const last = states.at(-1) as S;
    states.push(kind.step(last, { fromSecs: at, toSecs: at + length }, in_));
    at += length;
  }
  return states;
}

describe("the thermostat", () => {
  test("speaks the words of all thermostats beside its own", () => {
    const shown = (command: object) =>
      thermostat.attributes(thermostat.apply(thermostat.initial(0, world), command, 0));
    expect(shown({ target_temperature: 25, temperature: 18.04 })).toMatchObject({
      ...{ temperature: 18, current_temperature: 18, setpoint: 25, target_temperature: 25 },
      ...{ mode: "heat", heating: true, action: "heating" },
    });
    expect(shown({ target_temperature: 10 }).action).toBe("idle");
    expect(shown({ mode: "off" }).action).toBe("off");
  });

  const after = (hours: number, command: object, in_ = world, start = 0) => {
    const state = thermostat.apply(thermostat.initial(start, in_), command, start);
    return thermostat.step(state, { fromSecs: start, toSecs: start + hours * HOUR }, in_);
  };

  test("reaches its setpoint from any temperature, or the temperature outside if that is higher", () => {
    const setpoints = fc.integer({ min: 50, max: 300 }).map((tenths) => tenths / 10);
    const temperatures = fc.double({ min: -20, max: 50, noNaN: true });
    fc.assert(
      fc.property(worlds, times, setpoints, temperatures, (in_, start, setpoint, temperature) => {
        const { temperatureC, outsideC } = after(72, { setpoint, temperature, mode: "heat" }, in_, start);
        expect(temperatureC).toBeGreaterThan(setpoint - 0.5);
        // Only warm weather in the hours before can heat the room above the setpoint.
        expect(temperatureC).toBeLessThan(Math.max(setpoint, outsideC + 10) + 0.5);
      }),
    );
  });

  test("stays in the range of its capabilities", () => {
    const commands = fc.record(
      {
        temperature: fc.double({ min: -20, max: 50, noNaN: true }),
        setpoint: fc.double({ min: 5, max: 30, noNaN: true }),
        mode: fc.constantFrom("off" as const, "heat" as const),
      },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(
        worlds,
        times,
        fc.array(fc.tuple(commands, fc.integer({ min: 0, max: DAY }))),
        (in_, start, story) => {
          let at = start;
          let state = thermostat.initial(at, in_);
          for (const [command, secs] of story) {
            state = thermostat.apply(state, command, at);
            state = thermostat.step(state, { fromSecs: at, toSecs: at + secs }, in_);
            at += secs;
            expect(Value.Check(thermostat.capabilities, thermostat.attributes(state))).toBe(true);
          }
        },
      ),
    );
  });

  test("one long step equals many short ones, and the same seed gives the same house", () => {
    const [, whole] = through(thermostat, [DAY], world);
    const parts = through(thermostat, new Array(DAY / 60).fill(60), world).at(-1);
    expect(parts).toEqual(whole as NonNullable<typeof whole>);
    expect(through(thermostat, [DAY], { ...world, seed: 2 })[1]).not.toEqual(whole as NonNullable<typeof whole>);
  });

  test("heats at once when the setpoint is raised, warms slowly, and cools when off", () => {
    const cold = thermostat.apply(thermostat.initial(0, world), { temperature: 18, setpoint: 21 }, 0);
    expect(cold.heating).toBe(true);
    const warmer = thermostat.step(cold, { fromSecs: 0, toSecs: HOUR / 2 }, world).temperatureC;
    expect(warmer).toBeGreaterThan(18.5);
    expect(warmer).toBeLessThan(21);
    const off = after(6, { temperature: 20, mode: "off" });
    expect(off).toMatchObject({ heating: false, mode: "off" });
    expect(off.temperatureC).toBeLessThan(18);
  });
});

test("the weather is warmest by day, stays within its limits and never jumps", () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 2 ** 32 - 1 }), times, (seed, secs) => {
      const now = outsideC(secs, seed);
      expect(now).toBeGreaterThanOrEqual(COLDEST_C);
      expect(now).toBeLessThanOrEqual(WARMEST_C);
      expect(Math.abs(outsideC(secs + 60, seed) - now)).toBeLessThan(0.1);
    }),
  );
  expect(outsideC(15 * HOUR, 1)).toBeGreaterThan(outsideC(4 * HOUR, 1));
});

test.each([
  ["the door's", door],
  ["the leak sensor's", leakSensor],
  ["the motion sensor's", motionSensor],
] as const)("%s battery never grows by itself, loses what it should and ends at 0", (_name, kind) => {
  fc.assert(
    fc.property(worlds, times, lengths, (in_, start, steps) => {
      const levels = through<{ batteryPct: number }>(kind as never, steps, in_, start).map((state) => state.batteryPct);
      for (const [at, level] of levels.entries()) {
        expect(level).toBeLessThanOrEqual(levels[at - 1] ?? 100);
        expect(level).toBeGreaterThanOrEqual(0);
      }
      const passed = steps.reduce((sum, length) => sum + length, 0);
      const expected = Math.max(0, (levels[0] ?? 0) - (in_.batteryDrainPctPerDay * passed) / DAY);
      expect(levels.at(-1)).toBeCloseTo(expected, 6);
    }),
  );
});

describe("lights", () => {
  const bulb = tunableLight.initial(0, world);
  const shown = (commands: readonly object[]) =>
    tunableLight.attributes(
      commands.reduce<typeof bulb>((state, command) => tunableLight.apply(state, command, 0), bulb),
    );

  test("on, brightness and toggle", () => {
    expect(shown([])).toEqual({
      ...{ on: false, brightness: 254, color_temp: 370, power: 0.2 },
      ...{ brightness_pct: 100, color_temp_k: 2703, color_rgb: "#ffffff", color_mode: "color_temp" },
    });
    expect(shown([{ on: true }])).toMatchObject({ on: true, power: 9 });
    expect(shown([{ command: "toggle" }])).toMatchObject({ on: true });
    expect(shown([{ command: "toggle" }, { command: "toggle" }])).toMatchObject({ on: false });
    expect(shown([{ brightness: 100 }])).toMatchObject({ on: true, brightness: 100 });
    expect(shown([{ on: false, brightness: 100 }])).toMatchObject({ on: false, brightness: 100 });
    expect(shown([{ brightness: 100 }, { on: false }, { on: true }])).toMatchObject({ on: true, brightness: 100 });
    expect(shown([{ brightness: 0 }])).toMatchObject({ on: false, brightness: 0 });
    expect(shown([{ brightness: 0 }, { on: true }])).toMatchObject({ on: true, brightness: 254 });
    expect(shown([{ color_temp: 200 }])).toMatchObject({ on: false, color_temp: 200 });
  });

  test("the words of all lights say the same as its own", () => {
    for (let percent = 0; percent <= 100; percent++) {
      const on = percent > 0;
      expect(shown([{ brightness_pct: percent }])).toMatchObject({ on, brightness_pct: percent });
    }
    expect(shown([{ brightness_pct: 50 }])).toMatchObject({ on: true, brightness: 127 });
    expect(shown([{ brightness: 1 }])).toMatchObject({ on: true, brightness_pct: 1 });
    expect(shown([{ color_temp_k: 2700 }])).toMatchObject({ color_temp: 370, color_temp_k: 2703 });
    expect(shown([{ color_temp: 153 }])).toMatchObject({ color_temp_k: 6536 });
    expect(shown([{ color_rgb: "#ff8800" }])).toMatchObject({ color_rgb: "#ff8800", color_mode: "rgb" });
    expect(shown([{ color_rgb: "#ff8800" }, { color_temp_k: 4000 }])).toMatchObject({ color_mode: "color_temp" });
  });

  test("a transition goes there in ten steps and arrives", () => {
    let state = plainLight.apply(plainLight.initial(0, world), { brightness: 200, transition: 5 }, 100);
    const path = [plainLight.attributes(state)];
    for (let at = plainLight.nextAt?.(state); at !== undefined; at = plainLight.nextAt?.(state)) {
      state = plainLight.step(state, { fromSecs: at, toSecs: at }, world);
      path.push(plainLight.attributes(state));
    }
    expect(path.map(({ brightness }) => brightness)).toEqual([0, 20, 40, 60, 80, 100, 120, 140, 160, 180, 200]);
    expect(path.every(({ on }) => on)).toBe(true);

    const fading = plainLight.apply(state, { on: false, transition: 10 }, 200);
    const half = plainLight.step(fading, { fromSecs: 200, toSecs: 205 }, world);
    expect(plainLight.attributes(half)).toMatchObject({ on: true, brightness: 100 });
    // A new transition starts at the present brightness.
    const back = plainLight.apply(half, { command: "toggle", transition: 10 }, 205);
    expect(plainLight.attributes(back)).toMatchObject({ on: true, brightness: 100 });
    const out = plainLight.step(half, { fromSecs: 205, toSecs: 210 }, world);
    expect(plainLight.attributes(out)).toMatchObject({ on: false, brightness: 200, power: 0.2 });
    expect(JSON.stringify(plainLight.attributes(out))).not.toContain("color");
  });

  test("every reachable state fits the capabilities, and no light is on with brightness 0 at rest", () => {
    const commands = fc.record(
      {
        on: fc.boolean(),
        brightness: fc.integer({ min: 0, max: 254 }),
        color_temp: fc.integer({ min: 153, max: 500 }),
        brightness_pct: fc.double({ min: 0, max: 100, noNaN: true }),
        color_temp_k: fc.double({ min: 2000, max: 6536, noNaN: true }),
        color_rgb: fc.constantFrom("#ff8800", "#000000"),
        transition: fc.double({ min: 0, max: 300, noNaN: true }),
        command: fc.constant("toggle" as const),
      },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(fc.array(fc.tuple(commands, fc.integer({ min: 0, max: 400 }))), (story) => {
        let at = 0;
        let state = bulb;
        for (const [command, secs] of story) {
          if (tunableLight.objection?.(command)) continue;
          state = tunableLight.apply(state, command, at);
          state = tunableLight.step(state, { fromSecs: at, toSecs: at + secs }, world);
          at += secs;
          const attributes = tunableLight.attributes(state);
          expect(Value.Errors(tunableLight.capabilities, attributes).First()).toBeUndefined();
          if (!state.fade && attributes.on) expect(attributes.brightness).toBeGreaterThan(0);
        }
      }),
    );
  });
});

test("a leak ends after the requested minutes, and a command can change that", () => {
  const wet = leakSensor.apply(leakSensor.initial(0, world), { leak: true, minutes: 2 }, 1000);
  expect(leakSensor.nextAt?.(wet)).toBe(1120);
  expect(leakSensor.step(wet, { fromSecs: 1000, toSecs: 1119 }, world).leak).toBe(true);
  expect(leakSensor.step(wet, { fromSecs: 1000, toSecs: 1120 }, world).leak).toBe(false);
  expect(leakSensor.nextAt?.(leakSensor.apply(wet, { battery: 5 }, 1010))).toBe(1120);
  const lasting = leakSensor.apply(wet, { leak: true }, 1010);
  expect(leakSensor.step(lasting, { fromSecs: 1010, toSecs: 1010 + DAY }, world).leak).toBe(true);
});

test("chance is the same for the same seed, and events have about their configured frequency", () => {
  const count = (seed: number) =>
    Array.from({ length: 20_000 }, (_, at) => ({ fromSecs: at * 30, toSecs: at * 30 + 30 })).filter((span) =>
      happens("door", 1, span, { ...world, seed }),
    ).length;
  // 20,000 half minutes are 167 hours.
  for (const seed of [1, 2, 4_294_967_295]) {
    expect(count(seed)).toBeGreaterThan(120);
    expect(count(seed)).toBeLessThan(215);
  }
  const steps = new Array<number>(5000).fill(30);
  const opened = (in_: World) => through(door as never, steps, in_).map((state) => (state as { open: boolean }).open);
  expect(opened(world)).toEqual(opened(world));
  expect(opened(world)).toContain(true);
  expect(opened(world)).not.toEqual(opened({ ...world, seed: 2 }));
  expect(opened({ ...world, randomEvents: false })).not.toContain(true);
});

test("the house's clock runs at the given speed, and computes how long to wait", () => {
  let ms = 500;
  const clock = createHouseClock({ startSecs: 1000, speed: 60, monotonicMs: () => ms });
  ms += 2000;
  expect(clock.now()).toBe(1120);
  expect(clock.msUntil(1180)).toBe(1000);
  expect(clock.msUntil(0)).toBe(1);
});

test("two hundred lights have two hundred names, and ids that fit a topic", () => {
  const lights = lightNames(200);
  expect(lights.slice(0, 2).map(({ slug }) => slug)).toEqual(["living_room", "kitchen"]);
  expect(new Set(lights.map(({ slug }) => slug)).size).toBe(200);
  expect(new Set(lights.map(({ name }) => name)).size).toBe(200);
  for (const { slug } of lights) expect(slug).toMatch(/^[a-z0-9_]+$/);
});

test("capabilities are closed, have titles, and mark what no command can set", () => {
  for (const kind of [plainLight, tunableLight, thermostat, door, leakSensor, motionSensor]) {
    expect(kind.capabilities.additionalProperties).toBe(false);
    expect(Value.Check(Type.Object({}), kind.capabilities.properties)).toBe(true);
    for (const [key, schema] of Object.entries(kind.capabilities.properties)) {
      expect(schema.title).toBeString();
      expect({ key, settable: key in kind.accepts.properties }).toEqual({ key, settable: schema.readOnly !== true });
    }
  }
});
