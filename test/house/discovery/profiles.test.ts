// Devices by profiles: what a message makes of them, whose word counts, and what editing a profile does.
import { describe, expect, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createProfilesRig, shipped } from "./profiles-rig.ts";

const GARDEN = `
topic = "garden/{id}/data"
name = "Garden {id}"
[attributes]
temperature = { pointer = "/temp", unit = "°C" }
`;
const VALVE = `
topic = "valve/{id}/state"
[availability]
topic = "valve/{id}/status"
silent_secs = 60
[attributes.on]
map = { OPEN = true, CLOSE = false }
[attributes.on.command]
topic = "valve/{id}/set"
[attributes.flow]
topic = "valve/{id}/flow"
unit = "l/min"
min = 0
max = 30
`;

test("three lines make a device of each word that stands for the placeholder", () => {
  using rig = createProfilesRig({ "garden.toml": GARDEN });
  rig.publish("garden/bed1/data", { temp: 21.5 });
  rig.publish("garden/bed2/data", { temp: 19 });
  rig.publish("garden/bed2", { temp: 1 });
  rig.publish("garden/bed2/data/more", { temp: 2 });
  expect(rig.ids()).toEqual(["garden_bed1", "garden_bed2"]);
  expect(rig.device("garden_bed2")).toMatchObject({ name: "Garden bed2", attributes: { temperature: 19 } });
  expect(rig.device("garden_bed2").details.schema).toMatchObject({
    type: "object",
    properties: { temperature: { type: "number", unit: "°C", readOnly: true } },
  });
});

test.each(["first", "last"])("what is announced %s under an identifier of same_as is the same device", async (when) => {
  const profile = `
topic = "rtl_433/+/events"
id = "rtl433_{model}_{id}"
same_as = ["{model}-{channel}-{id}", "{model}-{id}"]
name = "{model} {id}"
[placeholders]
model = "/model"
id = "/id"
channel = "/channel"
[attributes]
temperature = { pointer = "/temperature_C", unit = "°C" }
`;
  using rig = createProfilesRig({ "rtl.toml": profile });
  const receive = (temperature: number) =>
    rig.publish("rtl_433/pi/events", { model: "Nexus-TH", id: 94, channel: 1, temperature_C: temperature });
  const announce = async () => {
    const at = "Nexus-TH-1-94";
    const config = {
      ...{ unique_id: `${at}-T`, name: `${at}-T`, device_class: "temperature", unit_of_measurement: "°C" },
      ...{ state_topic: "rtl_433/pi/devices/Nexus-TH/1/94/temperature_C", device: { identifiers: [at], name: at } },
    };
    rig.publish(`homeassistant/sensor/${at}/${at}-T/config`, config);
    await rig.clock.advance(200);
  };
  if (when === "first") await announce();
  receive(20);
  if (when === "last") await announce();
  await rig.clock.advance(5000);
  rig.publish("rtl_433/pi/devices/Nexus-TH/1/94/temperature_C", "21.4");
  receive(19);
  expect(rig.ids()).toEqual(["Nexus-TH-1-94"]);
  expect(rig.device("Nexus-TH-1-94")).toMatchObject({ name: "Nexus-TH-1-94", available: true });
  expect(rig.device("Nexus-TH-1-94").attributes).toEqual({ temperature: 21.4 });
});

test("what nothing announces is a device of its profile a moment later, with all that it has said by then", async () => {
  using rig = createProfilesRig({ "rtl-433.toml": shipped("rtl-433") });
  const receive = (more: object) =>
    rig.publish("rtl_433/pi/events", { model: "Nexus-TH", id: 94, humidity: 40, ...more });
  receive({ temperature_C: 20 });
  receive({ battery_ok: 0 });
  expect(rig.ids()).toEqual([]);
  await rig.clock.advance(5000);
  expect(rig.device("rtl433_Nexus-TH_94").attributes).toMatchObject({
    temperature: 20,
    humidity: 40,
    battery_low: true,
  });
  // From then on it is seen at once.
  receive({ temperature_C: 21 });
  expect(rig.device("rtl433_Nexus-TH_94").attributes.temperature).toBe(21);
});

test("what was said before the device was known counts once it is", () => {
  using rig = createProfilesRig({ "valve.toml": VALVE });
  rig.publish("valve/roof/status", "offline");
  rig.publish("valve/roof/flow", "4.5");
  expect(rig.ids()).toEqual([]);
  rig.publish("valve/roof/state", "OPEN");
  expect(rig.device("valve_roof")).toMatchObject({ available: true, attributes: { on: true, flow: 4.5 } });
  rig.publish("valve/roof/status", "offline");
  expect(rig.device("valve_roof").available).toBe(false);
});

test("a device that falls silent is not available until it speaks again", async () => {
  using rig = createProfilesRig({ "valve.toml": VALVE });
  rig.publish("valve/roof/state", "OPEN");
  await rig.clock.advance(50_000);
  rig.publish("valve/roof/flow", "1");
  await rig.clock.advance(50_000);
  expect(rig.device("valve_roof").available).toBe(true);
  await rig.clock.advance(20_000);
  expect(rig.device("valve_roof").available).toBe(false);
  rig.publish("valve/roof/flow", "2");
  expect(rig.device("valve_roof").available).toBe(true);
  await rig.clock.advance(61_000);
  expect(rig.device("valve_roof").available).toBe(false);
});

describe("values that are none leave the attribute as it was", () => {
  test.each([
    ["valve/roof/state", "AJAR", { on: true, flow: 3 }],
    ["valve/roof/flow", "much", { on: true, flow: 3 }],
    ["valve/roof/flow", "", { on: true, flow: 3 }],
    ["valve/roof/flow", { of: 3 }, { on: true, flow: 3 }],
  ])("%s %j", (topic, payload, attributes) => {
    using rig = createProfilesRig({ "valve.toml": VALVE });
    rig.publish("valve/roof/state", "OPEN");
    rig.publish("valve/roof/flow", "3");
    rig.publish(topic, payload);
    expect(rig.device("valve_roof").attributes).toEqual(attributes);
  });
});

test("an attribute that the device itself does not know is gone", () => {
  using rig = createProfilesRig({ "garden.toml": GARDEN });
  rig.publish("garden/bed1/data", { temp: 20 });
  rig.publish("garden/bed1/data", { temp: null });
  expect(rig.device("garden_bed1").attributes).toEqual({});
});

describe("a command that cannot be is refused with the attribute and what is wrong", () => {
  test.each([
    [{ flow: 3 }, "flow: the device only reports it"],
    [{ open: true }, "open: the device has no such attribute"],
    [{ on: "OPEN" }, "on: must be true or false"],
    [{ on: true, level: 11 }, "level: must be from 0 to 10, not 11"],
    [{ brightness_pct: 120 }, "brightness_pct: must be a number from 0 to 100 %"],
    [{ color_rgb: "red" }, "color_rgb: must be a colour"],
    [{ mode: "eco" }, "mode: must be one of heat, off"],
    [{ reset: 1 }, "reset: must be true: it is a button to press"],
  ])("%j", async (wanted, message) => {
    using rig = createProfilesRig({
      "valve.toml": `${VALVE}
[attributes.level]
min = 0
max = 10
word = "brightness_pct"
command = { topic = "valve/{id}/level" }
[attributes.color_rgb]
type = "string"
command = { topic = "valve/{id}/color" }
[attributes.mode]
options = ["heat", "off"]
command = { topic = "valve/{id}/mode" }
[commands]
reset = { topic = "valve/{id}/reset", payload = "1" }
`,
    });
    rig.publish("valve/roof/state", "OPEN");
    await expect(rig.discovery.command("valve_roof", wanted as never)).rejects.toThrow(message);
    expect(rig.sent()).toEqual([]);
  });
});

test("the hub commands only where the account that reported may publish", async () => {
  using rig = createProfilesRig({ "valve.toml": VALVE }, { mayPublish: (topic) => !topic.endsWith("/set") });
  rig.publish("valve/roof/state", "OPEN");
  await expect(rig.discovery.command("valve_roof", { on: false })).rejects.toThrow(
    "z2m may not publish to valve/roof/set",
  );
  expect(rig.sent()).toEqual([]);
});

test("another account does not speak for a device", () => {
  using rig = createProfilesRig({ "valve.toml": VALVE });
  rig.publish("valve/roof/state", "OPEN", { account: "valves" });
  rig.publish("valve/roof/state", "CLOSE", { account: "guest" });
  rig.publish("valve/roof/flow", "9", { account: "guest" });
  expect(rig.device("valve_roof")).toMatchObject({ pluginId: "valves", attributes: { on: true } });
});

test("where people have to accept devices, one that is matched waits", () => {
  using rig = createProfilesRig({ "garden.toml": GARDEN }, { discovery: { approve: "ask" } });
  rig.publish("garden/bed1/data", { temp: 20 });
  expect(rig.ids()).toEqual([]);
  const [waiting] = rig.discovery.list();
  expect(waiting).toMatchObject({ source: "profiles", name: "Garden bed1", state: "waiting", account: "z2m" });
  rig.discovery.decide(waiting?.id ?? "", "accepted");
  rig.publish("garden/bed1/data", { temp: 21 });
  expect(rig.device("garden_bed1").attributes).toEqual({ temperature: 21 });
});

test("a device that a person removed comes back when it reports again", () => {
  using rig = createProfilesRig({ "garden.toml": GARDEN });
  rig.publish("garden/bed1/data", { temp: 20 });
  rig.registry.remove("garden_bed1");
  expect(rig.ids()).toEqual([]);
  rig.publish("garden/bed1/data", { temp: 21 });
  expect(rig.device("garden_bed1").attributes).toEqual({ temperature: 21 });
});

test("what announces itself is left to its own source, whichever comes first", async () => {
  using rig = createProfilesRig({ "garden.toml": GARDEN });
  const announced = (id: string): unknown => ({
    ...{ name: "Temperature", unique_id: `${id}_t`, state_topic: `garden/${id}/data`, unit_of_measurement: "°C" },
    ...{ value_template: "{{ value_json.temp }}", device: { identifiers: [id], name: id } },
  });
  rig.publish("homeassistant/sensor/bed1/config", announced("bed1"));
  await rig.clock.advance(1000);
  rig.publish("garden/bed1/data", { temp: 20 });
  rig.publish("garden/bed2/data", { temp: 22 });
  expect(rig.ids()).toEqual(["bed1", "garden_bed2"]);
  rig.publish("homeassistant/sensor/bed2/config", announced("bed2"));
  await rig.clock.advance(1000);
  rig.publish("garden/bed2/data", { temp: 23 });
  expect(rig.device("bed2").attributes).toEqual({ temp: 23 });
  expect(rig.device("garden_bed2")).toMatchObject({ available: false, attributes: { temperature: 22 } });
});

test("one message of many devices is that device's alone", () => {
  using rig = createProfilesRig({
    "radio.toml": `
topic = "radio/+/events"
when = "has(json.temp)"
id = "radio_{model}_{id}"
name = "{label}"
placeholders = { model = "/model", id = "/id", label = "/info/label" }
[attributes]
temp = { pointer = "/temp", type = "number" }
receiver = { type = "string", cel = 'topic.split("/")[1]' }
`,
  });
  rig.publish("radio/attic/events", { model: "A", id: 1, temp: 1, info: { label: "Shed" } });
  rig.publish("radio/attic/events", { model: "A", id: 2, temp: 2 });
  expect(rig.device("radio_A_1").attributes).toMatchObject({ temp: 1 });
  rig.publish("radio/cellar/events", { model: "A", id: 1, temp: 3 });
  rig.publish("radio/cellar/events", { model: "B", temp: 4 });
  rig.publish("radio/cellar/events", { model: "B", id: 3, hum: 4 });
  rig.publish("radio/cellar/events", "noise");
  expect(rig.ids()).toEqual(["radio_A_1", "radio_A_2"]);
  expect(rig.device("radio_A_1")).toMatchObject({ name: "Shed", attributes: { temp: 3, receiver: "cellar" } });
  expect(rig.device("radio_A_2").attributes).toEqual({ temp: 2, receiver: "attic" });
});

test("what a message says of itself does not lead a command to another topic", async () => {
  using rig = createProfilesRig({
    "radio.toml": `
topic = "radio/events"
id = "radio_{id}"
placeholders = { id = "/id" }
[attributes.on]
type = "boolean"
pointer = "/on"
command = { topic = "radio/{id}/set" }
`,
  });
  rig.publish("radio/events", { id: "1/../+", on: true });
  const [id = ""] = rig.ids();
  await expect(rig.discovery.command(id, { on: false })).rejects.toThrow("cannot be made of what the device is called");
  expect(rig.sent()).toEqual([]);
});

test("presses are seen each time, but not those of before the hub started", () => {
  using rig = createProfilesRig({ "bell.toml": 'topic = "bell/{id}"\n[[actions]]\nmap = { 1 = "ring" }\n' });
  rig.publish("bell/door", "1", { retain: true });
  expect(rig.actions).toEqual([]);
  rig.publish("bell/door", "1");
  rig.publish("bell/door", "0");
  rig.publish("bell/door", "1");
  expect(rig.actions).toEqual([
    { device_id: "bell_door", action: "ring" },
    { device_id: "bell_door", action: "ring" },
  ]);
});

test("an expression that never gives a value is listed with its device, until it does", () => {
  using rig = createProfilesRig({
    "garden.toml": `${GARDEN}dry = { type = "boolean", cel = "json.soil.moisture < 300" }\n`,
  });
  for (let count = 0; count < 5; count++) rig.publish("garden/bed1/data", { temp: 20 });
  expect(rig.discovery.problems()).toEqual([
    expect.stringMatching(
      /^profiles:z2m:garden\/garden_bed1: garden\.toml: attributes\.dry\.cel gives no value: .*"soil"/,
    ),
  ]);
  rig.publish("garden/bed1/data", { temp: 20, soil: { moisture: 100 } });
  rig.publish("garden/bed1/data", { temp: 20 });
  expect(rig.discovery.problems()).toEqual([]);
  expect(rig.device("garden_bed1").attributes).toEqual({ temperature: 20, dry: true });
});

test("no profile makes more devices than it may, and says so", () => {
  using rig = createProfilesRig({ "garden.toml": `max_devices = 3\n${GARDEN}` });
  for (let bed = 1; bed <= 5; bed++) rig.publish(`garden/bed${bed}/data`, { temp: 20 });
  expect(rig.ids()).toHaveLength(3);
  expect(rig.discovery.problems()).toEqual([expect.stringContaining("raise max_devices in garden.toml")]);
});

test("what an account can make the hub hold has a bound", () => {
  using rig = createProfilesRig({
    "radio.toml": 'topic = "radio/{id}/#"\n[attributes]\nreceiver = { type = "string", cel = "topic" }\n',
  });
  for (let level = 1; level <= 100; level++) rig.publish(`radio/a/${level}`, "x");
  rig.publish(`radio/${"b".repeat(1000)}/1`, "x");
  expect(rig.ids()).toEqual(["radio_a"]);
  expect(rig.device("radio_a").attributes).toEqual({ receiver: "radio/a/32" });
});

describe("a profile that is edited takes effect without a restart", () => {
  test("a new attribute is there with the next message, and the device is the same", async () => {
    using rig = createProfilesRig({ "garden.toml": GARDEN });
    rig.publish("garden/bed1/data", { temp: 20, hum: 50 });
    await rig.save("garden.toml", `${GARDEN}humidity = { pointer = "/hum", unit = "%" }\n`);
    expect(rig.device("garden_bed1").available).toBe(true);
    rig.publish("garden/bed1/data", { temp: 21, hum: 51 });
    expect(rig.device("garden_bed1").attributes).toEqual({ temperature: 21, humidity: 51 });
  });

  test("another id makes another device, and the first is no longer there", async () => {
    using rig = createProfilesRig({ "garden.toml": GARDEN });
    rig.publish("garden/bed1/data", { temp: 20 });
    await rig.save("garden.toml", `id = "plants_{id}"\n${GARDEN}`);
    expect(rig.device("garden_bed1").available).toBe(false);
    rig.publish("garden/bed1/data", { temp: 21 });
    expect(rig.device("plants_bed1").attributes).toEqual({ temperature: 21 });
    expect(rig.device("garden_bed1").attributes).toEqual({ temperature: 20 });
  });

  test("a new file, one that is switched off, and one that is deleted", async () => {
    using rig = createProfilesRig({});
    rig.publish("garden/bed1/data", { temp: 20 });
    expect(rig.ids()).toEqual([]);
    await rig.save("garden.toml", GARDEN);
    rig.publish("garden/bed1/data", { temp: 21 });
    expect(rig.device("garden_bed1")).toMatchObject({ available: true, attributes: { temperature: 21 } });
    await rig.save("garden.toml", `enabled = false\n${GARDEN}`);
    expect(rig.device("garden_bed1").available).toBe(false);
    rig.publish("garden/bed1/data", { temp: 22 });
    expect(rig.device("garden_bed1").attributes).toEqual({ temperature: 21 });
    await rig.save("garden.toml", GARDEN);
    rig.publish("garden/bed1/data", { temp: 23 });
    expect(rig.device("garden_bed1")).toMatchObject({ available: true, attributes: { temperature: 23 } });
    await rig.remove("garden.toml");
    expect(rig.device("garden_bed1").available).toBe(false);
  });

  test("after a mistake the last good version stays in use, and the mistake is listed until it is mended", async () => {
    using rig = createProfilesRig({ "garden.toml": GARDEN });
    rig.publish("garden/bed1/data", { temp: 20 });
    await rig.save("garden.toml", GARDEN.replace("pointer", "pionter"));
    rig.publish("garden/bed1/data", { temp: 21 });
    expect(rig.device("garden_bed1").attributes).toEqual({ temperature: 21 });
    expect(rig.profiles.problems()).toEqual([
      {
        ...{ file: rig.at("garden.toml"), line: 5, path: "attributes.temperature.pionter" },
        message: 'unknown key "pionter" – did you mean "pointer"?',
      },
    ]);
    await rig.save("garden.toml", GARDEN);
    expect(rig.profiles.problems()).toEqual([]);
    await rig.save("garden.toml", "topic");
    expect(rig.device("garden_bed1").available).toBe(true);
    await rig.remove("garden.toml");
    expect(rig.device("garden_bed1").available).toBe(false);
    expect(rig.profiles.problems()).toEqual([]);
  });

  test("without a good version before, as after a restart, what is right in it is used, and each mistake is listed", async () => {
    const text = `${GARDEN}humidity = { pointer = "/hum", unti = "%" }\nlight = { pointer = "/lux", type = "number", options = ["a"] }
[commands]
water = { topic = "garden/{bed}/set", payload = "on" }
beep = { topic = "garden/{id}/beep", payload = "on" }
[[actions]]
topic = "garden/{id}/button"
map = { 1 = "single" }
[[actions]]
pointer = "no pointer"
`;
    using rig = createProfilesRig({ "garden.toml": text, "none.toml": GARDEN.replace("pointer", "pionter") });
    rig.publish("garden/bed1/data", { temp: 20, hum: 50, lux: 3 });
    rig.publish("garden/bed1/button", "1");
    expect(rig.device("garden_bed1").attributes).toEqual({ temperature: 20, action: "single" });
    const { properties } = rig.device("garden_bed1").details.schema as { properties: object };
    expect(Object.keys(properties).toSorted()).toEqual(["action", "beep", "temperature"]);
    expect(rig.actions).toEqual([{ device_id: "garden_bed1", action: "single" }]);
    expect(rig.ids()).toEqual(["garden_bed1"]);
    expect(rig.profiles.problems()).toMatchObject([
      { path: "attributes.humidity.unti", line: 6 },
      { path: "attributes.temperature.pionter" },
    ]);
    // A further mistake in what is used already in part takes nothing else.
    await rig.save("garden.toml", text.replace('"/temp"', '"temp"'));
    expect(rig.device("garden_bed1").available).toBe(true);
    await rig.save("garden.toml", GARDEN);
    expect(rig.profiles.problems()).toMatchObject([{ path: "attributes.temperature.pionter" }]);
  });

  test("what editors leave behind is no profile", async () => {
    using rig = createProfilesRig({ "garden.toml~": GARDEN, ".garden.toml": GARDEN, "garden.toml.tmp": GARDEN });
    writeFileSync(rig.at("notes.txt"), "not TOML");
    await rig.clock.advance(2000);
    rig.publish("garden/bed1/data", { temp: 20 });
    expect([rig.ids(), rig.profiles.problems()]).toEqual([[], []]);
  });
});

test("a folder that is not there is no problem", () => {
  using rig = createProfilesRig({});
  expect(rig.profiles.problems()).toEqual([]);
});

test("the profiles on the page for people are right", async () => {
  const page = readFileSync(join(import.meta.dir, "../../../docs/profiles.md"), "utf8");
  const texts = [...page.matchAll(/```toml\n([\s\S]*?)```/g)].map(([, text = ""]) => text);
  expect(texts.length).toBeGreaterThan(3);
  using rig = createProfilesRig(Object.fromEntries(texts.map((text, index) => [`page-${index}.toml`, text])));
  expect(rig.profiles.problems()).toEqual([]);
});

test("a profile says how its values are shown, checked and kept", async () => {
  using rig = createProfilesRig({
    "board.toml": `
topic = "board/{id}/state"
[attributes.power]
unit = "W"
precision = 1
state_class = "measurement"
icon = "mdi:flash"
pointer = "/power"
[attributes.start]
format = "time"
pointer = "/start"
command = { topic = "board/{id}/start" }
[attributes.wifi]
format = "password"
pointer = "/wifi"
command = { topic = "board/{id}/wifi" }
`,
  });
  rig.publish("board/1/state", { power: 12.345, start: "06:30", wifi: "hunter2" });
  const { attributes, details } = rig.device("board_1");
  expect(attributes).toEqual({ power: 12.345, start: "06:30" });
  expect(details.schema).toMatchObject({
    properties: {
      power: { precision: 1, state_class: "measurement", icon: "mdi:flash" },
      start: { type: "string", format: "time" },
      wifi: { type: "string", format: "password" },
    },
  });
});
