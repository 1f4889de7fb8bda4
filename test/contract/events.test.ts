// Run for every event type there is, whoever adds one.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { Type } from "@sinclair/typebox";
import { silentLog } from "../../src/kit/lifecycle/log.ts";
import { checkValue } from "../../src/kit/schema/schema.ts";
import { catalog, type HubEvent } from "../../src/server/events/catalog.ts";
import { createEventFeed } from "../../src/server/events/feed.ts";
import { type Documented, fetchDocument } from "../support/documented.ts";
import { startTestHub, type TestHub } from "../support/test-hub.ts";
import { createVirtualClock } from "../support/virtual-clock.ts";

// The contract's tables, by hand: this is what clients rely on. What is added later needs no line.
const CONTRACT: Record<string, string[]> = {
  device_state_changed: ["device_id", "previous", "current", "changed"],
  device_availability_changed: ["device_id", "available"],
  device_name_changed: [],
  rule_fired: ["rule_id", "rule_name", "trigger_type", "trigger_context", "trigger_label"],
  scene_activated: ["scene_id", "scene_name"],
  plugin_registered: [],
  plugin_offline: [],
  plugin_heartbeat: [],
  plugin_status_changed: [],
  device_command_sent: [],
  timer_state_changed: [],
  action_failed: [],
  hub_variable_changed: ["name", "value", "previous_value"],
  mode_changed: [],
  device_battery_low: ["device_id", "device_name", "battery_pct", "threshold_pct"],
  device_battery_recovered: ["device_id", "device_name", "battery_pct"],
  system_started: [],
  mqtt_message: [],
};

let hub: TestHub;
let api: Documented;
beforeAll(async () => {
  hub = await startTestHub();
  api = await fetchDocument(hub.api);
});
afterAll(() => hub[Symbol.asyncDispose]());

test("those of the contract are there with their fields, and no type twice", () => {
  const types = catalog.map(({ type }): string => type);
  expect(types).toEqual(expect.arrayContaining(Object.keys(CONTRACT)));
  expect(new Set(types).size).toBe(types.length);
  for (const { type, fields } of catalog)
    expect(Object.keys(fields.properties)).toEqual(expect.arrayContaining(CONTRACT[type] ?? []));
});

const all = catalog.map((definition) => ({ type: definition.type, definition }));

test.each(all)(
  "$type says when it is emitted, and its example has its fields and no others",
  ({ type, definition }) => {
    expect(type).toMatch(/^[a-z]+(_[a-z]+)*$/);
    expect(definition.doc).toMatch(/^[A-Z].{10}/);
    const closed = Type.Object(definition.fields.properties, { additionalProperties: false });
    expect(checkValue(closed, definition.example)).toEqual({ ok: true, value: definition.example as never });
  },
);

test.each(all)("$type is emitted with its stamp, and found by its device", ({ type, definition: { example } }) => {
  const mark = { load: () => 0, save() {} };
  const feed = createEventFeed({ clock: createVirtualClock(), log: silentLog, buffer: 10, mark });
  const received: { deviceId: string | undefined; json: string }[] = [];
  using _listening = feed.on(type, "test", ({ deviceId, json }) => received.push({ deviceId, json }));
  feed.emit({ type, ...example } as HubEvent);
  const deviceId = "device_id" in example ? example.device_id : undefined;
  expect(received.map((one) => one.deviceId)).toEqual([deviceId]);
  expect(JSON.parse(received[0]?.json ?? "")).toEqual({
    ...example,
    ...{ type, timestamp: "2026-01-15T12:00:00Z", seq: expect.any(Number) },
  });
});

test.each(all)(
  "$type is shown in the OpenAPI document, with an example that is as described",
  ({ type, definition }) => {
    const schema = api.document.components.schemas[type];
    expect(schema).toMatchObject({ description: definition.doc });
    const examples = schema?.examples ?? [];
    expect(examples).toMatchObject([{ type, ...definition.example }]);
    for (const example of examples) expect(api.schemaProblems(schema ?? {}, example)).toEqual([]);
  },
);
