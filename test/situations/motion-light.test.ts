// The motion light that comes with the hub, in a house: what the people in it see.
// Over 10 s: hubs live through nights and days, with all that they do by the clock.
import { expect, test } from "bun:test";
import { openBlueprintHouse } from "./blueprint-house.ts";

const HALL = (more = ""): Record<string, string> => ({
  "hall.toml": `name = "Hall light"
use = "motion-light"
[inputs]
sensors = ["hall_motion"]
lamps = ["hall_lamp"]
off_after = "2m"
${more}`,
});

test("it keeps the lamp on while somebody moves, and turns it off two minutes after the last movement", async () => {
  await using house = await openBlueprintHouse(HALL());
  await house.report("hall_lamp", { on: false });
  await house.report("hall_motion", { occupancy: false });
  await house.report("hall_motion", { occupancy: true });
  expect(house.takeCommands()).toEqual(['12:00:00 hall_lamp {"on":true}']);
  // A long talk in the hall: no countdown while the sensor sees them.
  await house.pass(600);
  await house.report("hall_motion", { occupancy: false });
  await house.pass(90);
  // Somebody comes back during the countdown, which begins anew.
  await house.report("hall_motion", { occupancy: true });
  await house.pass(10);
  await house.report("hall_motion", { occupancy: false });
  await house.pass(115);
  expect(house.takeCommands()).toEqual([]);
  await house.pass(10);
  expect(house.takeCommands()).toEqual(['12:13:40 hall_lamp {"on":false}']);
});

test("a lamp that somebody turned on by hand stays on, also one that they turned off and on again", async () => {
  await using house = await openBlueprintHouse(HALL());
  await house.report("hall_motion", { motion: false });
  await house.byHand("hall_lamp", { on: true });
  await house.report("hall_motion", { motion: true });
  await house.report("hall_motion", { motion: false });
  await house.pass(300);
  expect(house.takeCommands()).toEqual([]);
  await house.byHand("hall_lamp", { on: false });
  await house.report("hall_motion", { motion: true });
  expect(house.takeCommands()).toEqual(['12:05:00 hall_lamp {"on":true}']);
  await house.pass(60);
  await house.byHand("hall_lamp", { on: false });
  await house.byHand("hall_lamp", { on: true });
  await house.report("hall_motion", { motion: false });
  await house.pass(300);
  expect(house.takeCommands()).toEqual([]);
});

test("a restart during the countdown, and one while somebody moves, change nothing for the people in the house", async () => {
  await using house = await openBlueprintHouse(HALL());
  await house.report("hall_lamp", { on: false });
  await house.report("hall_motion", { occupancy: true });
  await house.restart(20);
  await house.report("hall_motion", { occupancy: false });
  await house.pass(60);
  expect(house.takeCommands()).toEqual(['12:00:00 hall_lamp {"on":true}']);
  await house.restart(30);
  await house.pass(20);
  expect(house.takeCommands()).toEqual([]);
  await house.pass(20);
  // 12:00:20 + 2 min, with the half minute in which the hub was off.
  expect(house.takeCommands()).toEqual(['12:02:20 hall_lamp {"on":false}']);
  expect((await house.state("hall_lamp")).on).toBe(false);
});

test("a lamp that cannot be reached goes off when it is back, and a sensor that is gone sees nobody", async () => {
  await using house = await openBlueprintHouse(HALL());
  await house.report("hall_lamp", { on: false });
  await house.report("hall_motion", { occupancy: true });
  await house.available("hall_lamp", false);
  await house.report("hall_motion", { occupancy: false });
  await house.pass(180);
  expect(house.takeCommands()).toEqual(['12:00:00 hall_lamp {"on":true}']);
  await house.available("hall_lamp", true);
  await house.pass(10);
  expect(house.takeCommands()).toEqual(['12:03:05 hall_lamp {"on":false}']);
  await house.report("hall_motion", { occupancy: true });
  await house.available("hall_motion", false);
  await house.pass(130);
  expect(house.takeCommands().map((line) => line.slice(9))).toEqual([
    'hall_lamp {"on":true}',
    'hall_lamp {"on":false}',
  ]);
});

test("by night it is dimmer, in the mode for films it stays off, and the light sensor says when it is dark", async () => {
  const more = `brightness = 80
night_mode = "night"
night_brightness = 5
pause_mode = "film"
light_sensor = "hall_lux"
dark_below = 20
`;
  await using house = await openBlueprintHouse(HALL(more));
  await house.report("hall_lamp", { on: false, brightness_pct: 50 });
  await house.report("hall_lux", { illuminance: 400 });
  const comesAndGoes = async (): Promise<string[]> => {
    await house.report("hall_motion", { presence: true });
    await house.report("hall_motion", { presence: false });
    await house.pass(130);
    return house.takeCommands().map((line) => line.slice(9));
  };
  const off = 'hall_lamp {"on":false}';
  expect(await comesAndGoes()).toEqual([]);
  await house.report("hall_lux", { illuminance: 3 });
  expect(await comesAndGoes()).toEqual(['hall_lamp {"on":true,"brightness_pct":80}', off]);
  await house.mode("night", true);
  expect(await comesAndGoes()).toEqual(['hall_lamp {"on":true,"brightness_pct":5}', off]);
  // The mode changes while the lamp is on: it goes off all the same.
  await house.report("hall_motion", { presence: true });
  await house.mode("film", true);
  await house.report("hall_lux", { illuminance: 900 });
  await house.report("hall_motion", { presence: false });
  await house.pass(130);
  expect(house.takeCommands().map((line) => line.slice(9))).toEqual(['hall_lamp {"on":true,"brightness_pct":5}', off]);
  await house.report("hall_lux", { illuminance: 3 });
  expect(await comesAndGoes()).toEqual([]);
});

test("with two sensors and two lamps the last movement counts, and only after sunset where that is wanted", async () => {
  const rule = `name = "Stairs"
use = "motion-light"
[inputs]
sensors = ["up", "down"]
lamps = ["first", "second"]
off_after = 60
when_dark = true
`;
  await using house = await openBlueprintHouse({ "stairs.toml": rule }, "2026-11-21T14:00:00Z");
  for (const lamp of ["first", "second"]) await house.report(lamp, { on: false });
  await house.report("up", { motion: true });
  await house.report("up", { motion: false });
  expect(house.takeCommands()).toEqual([]);
  // The sun goes down in Berlin before four.
  await house.clock.advance(2 * 3600_000);
  await house.report("up", { motion: true });
  expect(house.takeCommands()).toEqual(['16:00:00 first {"on":true}', '16:00:00 second {"on":true}']);
  await house.report("down", { motion: true });
  await house.report("up", { motion: false });
  await house.pass(120);
  await house.report("down", { motion: false });
  await house.pass(55);
  expect(house.takeCommands()).toEqual([]);
  await house.pass(10);
  expect(house.takeCommands()).toEqual(['16:03:00 first {"on":false}', '16:03:00 second {"on":false}']);
});
