// What assistants see and do over /mcp, with the official clients of both generations.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { until } from "../../support/wait.ts";
import type { McpClient } from "./mcp-client.ts";
import { type McpHouse, startMcpHouse } from "./mcp-house.ts";

const HALL = "22222222-2222-4222-8222-222222222201";
const DOORS = "22222222-2222-4222-8222-222222222202";
const FOUND = "22222222-2222-4222-8222-222222222203";
const READING = [
  "alerts",
  "explain_rule",
  "get_device",
  "history",
  "list_devices",
  "list_rules",
  "list_scenes",
  "recent_events",
  "system_status",
  "test_rule",
];

let house: McpHouse;
/** For the whole house: one looks, one acts. */
let looking: McpClient;
let acting: McpClient;
/** For the hall. */
let hall: McpClient;

beforeAll(async () => {
  house = await startMcpHouse();
  const { admin } = house;
  await admin("POST", "/areas", { id: "hall", name: "Entrance" });
  await admin("POST", "/scenes", { id: "evening", name: "Evening", states: { hall_lamp: { on: true } } });
  const states = { hall_lamp: { on: false }, bed_lamp: { on: false } };
  await admin("POST", "/scenes", { id: "night", name: "Night", states });
  await admin("POST", "/scenes", { id: "leave", name: "Leave", states: { front_door: { locked: true } } });
  await admin("POST", "/groups", { id: "lamps", name: "Lamps", members: ["hall_lamp", "bed_lamp"] });
  const onSensor = { type: "device_state_changed", device_id: "hall_sensor", attribute: "motion", to: true };
  const light = { type: "set_device_state", device_id: "hall_lamp", state: { on: true } };
  await admin("POST", "/rules", { id: HALL, name: "Hall light", trigger: onSensor, actions: [light] });
  const unlock = { type: "set_device_state", device_id: "front_door", state: { locked: false, pin: "4711" } };
  await admin("POST", "/rules", { id: DOORS, name: "Doors", trigger: onSensor, actions: [unlock] });
  const found = { type: "set_device_state", area: "hall", state: { on: false } };
  await admin("POST", "/rules", { id: FOUND, name: "All of the hall", trigger: onSensor, actions: [found] });
  looking = await house.client(await house.key());
  acting = await house.client(await house.key({ read_only: false }));
  hall = await house.client(await house.key({ areas: ["hall"], read_only: false }));
});
afterAll(async () => {
  for (const client of [looking, acting, hall]) await client?.[Symbol.asyncDispose]();
  await house[Symbol.asyncDispose]();
});

const idsOf = async (client: McpClient, given: Record<string, unknown> = {}): Promise<string[]> =>
  (await client.ask<{ devices: { id: string }[] }>("list_devices", given)).devices.map(({ id }) => id);

async function isBack(id: string): Promise<void> {
  await house.say(`devices/${id}/availability`, "online");
  const isThere = async () => (await house.admin<{ available: boolean }>("GET", `/devices/${id}`)).available;
  await until(`${id} is back`, isThere);
}

describe("both generations of clients", () => {
  test.each([1, 2] as const)("generation %d lists tools and calls them", async (generation) => {
    await using client = await house.client(await house.key(), generation);
    expect(await client.tools()).toEqual(READING);
    const { content, ...rest } = await client.call("system_status");
    // Older clients read the text.
    const [text] = content as { type: string; text: string }[];
    expect(JSON.parse(text?.text ?? "")).toMatchObject({ version: "0.0.0-test", access: { whole_house: true } });
    // And nobody reads it twice.
    expect(rest).not.toHaveProperty("structuredContent");
  });
});

describe("reading", () => {
  test("a key that only reads is shown no tool that acts, and cannot call one", async () => {
    const before = house.commands.length;
    expect(await looking.tools()).toEqual(READING);
    expect(await acting.tools()).toEqual([...READING, "activate_scene", "command_device"].sort());
    await expect(looking.call("command_device", { id: "hall_lamp", state: { on: true } })).rejects.toThrow(/no tool/);
    await expect(looking.call("activate_scene", { id: "evening" })).rejects.toThrow(/no tool/);
    expect(house.commands.length).toBe(before);
  });

  test("devices are found by area, type and words", async () => {
    expect(await idsOf(looking)).toEqual(["away", "bed_lamp", "blind", "hall_lamp", "hall_sensor", "lamps"]);
    expect(await idsOf(looking, { area: "Entrance" })).toEqual(["hall_lamp", "hall_sensor"]);
    expect(await idsOf(looking, { type: "light", area: "hall" })).toEqual(["hall_lamp"]);
    expect(await idsOf(looking, { query: "lamp bed" })).toEqual(["bed_lamp"]);
  });

  test("one device, and what was recorded of it", async () => {
    await house.say("devices/hall_sensor/state", { temperature: 21.5, code: "secret-code", note: "x".repeat(5000) });
    const sensor = await until("the reading is there", async () => {
      const found = await looking.ask<{ state: Record<string, unknown> }>("get_device", { id: "hall_sensor" });
      return found.state.temperature === 21.5 ? found : undefined;
    });
    expect(sensor).toMatchObject({ area: "hall", area_name: "Entrance", type: "sensor", may_command: false });
    expect(sensor.state.code).toBe("•••");
    expect(String(sensor.state.note).length).toBe(200);
    const recorded = await until("it is in the history", async () => {
      const given = { id: "hall_sensor", attribute: "temperature" };
      const { samples } = await looking.ask<{ samples: { value: unknown }[] }>("history", given);
      return samples.length > 0 ? samples : undefined;
    });
    expect(recorded[0]).toMatchObject({ attribute: "temperature", value: 21.5 });
    const secret = await looking.ask<{ samples: unknown[] }>("history", { id: "hall_sensor", attribute: "code" });
    expect(secret.samples).toEqual([]);
    expect(await looking.fail("history", { id: "hall_sensor", attribute: "temperature", from: "soon" })).toContain(
      "from",
    );
  });

  test("a door and its surroundings in words with units, whatever the device itself calls them", async () => {
    const senses = (kind: object) => ({ readOnly: true, ...kind });
    const properties = {
      contact: senses({ type: "boolean", class: "door", inverted: true }),
      pressure: senses({ type: "number", unit: "kPa" }),
      battery: senses({ type: "number", unit: "%" }),
    };
    const about = { device_id: "window", plugin_id: "zigbee", name: "Window", device_type: "sensor", area: "hall" };
    await house.say("plugins/zigbee/register", { ...about, capabilities: { type: "object", properties } });
    await house.say("devices/window/state", { contact: true, pressure: 101.3, battery: 90 });
    await house.say("devices/window/state", { contact: false, pressure: 101.3, battery: 90 });
    type Seen = { state: Record<string, unknown>; attributes: Record<string, { unit?: string }> };
    const window = await until("it is open", async () => {
      const found = await looking.ask<Seen>("get_device", { id: "window" }).catch(() => undefined);
      return found?.state.open === true ? found : undefined;
    });
    expect(window.state).toEqual({ open: true, pressure: 1013, battery: 90 });
    expect(window.attributes.pressure).toMatchObject({ unit: "hPa" });
    expect(Object.keys(window.attributes).sort()).toEqual(["battery", "open", "pressure"]);
    const { devices } = await looking.ask<{ devices: Seen[] }>("list_devices", { query: "window" });
    expect(devices[0]?.state).toEqual({ open: true, pressure: 1013, battery: 90 });
    const given = { type: "device_state_changed", device: "window" };
    const { events } = await looking.ask<{ events: { changed: object }[] }>("recent_events", given);
    expect(events[0]?.changed).toEqual({ open: { from: false, to: true } });
    await house.admin("DELETE", "/devices/window");
  });

  test("what a rule says, why it ran, and what it would do", async () => {
    await house.say("devices/hall_sensor/state/partial", { motion: true });
    const explained = await until("the rule ran", async () => {
      const found = await looking.ask<{ evaluations: { why: string; outcome: string }[]; rule: object }>(
        "explain_rule",
        {
          id: HALL,
        },
      );
      return found.evaluations.length > 0 ? found : undefined;
    });
    expect(explained.evaluations[0]).toMatchObject({ outcome: "fired", why: expect.any(String) });
    expect(explained).toMatchObject({ name: "Hall light", rule: { name: "Hall light" } });
    const before = house.commands.length;
    const tried = await looking.ask("test_rule", { id: HALL });
    expect(tried).toMatchObject({ outcome: "fired", actions: [{ type: "set_device_state" }] });
    expect(house.commands.length).toBe(before);
  });

  test("wrong input is explained, and nothing else is reported", async () => {
    expect(await looking.fail("get_device", { id: "attic_lamp" })).toContain("there is no device");
    expect(await looking.fail("get_device", { name: "x" })).toContain("unknown key");
    expect(await looking.fail("list_devices", { area: 5 })).toContain("area: must be text");
  });
});

describe("acting", () => {
  test("a command reaches the device, and says who asked", async () => {
    const sent = await acting.ask("command_device", { id: "bed_lamp", state: { on: true } });
    expect(sent).toMatchObject({ device_id: "bed_lamp", correlation_id: expect.any(String) });
    await until("the plugin has it", () => house.commands.some(({ device }) => device === "bed_lamp"));
    const [event] = await house.admin<object[]>("GET", "/events?type=device_command_sent&device_id=bed_lamp&limit=1");
    expect(event).toMatchObject({
      source: "mcp",
      actor_name: expect.stringContaining("assistant"),
      command: { on: true },
    });
  });

  test("what the device does not take is refused with its reason", async () => {
    expect(await acting.fail("command_device", { id: "bed_lamp", state: {} })).toContain("state");
    await house.say("devices/blind/availability", "offline");
    await until("the blind is gone", async () => !(await acting.ask("get_device", { id: "blind" })).available);
    expect(await acting.fail("command_device", { id: "blind", state: { position: 5 } })).toContain("cannot be reached");
    await isBack("blind");
  });

  test("a scene is activated", async () => {
    const done = await acting.ask<{ sent: { device_id: string }[] }>("activate_scene", { id: "night" });
    expect(done.sent.map(({ device_id }) => device_id).sort()).toEqual(["bed_lamp", "hall_lamp"]);
  });
});

describe("what protects the house", () => {
  test("is not there unless it is named", async () => {
    await acting.ask("command_device", { id: "hall_lamp", state: { on: true } });
    type Sent = { source: string };
    const sent = async () =>
      (await house.admin<Sent[]>("GET", "/events?type=device_command_sent")).filter(({ source }) => source === "mcp");
    const before = await sent();
    for (const id of ["front_door", "garage_door"]) {
      expect(await acting.fail("get_device", { id })).toContain("there is no device");
      expect(await acting.fail("command_device", { id, state: { locked: false } })).toContain("there is no device");
      expect(await acting.fail("history", { id, attribute: "locked" })).toContain("there is no device");
      expect(await acting.fail("recent_events", { device: id })).toContain("there is no device");
    }
    expect(await acting.fail("activate_scene", { id: "leave" })).toContain("there is no scene");
    expect(await acting.fail("explain_rule", { id: DOORS })).toContain("there is no rule");
    expect(await acting.fail("test_rule", { id: DOORS })).toContain("there is no rule");
    // It would find the lock in its area.
    expect(await acting.fail("explain_rule", { id: FOUND })).toContain("there is no rule");
    const events = JSON.stringify(await acting.ask("recent_events"));
    expect(events).toContain("hall_lamp");
    expect(events).not.toContain("front_door");
    expect(await sent()).toEqual(before);
  });

  test("is seen, and opened, by a key that names it", async () => {
    const key = await house.key({ areas: [], devices: ["front_door"], read_only: false });
    await using client = await house.client(key);
    expect(await idsOf(client)).toEqual(["front_door"]);
    const before = house.commands.filter(({ device }) => device === "front_door").length;
    await client.ask("command_device", { id: "front_door", state: { locked: false, pin: "1234" } });
    await until(
      "the lock has it",
      () => house.commands.filter(({ device }) => device === "front_door").length > before,
    );
    const [row] = await house.admin<{ detail: string }[]>("GET", "/system/audit?limit=1&action=mcp.command_device");
    expect(row?.detail).not.toContain("1234");
  });

  test("is only looked at with a key that names it and reads", async () => {
    await using client = await house.client(await house.key({ devices: ["front_door"] }));
    expect(await client.ask("get_device", { id: "front_door" })).toMatchObject({ may_command: false });
    await expect(client.call("command_device", { id: "front_door", state: { locked: false } })).rejects.toThrow();
    // The secrets of a rule are masked.
    const explained = JSON.stringify(await client.ask("explain_rule", { id: DOORS }));
    expect(explained).toContain("front_door");
    expect(explained).not.toContain("4711");
  });
});

describe("a key for some areas", () => {
  test("sees and commands what is in them, and nothing of the rest", async () => {
    expect(await idsOf(hall)).toEqual(["hall_lamp", "hall_sensor"]);
    expect(await hall.tools()).not.toContain("alerts");
    expect(await hall.fail("get_device", { id: "bed_lamp" })).toContain("there is no device");
    expect(await hall.fail("command_device", { id: "bed_lamp", state: { on: true } })).toContain("there is no device");
    // A group with a lamp of another room is one way to it.
    await house.admin("PATCH", "/devices/lamps", { area: "hall" });
    expect(await hall.fail("command_device", { id: "lamps", state: { on: true } })).toContain("there is no device");
    await house.admin("PATCH", "/devices/lamps", { area: null });
    const { scenes } = await hall.ask<{ scenes: { id: string }[] }>("list_scenes");
    expect(scenes.map(({ id }) => id)).toEqual(["evening"]);
    expect(await hall.fail("activate_scene", { id: "night" })).toContain("there is no scene");
    const { rules } = await hall.ask<{ rules: { name: string }[] }>("list_rules");
    expect(rules.map(({ name }) => name)).toEqual(["Hall light"]);
    await hall.ask("command_device", { id: "hall_lamp", state: { on: true } });
    const events = JSON.stringify(await hall.ask("recent_events"));
    expect(events).toContain("hall_lamp");
    expect(events).not.toContain("bed_lamp");
    expect(events).not.toContain("system_started");
    expect(await hall.ask("system_status")).toMatchObject({
      devices: 2,
      access: { areas: ["hall"], may_command: true },
    });
  });

  test("loses a device that leaves the area", async () => {
    await house.admin("PATCH", "/devices/hall_sensor", { area: "cellar" });
    expect(await hall.fail("get_device", { id: "hall_sensor" })).toContain("there is no device");
    expect(await hall.fail("explain_rule", { id: HALL })).toContain("there is no rule");
    await house.admin("PATCH", "/devices/hall_sensor", { area: "hall" });
  });
});

test("modes are seen, and set only where they are named", async () => {
  expect(await acting.ask("get_device", { id: "away" })).toMatchObject({ type: "mode", may_command: false });
  expect(await acting.fail("command_device", { id: "away", state: { on: true } })).toContain("named");
  await house.admin("POST", "/scenes", { id: "going", name: "Going", states: { away: { on: true } } });
  expect(await acting.fail("activate_scene", { id: "going" })).toContain("mode");
  await using client = await house.client(await house.key({ devices: ["away"], read_only: false }));
  await client.ask("activate_scene", { id: "going" });
  await until("the mode is on", async () => (await house.admin<{ on: boolean }>("GET", "/modes/away")).on);
});

test("what rules find by themselves does not report what is hidden", async () => {
  const any = { type: "device_availability_changed" };
  const id = "22222222-2222-4222-8222-222222222204";
  const log = { type: "log_message", message: "somebody" };
  await house.admin("POST", "/rules", { id, name: "Whoever comes", trigger: any, actions: [log] });
  const evaluationsFor = async (device: string): Promise<unknown[]> =>
    (
      await looking.ask<{ evaluations: { trigger: { context: { device_id?: string } } }[] }>("explain_rule", { id })
    ).evaluations.filter(({ trigger }) => trigger.context.device_id === device);
  for (const device of ["garage_door", "bed_lamp"]) await house.say(`devices/${device}/availability`, "offline");
  await until("the lamp's evaluation is shown", async () => (await evaluationsFor("bed_lamp")).length > 0);
  const all = await house.admin<object[]>("GET", `/rules/${id}/traces`);
  expect(JSON.stringify(all)).toContain("garage_door");
  expect(JSON.stringify(await looking.ask("explain_rule", { id }))).not.toContain("garage_door");
  expect(JSON.stringify(await looking.ask("recent_events", { type: "rule_fired" }))).not.toContain("garage_door");
  for (const device of ["garage_door", "bed_lamp"]) await isBack(device);
  await house.admin("DELETE", `/rules/${id}`);
});

test("addresses lose what may be a key", async () => {
  await house.say("devices/hall_sensor/state/partial", { stream: "rtsp://anna:secret@cam.local/live?token=abc see" });
  const { state } = await until("it is reported", async () => {
    const found = await looking.ask<{ state: Record<string, unknown> }>("get_device", { id: "hall_sensor" });
    return found.state.stream === undefined ? undefined : found;
  });
  expect(state.stream).toBe("rtsp://cam.local/… see");
});

test("the hub's own switches are known by their names", async () => {
  await house.admin("POST", "/switches", { id: "alarm_armed", name: "Armed" });
  await house.admin("POST", "/switches", { id: "party", name: "Party" });
  expect(await acting.fail("command_device", { id: "alarm_armed", state: { on: false } })).toContain(
    "there is no device",
  );
  await acting.ask("command_device", { id: "party", state: { on: true } });
  for (const id of ["alarm_armed", "party"]) await house.admin("DELETE", `/switches/${id}`);
});

test("each call is in the audit log, refused ones too", async () => {
  await using client = await house.client(await house.key({ areas: ["hall"] }));
  await client.ask("get_device", { id: "hall_lamp" });
  await client.fail("get_device", { id: "bed_lamp" });
  await client.call("command_device", { id: "hall_lamp", state: { on: true } }).catch(() => undefined);
  const rows = await house.audited();
  const actor = { kind: "mcp", name: expect.stringContaining("assistant") };
  expect(rows[0]).toMatchObject({ action: "mcp.call", target: "command_device", outcome: "refused", actor });
  expect(rows[1]).toMatchObject({ action: "mcp.get_device", target: "bed_lamp", outcome: "refused", actor });
  expect(rows[2]).toMatchObject({ action: "mcp.get_device", target: "hall_lamp", outcome: "ok", actor });
});

describe("what people call things", () => {
  test("kinds are found by their words, in English and German, one or several", async () => {
    const lamps = ["bed_lamp", "hall_lamp"];
    await house.say("plugins/zigbee/register", {
      device_id: "ceiling",
      name: "Ceiling",
      device_type: "light",
      area: "bedroom",
    });
    await until("it is there", async () => (await idsOf(looking)).includes("ceiling"));
    for (const query of ["lamp", "lamps", "light", "Lampe", "Lampen", "Licht", "leuchten"])
      expect({ query, found: await idsOf(looking, { query }) }).toEqual({
        query,
        found: expect.arrayContaining(["ceiling"]),
      });
    expect(await idsOf(looking, { query: "lamps", area: "bedroom" })).toEqual(["bed_lamp", "ceiling"]);
    expect(await idsOf(looking, { type: "Lampen" })).toEqual(expect.arrayContaining([...lamps, "ceiling"]));
    expect(await idsOf(looking, { query: "jalousie" })).toEqual(["blind"]);
    expect(await idsOf(looking, { query: "lampion" })).toEqual([]);
    await house.admin("DELETE", "/devices/ceiling");
  });

  test("an area or a type that is not there is refused instead of an empty list", async () => {
    expect(await looking.fail("list_devices", { area: "Entrnce" })).toContain("did you mean");
    expect(await looking.fail("list_devices", { type: "spaceship" })).toContain("there are cover, ");
  });

  test("the name of a device, a scene or a rule does where its id does", async () => {
    expect(await acting.ask("get_device", { id: "Hall Lamp" })).toMatchObject({ id: "hall_lamp" });
    expect(await acting.ask("explain_rule", { id: "Hall light" })).toMatchObject({ id: HALL });
    const reported = await acting.ask("command_device", { id: "hall lamp", state: { on: true } });
    expect(reported).toMatchObject({ device_id: "hall_lamp", outcome: "sent" });
    expect(await acting.ask("activate_scene", { id: "evening" })).toMatchObject({
      sent: [{ device_id: "hall_lamp", outcome: "sent" }],
    });
    expect((await house.admin<{ id: string }>("GET", "/devices/Hall%20Lamp")).id).toBe("hall_lamp");
    const inHall = await house.admin<{ id: string }[]>("GET", "/devices?area=ENTRANCE");
    expect(inHall.map(({ id }) => id).sort()).toEqual(["front_door", "garage_door", "hall_lamp", "hall_sensor"]);
  });

  test("a name that several have is refused with their ids, and hidden ones are not reported", async () => {
    for (const [device_id, area] of [
      ["twin_a", "hall"],
      ["twin_b", "bedroom"],
    ])
      await house.say("plugins/zigbee/register", { device_id, name: "Twin", device_type: "light", area });
    await until("they are there", async () => (await idsOf(looking)).includes("twin_b"));
    expect(await acting.fail("command_device", { id: "twin", state: { on: true } })).toContain(
      'give one of the ids \\"twin_a\\", \\"twin_b\\"',
    );
    expect(await hall.ask("get_device", { id: "twin" })).toMatchObject({ id: "twin_a" });
    const refused = await house.hub.request("PATCH", "/devices/twin/state", {
      token: house.hub.adminToken,
      body: { on: true },
    });
    expect([refused.status, await refused.text()]).toEqual([409, expect.stringContaining("twin_a")]);
    for (const id of ["twin_a", "twin_b"]) await house.admin("DELETE", `/devices/${id}`);
  });

  test("a lock that is commanded by its name is in the audit log", async () => {
    await house.admin("PATCH", "/devices/Front%20Door/state", { locked: true });
    const rows = await house.admin<{ action: string; target: string }[]>("GET", "/system/audit?action=device.command");
    expect(rows[0]).toMatchObject({ action: "device.command", target: "Front Door" });
  });
});
