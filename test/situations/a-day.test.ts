// A day in the house on a virtual clock: the night in which summer time ends, a restart while a timer runs, the sunset.
// Everything goes through the public interfaces: REST, MQTT, the event stream.
// Over 10 s: a whole hub lives through a day, with all that it does by the clock.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { connectAsync, type MqttClient } from "mqtt";
import { getTimes } from "suncalc";
import { story } from "../support/story.ts";
import type { StreamClient, StreamFrame } from "../support/stream-client.ts";
import { createTemporaryFolder } from "../support/temporary-folder.ts";
import { startTestHub, type TestHub } from "../support/test-hub.ts";
import { until } from "../support/wait.ts";
import { createIdleClock } from "./idle-clock.ts";

// Midnight in Berlin; at 03:00 summer time the clocks are put back, so this day has 25 hours.
const MIDNIGHT = Date.parse("2026-10-24T22:00:00Z");
const MODES = `
[[modes]]
id = "night"
name = "Night"
kind = "solar"
on_event = "sunset"
off_event = "sunrise"
on_offset_minutes = 15

[[modes]]
id = "away"
name = "Nobody at home"
kind = "manual"
`;
const LOCATION = `[location]\nlatitude = 52.52\nlongitude = 13.405\ntimezone = "Europe/Berlin"\n`;
const REPORTED = [
  "timer_state_changed",
  "mode_changed",
  "scene_activated",
  "hub_variable_changed",
  "device_battery_low",
  "device_battery_recovered",
];

const folder = createTemporaryFolder();
const clock = createIdleClock(MIDNIGHT);
const frames: StreamFrame[] = [];
let hub: TestHub;
let stream: StreamClient;
let token = "";
let lamp: MqttClient;

async function startHub(admin?: TestHub["admin"], since = 0): Promise<void> {
  hub = await startTestHub({ folder, clock, toml: LOCATION, ...(admin ? { admin } : {}) });
  token = hub.adminToken;
  stream = await hub.openStream({ since: String(since) });
  lamp = await connectAsync({
    host: "127.0.0.1",
    port: hub.mqttPort,
    reconnectPeriod: 0,
    keepalive: 0,
    clientId: "lamp",
  });
}

async function stopHub(): Promise<void> {
  await settled();
  frames.push(...received());
  lamp.end(true);
  stream[Symbol.dispose]();
  await hub[Symbol.asyncDispose]();
}

const received = () => stream.frames.filter(({ type }) => type !== "stream_gap");

/** The stream has everything that was emitted. */
async function settled(): Promise<void> {
  const { events_seq: head } = (await (await hub.request("GET", "/system/status", { token })).json()) as {
    events_seq: number;
  };
  await until("the stream is level", () => (stream.frames.at(-1)?.seq ?? 0) >= head);
}

/** Moves to a moment of October 2026, given as UTC. */
const moveTo = (time: string) => clock.advance(Date.parse(`2026-10-${time}Z`) - clock.now());

async function ask(method: string, path: string, body?: unknown): Promise<Record<string, unknown>> {
  const answer = await hub.request(method, path, { token, ...(body === undefined ? {} : { body }) });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}`);
  return text === "" ? {} : (JSON.parse(text) as Record<string, unknown>);
}
const command = (id: string, body: object) => ask("PATCH", `/devices/${id}/state`, body);

async function report(attributes: object): Promise<void> {
  const before = stream.frames.length;
  await lamp.publishAsync("hub/devices/hall_lamp/state/partial", JSON.stringify(attributes), { qos: 1 });
  await until("the report has arrived", () => stream.frames.length > before);
}

const brief = ({ type, timestamp, seq: _, ...fields }: StreamFrame): Record<string, unknown> => ({
  at: timestamp.slice(11, 19),
  type,
  ...fields,
});

beforeAll(async () => {
  await Bun.write(folder.at("config", "modes.toml"), MODES);
  await startHub();
});
afterAll(async () => {
  await stopHub().catch(() => {});
  folder[Symbol.dispose]();
});

/** The times of the sun on this day by the library, to the second. */
function sun(moment: "sunrise" | "sunset", offsetMinutes = 0): string {
  const time = getTimes(new Date("2026-10-25T12:00:00Z"), 52.52, 13.405)[moment];
  return new Date((time?.getTime() ?? 0) + offsetMinutes * 60_000).toISOString().slice(11, 19);
}

const step = story("a day in the house, and what the history has of it");

step("every event of a day arrives once, in order, at the right second", async () => {
  await ask("POST", "/timers", { id: "laundry", name: "Laundry" });
  await ask("POST", "/timers", { id: "oven", name: "Oven" });
  await ask("POST", "/timers", { id: "egg", name: "Egg" });
  await ask("POST", "/switches", { id: "guests", name: "Guests" });
  await report({ on: false, brightness: 0, battery_pct: 60 });
  const states = { guests: { on: true }, away: { on: false }, hall_lamp: { on: true } };
  await ask("POST", "/scenes", { id: "evening", name: "Evening", states });

  // 01:30 summer time; two hours later it is 02:30 for the second time.
  await moveTo("24T23:30:00");
  await command("laundry", { command: "start", duration_secs: 7200 });

  await moveTo("25T11:00:00");
  await command("oven", { command: "start", duration_secs: 2700 });
  await moveTo("25T11:18:00");
  await command("egg", { command: "start", duration_secs: 300 });
  await moveTo("25T11:20:00");
  const { admin } = hub;
  await stopHub();
  const last = frames.at(-1)?.seq;
  await moveTo("25T11:25:00");
  await startHub(admin, last);

  await moveTo("25T12:00:00");
  for (const battery_pct of [19, 21, 19, 25, 26]) await report({ battery_pct });
  await moveTo("25T16:30:00");
  await ask("POST", "/scenes/evening/activate");
  await ask("PUT", "/variables/guests_tonight", { value: 2 });
  await ask("PUT", "/variables/guests_tonight", { value: 3 });
  await moveTo("25T23:00:00");
  await settled();
  frames.push(...received());

  expect(frames.filter(({ type }) => REPORTED.includes(type)).map(brief)).toEqual([
    { at: "22:00:00", type: "mode_changed", mode_id: "night", mode_name: "Night", on: true },
    { at: "23:30:00", type: "timer_state_changed", device_id: "laundry", previous_state: "idle", state: "started" },
    { at: "01:30:00", type: "timer_state_changed", device_id: "laundry", previous_state: "started", state: "expired" },
    { at: sun("sunrise"), type: "mode_changed", mode_id: "night", mode_name: "Night", on: false },
    { at: "11:00:00", type: "timer_state_changed", device_id: "oven", previous_state: "idle", state: "started" },
    { at: "11:18:00", type: "timer_state_changed", device_id: "egg", previous_state: "idle", state: "started" },
    { at: "11:25:00", type: "timer_state_changed", device_id: "egg", previous_state: "started", state: "expired" },
    { at: "11:45:00", type: "timer_state_changed", device_id: "oven", previous_state: "started", state: "expired" },
    {
      at: "12:00:00",
      type: "device_battery_low",
      device_id: "hall_lamp",
      device_name: "hall_lamp",
      battery_pct: 19,
      threshold_pct: 20,
    },
    {
      at: "12:00:00",
      type: "device_battery_recovered",
      device_id: "hall_lamp",
      device_name: "hall_lamp",
      battery_pct: 26,
    },
    { at: sun("sunset", 15), type: "mode_changed", mode_id: "night", mode_name: "Night", on: true },
    expect.objectContaining({ at: "16:30:00", type: "scene_activated", scene_id: "evening", scene_name: "Evening" }),
    { at: "16:30:00", type: "hub_variable_changed", name: "guests_tonight", value: 2, previous_value: null },
    { at: "16:30:00", type: "hub_variable_changed", name: "guests_tonight", value: 3, previous_value: 2 },
  ]);
  const numbers = frames.map(({ seq }) => seq);
  expect(numbers).toEqual([...new Set(numbers)].sort((a, b) => a - b));
  const once = frames.filter(({ type }) => type === "device_state_changed").map(brief);
  expect(once.filter(({ device_id }) => device_id === "guests")).toHaveLength(2);
});

test("the sun of that day is the almanac's: 06:49 and 16:50 in Berlin's winter time", () => {
  expect(sun("sunrise")).toMatch(/^05:(4[89]|50):/);
  expect(sun("sunset")).toMatch(/^15:(49|50|51):/);
});

step("the day has 25 hours in the history too, and the curve starts with the value before it", async () => {
  const hours = (await ask(
    "GET",
    "/devices/hall_lamp/history?attribute=battery_pct&from=2026-10-25&to=2026-10-26&bucket=1h&agg=last",
  )) as unknown as { timestamp: string; value: number }[];
  expect(hours).toHaveLength(25);
  expect(hours[0]).toMatchObject({ timestamp: "2026-10-24T22:00:00.000Z", value: 60 });
  expect(hours.at(-1)).toMatchObject({ timestamp: "2026-10-25T22:00:00.000Z", value: 26 });
  const days = (await ask(
    "GET",
    "/devices/hall_lamp/history?attribute=battery_pct&from=2026-10-25&to=2026-10-27&bucket=1d&agg=min",
  )) as unknown as { timestamp: string; value: number }[];
  expect(days[0]).toMatchObject({ timestamp: "2026-10-24T22:00:00.000Z", value: 19 });
});
