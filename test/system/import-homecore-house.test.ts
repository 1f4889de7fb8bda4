// What a house from homeCore does here: its rules find devices by every name they had there, and its groups, schedules,
// calendars and timers go on.
import { expect, test } from "bun:test";
import { join } from "node:path";
import { device, HOMECORE_TOKEN, makeHomecoreBackup, smallHouse, startFakeHomecore } from "../support/fake-homecore.ts";
import { createHubPlace } from "../support/hub-place.ts";
import { soon, until } from "../support/wait.ts";

const env = { HOMECORE_TOKEN };

function ruleText(name: string, door: string, lamp: string, state: string): string {
  const action = `RuleAction(enabled: true, action: SetDeviceState(device_id: "${lamp}", state: ${state}, track_event_value: false))`;
  return `Rule(id: "${name}", name: "${name}", enabled: true, priority: 10, tags: [], trigger: DeviceStateChanged(device_id: "${door}", attribute: Some("open"), to: Some(true)), conditions: [], actions: [${action}], log_events: false, log_triggers: false, log_actions: false, cancel_on_false: false)\n`;
}

test("rules in homeCore's spelling find devices by id, canonical name and display name", async () => {
  const house = smallHouse();
  const texts = {
    by_id: ruleText("by_id", "yolink_door", "hue_1", '{"brightness": 1}'),
    by_canonical: ruleText("by_canonical", "deck.rear", "kitchen.lamp", '{"brightness": 2}'),
    by_name: ruleText("by_name", "Back door", "Kitchen lamp", '{"brightness": 3}'),
  };
  house.devices = house.devices.map((one) =>
    one.device_id === "yolink_door" ? { ...one, canonical_name: "deck.rear" } : one,
  );
  house.rules = Object.entries(texts).map(([id, ron]) => ({ id, name: id, enabled: true, ron }));
  using old = startFakeHomecore(house);
  await using place = createHubPlace();
  const zip = join(place.cwd, "..", "old.zip");
  makeHomecoreBackup(zip, {
    extra: Object.entries(texts).map(([id, content]) => ({ name: `rules/${id}.ron`, content })),
  });
  const ran = await place.run(["import", "homecore", "--url", old.url, "--backup", zip], { env });
  expect(ran.stderr).toBe("");
  const hub = await place.start();
  const client = await hub.mqtt();
  const received = new Set<unknown>();
  client.on("message", (_, payload) =>
    received.add((JSON.parse(payload.toString()) as { brightness?: number }).brightness),
  );
  await client.subscribeAsync("homecore/devices/hue_1/cmd", { qos: 1 });
  await client.publishAsync("homecore/devices/yolink_door/state", '{"open": true}', { qos: 1 });
  await until("each rule commanded the lamp", () => [1, 2, 3].every((brightness) => received.has(brightness)));
});

function fullHouse() {
  const house = smallHouse();
  const glue = (id: string, name: string, device_type: string, attributes: object) =>
    device(id, name, { plugin_id: "core.glue", device_type, attributes });
  const minutesAgo = (minutes: number) => new Date(Date.now() - minutes * 60_000).toISOString();
  house.devices = [
    ...house.devices.filter(({ plugin_id }) => plugin_id !== "core.glue" && plugin_id !== "core.timer"),
    glue("switch_new", "New kind of switch", "switch", { on: true }),
    glue("group_all", "All off", "group", { member_ids: ["hue_1"], attribute: "on", mode: "all" }),
    glue("group_lamps", "Lamps", "group", { member_ids: ["kitchen.lamp", "gone"], attribute: "on", mode: "any" }),
    glue("group_doors", "Doors", "group", { member_ids: ["yolink_door", "group_lamps"], attribute: "open" }),
    glue("schedule_work", "Work", "schedule", {
      active: false,
      blocks: [
        { days: ["Mon", "Tue"], start: "8:00", end: "17:30" },
        { days: ["Sat"], start: "22:00", end: "06:00" },
        { days: ["Sun"], start: "10:00", end: "10:00" },
      ],
    }),
    glue("schedule_broken", "Broken", "schedule", { blocks: [{ days: ["Mon"], start: "noon", end: "17:00" }] }),
    glue("button_bell", "Bell", "button", {}),
    device("timer_laundry", "Laundry", {
      plugin_id: "core.timer",
      device_type: "timer",
      attributes: {
        ...{ state: "running", duration_secs: 3600, remaining_secs: 3600, started_at: minutesAgo(20) },
        ...{ label: "whites", repeat: true },
      },
    }),
  ];
  house.calendars = [
    { id: "holidays", source_url: "https://calendar.example/private-word/holidays.ics", events: [] },
    { id: "Our family", source_url: null, events: [] },
    { id: "lost", source_url: null, events: [] },
    { id: "plain", source_url: "http://calendar.example/a.ics", events: [] },
  ];
  return house;
}

const daysAhead = (days: number) => new Date(Date.now() + days * 86_400_000);

/** A calendar with a party on a day. */
function familyCalendar(day: Date): string {
  const date = day.toISOString().slice(0, 10).replaceAll("-", "");
  const event = `UID:1\r\nSUMMARY:Party\r\nDTSTART:${date}T180000Z\r\nDTEND:${date}T200000Z`;
  return `BEGIN:VCALENDAR\r\nVERSION:2.0\r\nBEGIN:VEVENT\r\n${event}\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n`;
}

test("groups, schedules, calendars and running timers go on, and what cannot is reported", async () => {
  using old = startFakeHomecore(fullHouse());
  await using place = createHubPlace();
  const zip = join(place.cwd, "..", "old.zip");
  makeHomecoreBackup(zip, {
    extra: [{ name: "config/calendars/Our family.ics", content: familyCalendar(daysAhead(10)) }],
  });
  const args = ["import", "homecore", "--url", old.url, "--backup", zip];
  const ran = await place.run(args, { env });
  expect(ran.stderr).toBe("");
  for (const said of [
    "group All off: it is on when all members are",
    "group Lamps: without gone: no such device is here",
    'group Doors: rules that ask for its "on" must ask for its "open"',
    "schedule Broken: its times cannot be read",
    "the button Bell: there are no buttons of this kind here",
    "calendar lost: its file is not in the backup: copy calendars/lost.ics",
    "calendar plain: its address does not begin with https://",
    'calendar Our family: rules must call it "Our_family"',
  ])
    expect(ran.stdout).toContain(said);
  expect(ran.stdout).not.toContain("private-word");
  const again = await place.run([...args, "--json"], { env });
  expect((JSON.parse(again.stdout) as { kept: unknown }).kept).toBeNull();

  const hub = await place.start();
  const { token } = (await login(hub, ran.stdout)).json<{ token: string }>();
  const get = async <T>(path: string) => (await hub.request("GET", path, { token })).json<T>();
  expect(await get("/groups/group_lamps")).toMatchObject({ name: "Lamps", members: ["hue_1"] });
  expect(await get("/groups/group_doors")).toMatchObject({ members: ["yolink_door", "group_lamps"] });
  expect(await get("/devices/group_lamps")).toMatchObject({ attributes: { on: true, brightness: 128 } });
  expect(await get("/switches/switch_new")).toMatchObject({ on: true });
  expect(await get("/schedules/schedule_work")).toMatchObject({
    enabled: true,
    plan: [
      { days: ["mon", "tue"], from: "08:00", to: "17:30" },
      { days: ["sat"], from: "22:00", to: "24:00" },
      { days: ["sat"], from: "00:00", to: "06:00" },
    ],
  });
  const timer = await get<Record<string, unknown>>("/timers/timer_laundry");
  expect(timer).toMatchObject({ state: "started", duration_secs: 3600, label: "whites", repeat: true });
  expect(timer.remaining_secs).toBeWithin(2300, 2401);
  expect(place.read("config/hub.toml")).toContain("private-word/holidays.ics");
  await until("the file is read", async () => {
    const calendars = await get<{ id: string; events: number }[]>("/calendars");
    return calendars.some(({ id, events }) => id === "Our_family" && events > 0);
  });
  const between = `from=${daysAhead(9).toISOString()}&to=${daysAhead(12).toISOString()}`;
  expect(JSON.stringify(await get(`/calendars/Our_family/events?${between}`))).toContain("Party");
});

/** With the password that the import has printed. */
async function login(hub: { login(name: string, password: string): Promise<{ json<T>(): T }> }, printed: string) {
  const password = /^ {2}admin +(\S+) +admin$/m.exec(printed)?.[1];
  return soon("admin logs in", hub.login("admin", password ?? ""));
}
