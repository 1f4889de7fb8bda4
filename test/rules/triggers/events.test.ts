// Triggers on a single event of the feed: what they match, and their contexts.
import { describe, expect, test } from "bun:test";
import type { JsonObject } from "../../../src/kit/schema/json.ts";
import type { TriggerDefinition } from "../../../src/rules/model/define.ts";
import { triggers } from "../../../src/rules/triggers/index.ts";
import type { HubEvent } from "../../../src/server/events/catalog.ts";
import { createHouse } from "../support/host.ts";
import { contextOf, problemsIn, readIn } from "../support/read.ts";

const definitionOf = (type: unknown): TriggerDefinition => {
  const found = triggers.find((trigger) => trigger.type === type);
  if (!found) throw new Error(`no trigger ${type}`);
  return found;
};

function match(trigger: JsonObject, event: HubEvent) {
  const house = createHouse();
  house.put("door", { name: "Haustür 🚪" });
  const spec = readIn("triggers", trigger);
  return contextOf(definitionOf(trigger.type), { spec, envelope: house.envelope(event), host: house });
}

const offline = { type: "device_availability_changed", device_id: "door", available: false } as const;
const night = { type: "mode_changed", mode_id: "night", mode_name: "Nacht 🌙", on: true } as const;
const guests = { type: "hub_variable_changed", name: "guests", value: 3, previous_value: 2 } as const;
const expired = {
  type: "timer_state_changed",
  device_id: "kettle",
  previous_state: "started",
  state: "expired",
} as const;
const low = {
  type: "device_battery_low",
  device_id: "door",
  device_name: "old name",
  battery_pct: 19,
  threshold_pct: 20,
} as const;
const message = (topic: string, payload?: unknown) =>
  ({ type: "mqtt_message", topic, payload, payload_bytes: 1, retain: false, qos: 0 }) as const;
const gone = { type: "plugin_offline", plugin_id: "sysmon", reason: "its heartbeat expired" } as const;

const answered = {
  type: "notification_acknowledged",
  ...{ id: "n1", tag: "leak", title: "Leak", action: "acknowledge", by: "Anna", channel: "anna" },
  at: "2026-11-21T03:07:00Z",
} as const;
const nobody = {
  type: "notification_unanswered",
  ...{ id: "n1", tag: "leak", title: "Leak", asked: 2, at: "2026-11-21T03:10:00Z" },
} as const;

describe("matches, and their contexts", () => {
  test.each<[JsonObject, HubEvent, JsonObject | undefined]>([
    [
      { type: "device_availability_changed", device_id: "door" },
      offline,
      { device_id: "door", device_name: "Haustür 🚪", attribute: "available", value: false, available: false },
    ],
    [{ type: "device_availability_changed", available: false }, offline, { device_id: "door" }],
    [{ type: "device_availability_changed", device_id: "door", available: true }, offline, undefined],
    // It comes back after a restart of the hub as it was before.
    [{ type: "device_availability_changed" }, { ...offline, available: true, after_restart: true }, undefined],
    [{ type: "device_availability_changed", device_ids: ["x"] }, offline, undefined],
    [{ type: "mode_changed" }, night, { mode_id: "night", mode_name: "Nacht 🌙", on: true }],
    [{ type: "mode_changed", mode_id: "night", on: true }, night, { mode_id: "night" }],
    [{ type: "mode_changed", mode_id: "night", on: false }, night, undefined],
    [{ type: "mode_changed", mode_id: "away" }, night, undefined],
    [{ type: "hub_variable_changed", name: "guests" }, guests, { name: "guests", value: 3, previous: 2 }],
    [{ type: "hub_variable_changed" }, guests, { name: "guests" }],
    [{ type: "hub_variable_changed", name: "other" }, guests, undefined],
    [{ type: "hub_variable_changed", to: [3, 4], from: 2 }, guests, { value: 3 }],
    [{ type: "hub_variable_changed", to: "3" }, guests, undefined],
    [{ type: "hub_variable_changed", from: 1 }, guests, undefined],
    // Written again with the same value.
    [{ type: "hub_variable_changed" }, { ...guests, previous_value: 3 }, undefined],
    [{ type: "hub_variable_changed" }, { ...guests, value: { a: 1, b: 2 }, previous_value: { b: 2, a: 1 } }, undefined],
    [
      { type: "hub_variable_changed", to: null },
      { ...guests, value: null },
      { value: null, previous: 2 },
    ],
    [
      { type: "timer_state_changed", device_id: "kettle", state: "Expired" },
      expired,
      { device_id: "kettle", device_name: "kettle", attribute: "state", value: "expired", previous: "started" },
    ],
    [{ type: "timer_state_changed", state: ["paused", "expired"] }, expired, { value: "expired" }],
    [{ type: "timer_state_changed", state: "started" }, expired, undefined],
    [{ type: "timer_state_changed", device_id: "egg" }, expired, undefined],
    [
      { type: "device_battery_low" },
      low,
      {
        device_id: "door",
        device_name: "Haustür 🚪",
        attribute: "battery_pct",
        value: 19,
        battery_pct: 19,
        threshold_pct: 20,
      },
    ],
    [{ type: "device_battery_low", device_id: "window" }, low, undefined],
    [
      { type: "device_battery_recovered", device_ids: ["door"] },
      { type: "device_battery_recovered", device_id: "door", device_name: "x", battery_pct: 90 },
      { device_id: "door", value: 90, battery_pct: 90 },
    ],
    [{ type: "device_battery_recovered", device_id: "door" }, low, undefined],
    [{ type: "plugin_offline" }, gone, { plugin_id: "sysmon", reason: "its heartbeat expired" }],
    [{ type: "plugin_offline", plugin_id: "zigbee" }, gone, undefined],
    [
      { type: "notification_acknowledged", tag: "leak", action: "acknowledge" },
      answered,
      { notification_id: "n1", tag: "leak", title: "Leak", action: "acknowledge", by: "Anna", channel: "anna" },
    ],
    [{ type: "notification_acknowledged" }, answered, { by: "Anna" }],
    [{ type: "notification_acknowledged", title: "Leak" }, answered, { by: "Anna" }],
    [{ type: "notification_acknowledged", title: "Fire" }, answered, undefined],
    [{ type: "notification_acknowledged", tag: "fire" }, answered, undefined],
    [{ type: "notification_acknowledged", action: "valve" }, answered, undefined],
    [{ type: "notification_acknowledged", unanswered: true }, answered, undefined],
    [{ type: "notification_acknowledged" }, nobody, undefined],
    [
      { type: "notification_acknowledged", tag: "leak", unanswered: true },
      nobody,
      { notification_id: "n1", tag: "leak" },
    ],
    [{ type: "system_started" }, { type: "system_started", version: "1.0.0" }, { version: "1.0.0" }],
    [
      { type: "custom_event", event_type: "doorbell" },
      { type: "custom_doorbell", place: "Tür 🚪", device_id: "bell" },
      { event_type: "doorbell", data: { place: "Tür 🚪", device_id: "bell" }, device_id: "bell" },
    ],
    [
      { type: "custom_event", event_type: "doorbell", fields: { place: "back", n: 1.0 } },
      { type: "custom_doorbell", place: "back", n: 1, more: true },
      { event_type: "doorbell" },
    ],
    [
      { type: "custom_event", event_type: "doorbell", data: { place: "back" } },
      { type: "custom_doorbell", place: "front" },
      undefined,
    ],
    [{ type: "custom_event", event_type: "doorbell", fields: { place: null } }, { type: "custom_doorbell" }, undefined],
    [{ type: "custom_event", event_type: "door" }, { type: "custom_doorbell" }, undefined],
  ])("%j", (trigger, event, context) => {
    const found = match(trigger, event);
    if (context === undefined) expect(found).toBeUndefined();
    else expect(found).toMatchObject(context);
  });

  test("the stamp of a custom event is not passed on", () => {
    const context = match({ type: "custom_event", event_type: "x" }, { type: "custom_x", a: 1 });
    expect(context).toEqual({ event_type: "x", data: { a: 1 } });
  });

  test("by hand only", () => {
    expect(Object.keys(definitionOf("manual_trigger"))).not.toContain("match");
  });
});

describe("mqtt_message", () => {
  const on = (fields: JsonObject): JsonObject => ({ type: "mqtt_message", ...fields });
  const weather = message("zigbee/garden/state", { sensor: { "temp/°C": 21.5, list: [1, { "a~b": "🔥" }] }, on: true });

  test.each<[string, string, boolean]>([
    ["a/b", "a/b", true],
    ["a/b", "a/b/c", false],
    ["a/+", "a/b", true],
    ["a/+", "a/b/c", false],
    ["a/+", "a", false],
    ["+/b", "a/b", true],
    ["a/#", "a", true],
    ["a/#", "a/b/c", true],
    ["#", "a/b", true],
    ["#", "$SYS/broker", false],
    ["+/broker", "$SYS/broker", false],
    ["$SYS/#", "$SYS/broker", true],
    ["a/+/c", "a//c", true],
    ["haus/tür🚪", "haus/tür🚪", true],
  ])("%s receives %s: %p", (filter, topic, received) => {
    expect(match(on({ topic: filter }), message(topic)) !== undefined).toBe(received);
  });

  test.each<[JsonObject, boolean]>([
    [{}, true],
    [{ pointer: "" }, true],
    [{ pointer: "/on" }, true],
    [{ pointer: "/off" }, false],
    [{ pointer: "/on", value: true }, true],
    [{ pointer: "/on", value: "true" }, false],
    [{ pointer: "/on", op: "ne", value: false }, true],
    [{ pointer: "/sensor/temp~1°C", op: ">", value: 21 }, true],
    [{ pointer: "/sensor/temp~1°C", op: "Gt", value: 21.5 }, false],
    [{ pointer: "/sensor/list/1/a~0b", value: "🔥" }, true],
    [{ pointer: "/sensor/list/2", op: "Ne", value: 1 }, false],
    [{ pointer: "/sensor/list/01", op: "Ne", value: 1 }, false],
    [{ pointer: "/on/deeper" }, false],
    [{ pointer: "/sensor/toString" }, false],
    [{ value: 5 }, false],
  ])("%j", (fields, received) => {
    expect(match(on({ topic: "zigbee/+/state", ...fields }), weather) !== undefined).toBe(received);
  });

  test("the context holds the topic, the payload and the value at the pointer", () => {
    expect(match(on({ topic: "#", pointer: "/on" }), weather)).toMatchObject({
      topic: "zigbee/garden/state",
      payload: { on: true },
      value: true,
    });
    expect(match(on({ topic: "#" }), message("a", "ON"))).toEqual({ topic: "a", payload: "ON", value: "ON" });
    expect(match(on({ topic: "#" }), message("a"))).toEqual({ topic: "a", payload: null, value: null });
  });

  test("gets only events of its topic, if that has no wildcard", () => {
    const interests = (topic: string) => definitionOf("mqtt_message").interests?.(readIn("triggers", on({ topic })));
    expect(interests("a/b")).toEqual([{ event: "mqtt_message", where: { field: "topic", value: "a/b" } }]);
    expect(interests("a/+")).toEqual([{ event: "mqtt_message" }]);
  });

  test.each<[JsonObject, string]>([
    [{ topic: "a/b#" }, "topic: must be a topic or a filter: `+` fills a whole level, `#` only the last one"],
    [{ topic: "a/#/b" }, "topic: must be a topic or a filter: `+` fills a whole level, `#` only the last one"],
    [{ topic: "a", pointer: "sensor.temp" }, 'pointer: must be empty or start with "/", such as "/sensor/temp"'],
    [{ topic: "a", pointer: "$.sensor.temp" }, 'pointer: must be empty or start with "/", such as "/sensor/temp"'],
    [{ topic: "a", pointer: "/a~2" }, 'pointer: in a key, "~" is written "~0" and "/" is written "~1"'],
    [{ topic: "a", op: "Gt" }, "value: missing: Gt needs something to compare with"],
    [
      { topic: "a", op: "Gt", value: "21" },
      "value: must be a number for the op Gt; only Eq and Ne compare anything else",
    ],
  ])("refuses %j", (fields, problem) => {
    expect(problemsIn("triggers", on(fields))).toEqual([problem]);
  });
});

describe("webhook_received", () => {
  const secret = "correct horse battery 🐎";
  const trigger = { type: "webhook_received", path: "doorbell", secret };

  function call(path: string, given: string | undefined) {
    const house = createHouse();
    const fields = { path, method: "POST", query: { a: "1" }, body: { who: "Tür 🚪" } };
    const envelope = house.envelope({ type: "webhook_received", ...fields });
    if (given !== undefined) Object.defineProperty(envelope.event, "secret", { value: given });
    return contextOf(definitionOf("webhook_received"), { spec: readIn("triggers", trigger), envelope, host: house });
  }

  test("fires with its secret, which is not in the context", () => {
    expect(call("doorbell", secret)).toEqual({
      path: "doorbell",
      method: "POST",
      query: { a: "1" },
      body: { who: "Tür 🚪" },
    });
  });

  test.each([
    ["doorbell", "wrong"],
    ["doorbell", ""],
    ["doorbell", `${secret} `],
    ["doorbell", undefined],
    ["other", secret],
  ])("does not fire at %s with %s", (path, given) => {
    expect(call(path, given)).toBeUndefined();
  });

  test.each<[JsonObject, string]>([
    [{ path: "a/b" }, "path: must be one part of an address: letters, digits, `-`, `_`, `.` or `~`, at most 128"],
    [{ path: ".." }, "path: must be one part of an address: letters, digits, `-`, `_`, `.` or `~`, at most 128"],
    [{ secret: "short" }, "secret: must have at least 16 characters"],
  ])("refuses %j", (fields, problem) => {
    expect(problemsIn("triggers", { ...trigger, ...fields })).toEqual([problem]);
  });
});

test("a hold on being offline ends when the device is back, or gone", () => {
  const house = createHouse();
  const { hold } = definitionOf("device_availability_changed");
  const spec = readIn("triggers", { type: "device_availability_changed", device_id: "door", for_duration_secs: 60 });
  const context = { device_id: "door", available: false };
  house.put("door", { available: false });
  expect(hold?.durationMs(spec)).toBe(60_000);
  expect(hold?.stillMatches(spec, context, house)).toBe(true);
  house.put("door", { available: true });
  expect(hold?.stillMatches(spec, context, house)).toBe(false);
  house.remove("door");
  expect(hold?.stillMatches(spec, context, house)).toBe(false);
});

test("interests are as narrow as can be", () => {
  const interests = (trigger: JsonObject) => definitionOf(trigger.type).interests?.(readIn("triggers", trigger));
  expect(interests({ type: "mode_changed", mode_id: "night" })).toEqual([
    { event: "mode_changed", where: { field: "mode_id", value: "night" } },
  ]);
  expect(interests({ type: "hub_variable_changed", name: "guests" })).toEqual([
    { event: "hub_variable_changed", where: { field: "name", value: "guests" } },
  ]);
  expect(interests({ type: "mode_changed" })).toEqual([{ event: "mode_changed" }]);
  expect(interests({ type: "custom_event", event_type: "x" })).toEqual([{ event: "custom_x" }]);
});
