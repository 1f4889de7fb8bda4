// Which rules an event concerns, while rules are added and removed.
import { expect, test } from "bun:test";
import type { TriggerRef } from "../../../../src/rules/engine/entry.ts";
import { newEntry } from "../../../../src/rules/engine/entry.ts";
import { createTriggerIndex } from "../../../../src/rules/engine/triggering/trigger-index.ts";
import type { TriggerDefinition } from "../../../../src/rules/model/define.ts";
import type { RuleDevice } from "../../../../src/rules/model/host.ts";
import type { SomeDevices } from "../../../../src/rules/model/targets.ts";
import { deviceStateChanged } from "../../../../src/rules/triggers/device-state-changed.ts";
import type { Envelope } from "../../../../src/server/events/feed.ts";
import { opened, openRig, rule } from "../rig.ts";
import { words } from "../words.ts";

test("an event concerns the triggers on its device, on another field, and those on all events", async () => {
  await using rig = openRig();
  const written = { type: "variable", name: "n" };
  rig.begin(
    rule("door", { triggers: opened }),
    rule("n", { triggers: written }),
    rule("mqtt", { triggers: { type: "topic" } }),
  );
  const fired = (): number[] => ["door", "n", "mqtt"].map((id) => rig.engine.state(id).fire_count);
  rig.report("window", { open: true });
  rig.feed.emit({ type: "hub_variable_changed", name: "m", value: 1, previous_value: null });
  expect(fired()).toEqual([0, 0, 0]);
  rig.report("door", { open: true });
  rig.feed.emit({ type: "hub_variable_changed", name: "n", value: 1, previous_value: null });
  rig.feed.emit({ type: "mqtt_message", topic: "t", payload_bytes: 0, retain: false, qos: 0 });
  expect(fired()).toEqual([1, 1, 1]);
});

test("the engine unsubscribes from events that no rule needs any more", async () => {
  await using rig = openRig();
  const mqtt = (id: string) => rule(id, { triggers: [{ type: "topic" }, { type: "topic" }] });
  rig.begin(mqtt("a"), mqtt("b"));
  expect(rig.feed.wantsMqtt()).toBe(true);
  rig.engine.remove("a");
  expect(rig.feed.wantsMqtt()).toBe(true);
  rig.engine.put({ ...mqtt("b"), enabled: false });
  expect(rig.feed.wantsMqtt()).toBe(false);
  rig.engine.put(mqtt("b"));
  expect(rig.feed.wantsMqtt()).toBe(true);
});

test("of thousands of triggers, an event finds those it concerns, in the order of their rules", () => {
  const index = createTriggerIndex({ need: () => ({ [Symbol.dispose]() {} }) }, () => undefined);
  const [changes] = words.triggers;
  if (!changes) throw new Error("no such trigger");
  const refOf = (id: string, device: string, priority = 0): TriggerRef => {
    const entry = newEntry(rule(id, { priority }), { fired: undefined, fireCount: 0, pause: undefined });
    return { entry, position: 0, key: "", spec: { ...opened, device }, definition: changes };
  };
  const refs = Array.from({ length: 5000 }, (_, n) => refOf(`${n}`, `device-${n % 2000}`, n % 3));
  for (const ref of refs) index.add(ref);
  const shown = (device: string): string[] =>
    index
      .concerned({ type: "device_state_changed", event: { device_id: device } } as unknown as Envelope)
      .map(({ entry }) => entry.rule.id);
  expect(shown("device-7")).toEqual(["2007", "4007", "7"].sort((a, b) => (Number(b) % 3) - (Number(a) % 3)));
  expect(shown("nobody")).toEqual([]);
  for (const ref of refs) index.remove(ref);
  expect(shown("device-7")).toEqual([]);
});

test("of thousands of triggers on areas, an event finds those of the area in which its device is now", () => {
  const device: RuleDevice = {
    ...{ id: "lamp", name: "lamp", area: "area-7", deviceType: "light", tags: ["xmas", "low"], available: true },
    ...{ attributes: {}, lastChanged: {} },
  };
  let present: RuleDevice | undefined = device;
  const index = createTriggerIndex({ need: () => ({ [Symbol.dispose]() {} }) }, (id) =>
    id === "lamp" ? present : undefined,
  );
  const refOf = (id: string, target: SomeDevices, priority = 0): TriggerRef => {
    const entry = newEntry(rule(id, { priority }), { fired: undefined, fireCount: 0, pause: undefined });
    const spec = { type: "device_state_changed", attribute: "on", ...target };
    return { entry, position: 0, key: "", spec, definition: deviceStateChanged as TriggerDefinition };
  };
  const refs = [
    ...Array.from({ length: 5000 }, (_, n) => refOf(`area ${n}`, { area: `area-${n % 1000}` }, n)),
    refOf("two areas", { area: ["area-7", "area-8"], device_type: "light" }, 9000),
    refOf("tags", { tag: ["low", "xmas"] }, 8000),
    refOf("type", { device_type: "light" }, -1),
  ];
  for (const ref of refs) index.add(ref);
  const concerned = (): string[] =>
    index
      .concerned({
        type: "device_state_changed",
        deviceId: "lamp",
        event: { device_id: "lamp" },
      } as unknown as Envelope)
      .map(({ entry }) => entry.rule.id);

  expect(concerned()).toEqual([
    "two areas",
    "tags",
    "area 4007",
    "area 3007",
    "area 2007",
    "area 1007",
    "area 7",
    "type",
  ]);
  present = { ...device, area: undefined, tags: [], deviceType: "fan" };
  expect(concerned()).toEqual([]);
  present = undefined;
  expect(concerned()).toEqual([]);
  present = device;
  for (const ref of refs) index.remove(ref);
  expect(concerned()).toEqual([]);
});
