import { describe, expect, test } from "bun:test";
import { HubError } from "../../../src/kit/schema/errors.ts";
import type { JsonObject } from "../../../src/kit/schema/json.ts";
import { createHouse } from "../support/host.ts";
import { problemsIn } from "../support/read.ts";
import { createActor } from "../support/scope.ts";

const fade = (fields: JsonObject): JsonObject => ({
  type: "fade_device",
  device_id: "lamp",
  attribute: "brightness",
  duration_secs: 10,
  ...fields,
});

function houseAt(brightness: JsonObject["x"]) {
  const house = createHouse();
  house.put("lamp", { attributes: brightness === undefined ? {} : { brightness } });
  const begun = house.now();
  const steps = () => house.done.commands.map(({ at, command }) => [at - begun, command.brightness]);
  return { house, steps };
}

describe("fade_device", () => {
  test("changes evenly from the current value to the wanted one", async () => {
    const { house, steps } = houseAt(10);
    const ending = createActor(house).act(fade({ to: 60, steps: 5 }));
    await house.clock.advance(10_000);
    expect(await ending).toBe("lamp.brightness 10 → 60 in 10 s, 5 steps");
    expect(steps()).toEqual([
      [2000, 20],
      [4000, 30],
      [6000, 40],
      [8000, 50],
      [10_000, 60],
    ]);
  });

  test("takes the given time also if the clock is set meanwhile", async () => {
    for (const step of [-3_600_000, 3_600_000, 10 * 365 * 86_400_000]) {
      const { house } = houseAt(10);
      const begun = house.clock.mono();
      const ending = createActor(house).act(fade({ to: 60, steps: 5 }));
      await house.clock.advance(5000);
      house.clock.step(step);
      expect(house.done.commands).toHaveLength(2);
      await house.clock.advance(4999);
      expect(house.done.commands).toHaveLength(4);
      await house.clock.advance(1);
      await ending;
      expect(house.clock.mono() - begun).toBe(10_000);
    }
  });

  test("can go down, sets the start value first, and keeps fractions", async () => {
    const { house, steps } = houseAt("unknown");
    const ending = createActor(house).act(fade({ from: 1, to: 0.25, steps: 3 }));
    await house.clock.advance(10_000);
    await ending;
    expect(steps()).toEqual([
      [0, 1],
      [3333, 0.75],
      [6667, 0.5],
      [10_000, 0.25],
    ]);
  });

  test("whole numbers take no more steps than there are between them", async () => {
    const { house, steps } = houseAt(0);
    const ending = createActor(house).act(fade({ to: 3 }));
    await house.clock.advance(10_000);
    await ending;
    expect(steps().map(([, value]) => value)).toEqual([1, 2, 3]);
  });

  test("commands at most five times a second, and a thousand times in all", async () => {
    const { house, steps } = houseAt(0);
    const ending = createActor(house).act(fade({ to: 1000, duration_secs: 2, steps: 1000 }));
    await house.clock.advance(2000);
    await ending;
    expect(steps()).toHaveLength(10);
    expect(steps().at(-1)).toEqual([2000, 1000]);
    const long = houseAt(0);
    const other = createActor(long.house).act(fade({ to: 0.5, duration_secs: 3600 }));
    await long.house.clock.advance(3_600_000);
    expect(await other).toEndWith("1000 steps");
  });

  test("is done at once with no duration, or if the value is already reached", async () => {
    const { house, steps } = houseAt(5);
    await createActor(house).act(fade({ to: 50, duration_secs: 0 }));
    expect(steps()).toEqual([[0, 50]]);
    const there = createActor(house).act(fade({ from: 50, to: 50, duration_secs: 1 }));
    await house.clock.advance(1000);
    expect(await there).toEndWith("1 steps");
  });

  test("when cancelled, the value stays and the run ends", async () => {
    const { house, steps } = houseAt(0);
    const actor = createActor(house);
    const ending = actor.act(fade({ to: 100, steps: 10 }));
    const end = ending.then(String, (error: Error) => error.message);
    await house.clock.advance(3500);
    actor.cancel();
    await house.clock.advance(10_000);
    expect(await end).toBe("its fade was cancelled");
    expect(steps().at(-1)).toEqual([3000, 30]);
  });

  test("ends with the first step that is refused", async () => {
    const { house } = houseAt(0);
    house.refusing.set("lamp", new HubError("conflict", "the lamp is not available"));
    const ending = createActor(house).act(fade({ to: 100, steps: 10 }));
    const end = ending.then(String, (error: Error) => error.message);
    await house.clock.advance(1000);
    expect(await end).toBe("the lamp is not available");
    expect(house.clock.pending()).toEqual([]);
  });

  test("reports what is missing", async () => {
    const { house } = houseAt("bright ☀");
    const act = (fields: JsonObject) => createActor(house).act(fade(fields));
    await expect(act({ to: 5 })).rejects.toThrow(
      'the "brightness" of the device "lamp" is not a number now: give `from`',
    );
    await expect(act({ to: 5, device_id: "shed" })).rejects.toThrow('there is no device "shed"');
    expect(problemsIn("actions", fade({ to: 5, steps: 1001 }))).toEqual([
      "steps: must be a whole number from 1 to 1000",
    ]);
    expect(problemsIn("actions", fade({ to: 5, duration_secs: 86_401 }))).toHaveLength(1);
  });
});
