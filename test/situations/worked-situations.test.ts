// The two situations of the contract, and nested actions, in the whole hub: files, MQTT, the event stream and the log, to the
// second.
import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { openHouse } from "./evening.ts";

// TOML tables, as in the contract, in a .ron file.
const DOOR = `id = ""
name = "Front door left open"
enabled = true
priority = 50
cooldown_secs = 600

[trigger]
type = "cron"
expression = "0 * * * * *"

[[conditions]]
type = "device_state"
device_id = "front_door"
attribute = "open"
op = "Eq"
value = true

[[conditions]]
type = "time_elapsed"
device_id = "front_door"
attribute = "open"
duration_secs = 600

[[actions]]
type = "parallel"

[[actions.actions]]
type = "notify"
channel = "log"
title = "Door °"
message = "sent: open"

[[actions.actions]]
type = "parallel"
actions = [{ type = "notify", channel = "log", message = "sent: within" }]
`;

test("the door: after ten minutes, at most every ten minutes, over a restart, and not when it is shut", async () => {
  await using house = await openHouse({ "door.ron": DOOR });
  await house.report("front_door", { open: false });
  await house.moveTo("20:00:30");
  await house.report("front_door", { open: true });
  await house.moveTo("20:10:59");
  expect(house.sent()).toEqual([]);
  await house.moveTo("20:15:10");
  expect(house.sent()).toEqual(["20:11:00 sent: open", "20:11:00 sent: within"]);
  await house.restart(75_000);
  // The same state again is no change: the ten minutes continue.
  await house.report("front_door", { open: true });
  await house.moveTo("20:25:00");
  await house.report("front_door", { open: false });
  await house.moveTo("20:40:00");
  await house.report("front_door", { open: true });
  await house.moveTo("20:49:59");
  expect(await house.fired()).toEqual(["20:11:00 Cron", "20:21:00 Cron"]);
  await house.moveTo("20:51:30");
  expect(await house.fired()).toEqual(["20:11:00 Cron", "20:21:00 Cron", "20:50:00 Cron"]);
  expect(house.sent().filter((line) => line.endsWith("open"))).toEqual([
    "20:11:00 sent: open",
    "20:21:00 sent: open",
    "20:50:00 sent: open",
  ]);
});

test("the temperature: at once, and then an hour later", async () => {
  const example = readFileSync(new URL("../../rules/examples/temperature-alert.ron", import.meta.url), "utf8");
  const text = example.replace("enabled: false", "enabled: true").replace('message: "It is', 'message: "sent: It is');
  await using house = await openHouse({ "warm.ron": text });
  for (const [time, temperature] of [
    ["20:00:00", 27.5],
    ["20:01:00", 28],
    ["20:02:07", 28.1],
    ["20:30:00", 31],
    ["21:02:06", 30],
    ["21:02:07", 30.5],
    ["21:02:08", 31],
  ] as const) {
    await house.moveTo(time);
    await house.report("living_room_sensor", { temperature });
  }
  expect(await house.fired()).toEqual(["20:02:07 DeviceStateChanged", "21:02:07 DeviceStateChanged"]);
  expect(house.sent().map((line) => line.slice(0, 14))).toEqual(["20:02:07 sent:", "21:02:07 sent:"]);
});

test("parallel actions begin together, and the next action waits for the last of them", async () => {
  const notify = (message: string) => `Notify(channel: "log", message: "sent: ${message}")`;
  const slow = (secs: number, message: string) =>
    `RepeatCount(count: 1, actions: [Delay(${secs}), ${notify(message)}])`;
  const text = `(name: "Together", trigger: DeviceStateChanged(device_id: "button", attribute: "pressed"), actions: [
    Parallel([${slow(5, "five")}, Parallel([${slow(10, "ten")}, Parallel([${notify("at once 😀")}])]), ${slow(2, "two")}]),
    ${notify("after")},
  ])`;
  await using house = await openHouse({ "together.ron": text });
  await house.report("button", { pressed: 1 });
  await house.moveTo("20:00:30");
  await house.report("button", { pressed: 2 });
  await house.moveTo("20:01:00");
  const run = ["00 sent: at once 😀", "02 sent: two", "05 sent: five", "10 sent: ten", "10 sent: after"];
  expect(house.sent()).toEqual([
    ...run.map((line) => `20:00:${line}`),
    ...run.map((line) => `20:00:${Number(line.slice(0, 2)) + 30}${line.slice(2)}`),
  ]);
});
