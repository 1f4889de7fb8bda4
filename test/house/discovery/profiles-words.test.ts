// What a profile offers by the words that all devices share.
import { expect, test } from "bun:test";
import { createProfilesRig } from "./profiles-rig.ts";

const FAN = `
topic = "fan/{id}/speed"
type = "fan"
[attributes.speed]
min = 0
max = 3
word = "speed_pct"
[attributes.speed.command]
topic = "fan/{id}/speed/set"
`;
const HEATER = `
topic = "heater/{id}/room"
type = "climate"
[attributes.room]
unit = "°F"
word = "current_temperature"
[attributes.wanted]
topic = "heater/{id}/wanted"
unit = "°F"
min = 41
max = 95
word = "target_temperature"
[attributes.wanted.command]
topic = "heater/{id}/wanted/set"
`;

test("10 % of a fan with three speeds is its slowest, and 0 is off", async () => {
  using rig = createProfilesRig({ "fan.toml": FAN });
  rig.publish("fan/hall/speed", "1");
  expect(rig.device("fan_hall").attributes).toEqual({ speed: 1, speed_pct: 33 });
  await rig.discovery.command("fan_hall", { speed_pct: 10 });
  await rig.discovery.command("fan_hall", { speed_pct: 0 });
  expect(rig.published.map(({ topic, payload }) => `${topic} ${payload}`)).toEqual([
    ...["fan/hall/speed/set 1", "fan/hall/speed/set 0"],
  ]);
  expect(rig.device("fan_hall").details.schema).toMatchObject({
    properties: { speed_pct: { derived: true, of: "speed", word: "speed_pct" } },
  });
});

test("degrees Fahrenheit are Celsius in the words of all", async () => {
  using rig = createProfilesRig({ "heater.toml": HEATER });
  rig.publish("heater/hall/room", "68");
  rig.publish("heater/hall/wanted", "70");
  expect(rig.device("heater_hall").attributes).toMatchObject({
    ...{ room: 68, current_temperature: 20, wanted: 70, target_temperature: 21.1 },
  });
  await rig.discovery.command("heater_hall", { target_temperature: 20 });
  expect(rig.published.map(({ payload }) => payload)).toEqual(["68"]);
  expect(rig.device("heater_hall").details.schema).toMatchObject({
    properties: { target_temperature: { unit: "°C", minimum: 5, maximum: 35 } },
  });
});
