// The other blueprints that come with the hub, in a house: what the people in it see.
// Over 10 s: seven hubs, each of which lives through days in which all that a hub does by the clock is done.
import { expect, test } from "bun:test";
import { ANNOUNCEMENTS, AT_REST } from "../interop/matter/announced.ts";
import { type BlueprintHouse, openBlueprintHouse } from "./blueprint-house.ts";

/** In one go, as no device is sent anything that it would have to answer. What comes meanwhile has its own time in the log. */
async function passQuietly(house: BlueprintHouse, secs: number): Promise<void> {
  await house.clock.advance((secs - 10) * 1000);
  await house.pass(10);
}

test("a door left open: a message, again while it is open, over a restart, and none when it is shut", async () => {
  const rule = `name = "Front door"
use = "door-left-open"
[inputs]
doors = ["front_door", "cellar_window"]
open_for = "5m"
repeat_every = "10m"
times = 2
message = "sent: {{trigger.device_name}} is open"
`;
  await using house = await openBlueprintHouse({ "door.toml": rule });
  await house.report("front_door", { contact: true });
  await house.report("cellar_window", { open: false });
  await house.report("front_door", { contact: false });
  await passQuietly(house, 240);
  await house.report("front_door", { contact: true });
  await passQuietly(house, 120);
  expect(house.messages()).toEqual([]);
  // Open at 12:06, and the hub is off for a minute.
  await house.report("front_door", { contact: false });
  await passQuietly(house, 60);
  await house.restart(60);
  await passQuietly(house, 200);
  expect(house.messages()).toEqual(["12:11:00 front_door is open"]);
  await house.report("cellar_window", { open: true });
  await passQuietly(house, 400);
  expect(house.messages()).toEqual(["12:16:20 cellar_window is open"]);
  await passQuietly(house, 300);
  expect(house.messages()).toEqual(["12:21:00 front_door is open"]);
  await house.report("cellar_window", { open: false });
  await passQuietly(house, 3600);
  expect(house.messages()).toEqual([]);
});

const DOOR = "0x897568003a50b18c";
const ALARM = "0x1408eeeb028ab25b";
const says = (name: string, payload: object) => [{ topic: `zigbee2mqtt/${name}`, payload }];

test("a door contact of zigbee2mqtt, whose `contact` is true while it is shut: a message when it is open, none when it is shut", async () => {
  const rule = `name = "Door"
use = "door-left-open"
[inputs]
doors = ["${DOOR}"]
open_for = "5m"
message = "sent: {{trigger.device_name}} is open"
`;
  await using house = await openBlueprintHouse({ "door.toml": rule });
  await house.announce([...ANNOUNCEMENTS, ...AT_REST]);
  expect(await house.state(DOOR)).toMatchObject({ contact: true, open: false });
  await house.announce(says("Door", { contact: false }));
  await passQuietly(house, 310);
  expect(house.messages()).toEqual(["12:05:00 Door is open"]);
  await house.announce(says("Door", { contact: true }));
  await passQuietly(house, 3600);
  expect(house.messages()).toEqual([]);
});

test("an alarm for smoke and carbon monoxide says which of them it is", async () => {
  const rule = `name = "Alarm"
use = "leak-alarm"
[inputs]
sensors = ["${ALARM}", "bath"]
times = 2
message = "sent: {{vars.what}} at {{trigger.device_name}}!"
`;
  await using house = await openBlueprintHouse({ "alarm.toml": rule });
  await house.announce([...ANNOUNCEMENTS, ...AT_REST]);
  await house.report("bath", { water_leak: false });
  await house.announce(says("Alarm", { smoke: false, carbon_monoxide: true }));
  expect(house.messages()).toEqual(["12:00:00 Carbon monoxide at Alarm!"]);
  await house.announce(says("Alarm", { smoke: true, carbon_monoxide: false }));
  await house.report("bath", { water_leak: true });
  expect(house.messages()).toEqual(["12:00:00 Smoke at Alarm!", "12:00:00 Water at bath!"]);
  await house.announce(says("Alarm", { smoke: false, carbon_monoxide: false }));
  await house.report("bath", { water_leak: false });
  await passQuietly(house, 3600);
  expect(house.messages()).toEqual([]);
});

test("a low battery: with a level or without one, the message says what is known", async () => {
  const rule = `name = "Batteries"
use = "low-battery-report"
[inputs]
devices = ["remote", "smoke_alarm", "valves"]
message = "sent: Battery of {{trigger.device_name}}: {{trigger.battery}}"
remind_at = "18:00"
`;
  await using house = await openBlueprintHouse({ "low.toml": rule });
  await house.report("remote", { battery: 90 });
  await house.report("smoke_alarm", { smoke: false, battery_low: false });
  await house.report("valves", { battery_low_1: false, channel_2_battery_low_18: false });
  await house.report("remote", { battery: 12 });
  await house.report("smoke_alarm", { battery_low: true });
  await house.report("valves", { channel_2_battery_low_18: true });
  expect(house.messages()).toEqual([
    "12:00:00 Battery of remote: 12 %",
    "12:00:00 Battery of smoke_alarm: low",
    "12:00:00 Battery of valves: low (channel 2)",
  ]);
  await house.report("remote", { battery: 100 });
  await house.jumpTo("2026-11-21T16:59:50Z");
  await house.pass(20);
  expect(await latestOf(house)).toMatch(/^17:00 .*smoke_alarm.*still has to be changed/);
});

test("a leak: the valve shuts and a lamp goes on at once, and messages come until it is dry", async () => {
  const rule = `name = "Leak"
use = "leak-alarm"
[inputs]
sensors = ["bath", "kitchen"]
turn_off = ["main_valve", "pump"]
turn_on = ["siren"]
repeat_every = 120
message = "sent: water at {{trigger.device_name}}"
`;
  await using house = await openBlueprintHouse({ "leak.toml": rule });
  for (const device of ["main_valve", "pump"]) await house.report(device, { on: true });
  await house.report("siren", { on: false });
  await house.report("bath", { water_leak: false });
  await house.report("kitchen", { leak: false });
  // A pump that cannot be reached delays neither the valve nor the message.
  await house.available("pump", false);
  await house.report("kitchen", { leak: true });
  expect(house.takeCommands().sort()).toEqual(['12:00:00 main_valve {"on":false}', '12:00:00 siren {"on":true}']);
  await house.pass(60);
  await house.report("bath", { water_leak: true });
  await house.pass(90);
  expect(house.messages()).toEqual([
    "12:00:00 water at kitchen",
    "12:01:00 water at bath",
    "12:02:00 water at kitchen",
  ]);
  await house.report("kitchen", { leak: false });
  await house.report("bath", { water_leak: false });
  await passQuietly(house, 600);
  expect(house.messages()).toEqual([]);
});

test("batteries: a message when one is low, a reminder every day until it is changed, and one for a device that is gone", async () => {
  const rule = `name = "Batteries"
use = "low-battery-report"
[inputs]
devices = ["window", "remote"]
message = "sent: {{trigger.device_name}} {{trigger.battery_pct}}"
remind_at = "18:00"
gone_for = "10m"
`;
  const all = `name = "All batteries"
use = "low-battery-report"
[inputs]
message = "sent: somewhere, {{trigger.device_name}}"
`;
  await using house = await openBlueprintHouse({ "some.toml": rule, "all.toml": all });
  await house.report("window", { battery: 80 });
  await house.report("remote", { battery_pct: 90 });
  await house.report("scale", { battery_pct: 70 });
  await house.report("remote", { battery_pct: 8 });
  await house.report("scale", { battery_pct: 5 });
  expect(house.messages()).toEqual(["12:00:00 somewhere, remote", "12:00:00 remote 8", "12:00:00 somewhere, scale"]);
  await house.available("window", false);
  await passQuietly(house, 620);
  expect(await latestOf(house)).toMatch(/^12:10 .*has not been heard/);
  // Six in the evening in Berlin, on two days.
  for (const evening of ["2026-11-21", "2026-11-22"]) {
    await house.jumpTo(`${evening}T16:59:50Z`);
    await house.pass(20);
    expect(await latestOf(house)).toMatch(/^17:00 .*still has to be changed/);
  }
  await house.report("remote", { battery_pct: 100 });
  await house.jumpTo("2026-11-23T16:59:50Z");
  await house.pass(20);
  expect(await latestOf(house)).not.toMatch(/still has to be changed/);
});

/** What the rule "Batteries" did the last time it fired. */
async function latestOf(house: BlueprintHouse): Promise<string> {
  const rules = (await house.ask("GET", "/rules")) as unknown as { id: string; name: string }[];
  const id = rules.find(({ name }) => name === "Batteries")?.id ?? "";
  const [latest] = (await house.ask("GET", `/rules/${id}/traces`)) as unknown as { at: string; actions: object }[];
  return `${latest?.at.slice(11, 16)} ${JSON.stringify(latest?.actions)}`;
}

test("waking up: it gets brighter step by step; whoever turns the lamp off ends it; not in the holidays", async () => {
  const rule = `name = "Wake up"
use = "wake-up-light"
[inputs]
lamps = ["bed_lamp"]
time = "13:01"
days = ["sat", "sun"]
duration = "10m"
brightness = 60
not_in_mode = "away"
`;
  await using house = await openBlueprintHouse({ "wake.toml": rule });
  await house.report("bed_lamp", { on: false, brightness_pct: 100 });
  await house.pass(70);
  const [first] = house.takeCommands();
  expect(first).toBe('12:01:00 bed_lamp {"on":true,"brightness_pct":1}');
  await house.pass(300);
  const half = Number((await house.state("bed_lamp")).brightness_pct);
  expect(half).toBeGreaterThan(25);
  expect(half).toBeLessThan(36);
  await house.pass(310);
  expect(await house.state("bed_lamp")).toEqual({ on: true, brightness_pct: 60 });
  await house.byHand("bed_lamp", { on: false });
  house.takeCommands();

  // The next morning somebody turns it off after a minute.
  await house.jumpTo("2026-11-22T12:00:50Z");
  await house.pass(70);
  expect(house.takeCommands().length).toBeGreaterThan(3);
  await house.byHand("bed_lamp", { on: false });
  await passQuietly(house, 700);
  expect(house.takeCommands()).toEqual([]);
  expect((await house.state("bed_lamp")).on).toBe(false);

  // Saturday, and nobody is at home.
  await house.mode("away", true);
  await house.jumpTo("2026-11-28T12:00:50Z");
  await house.pass(120);
  expect(house.takeCommands()).toEqual([]);
});
