// What waits for a person, what a person decided, and what is still so after a restart.
import { expect, test } from "bun:test";
import { createRig } from "./rig.ts";

const sensor = (id: string, more: object = {}) => ({
  ieee_address: id,
  friendly_name: `sensor ${id}`,
  type: "EndDevice",
  definition: {
    model: "T",
    vendor: "Maker",
    exposes: [{ type: "numeric", name: "temperature", property: "temperature", access: 1, unit: "°C" }],
  },
  ...more,
});
const announce = (rig: ReturnType<typeof createRig>, ...ids: string[]) =>
  rig.publish(
    "zigbee2mqtt/bridge/devices",
    ids.map((id) => sensor(id)),
  );
const states = (rig: ReturnType<typeof createRig>) =>
  Object.fromEntries(rig.discovery.list().map(({ name, state }) => [name, state]));

test("with ask a device waits, is accepted and reports", () => {
  using rig = createRig({ discovery: { approve: "ask" } });
  announce(rig, "0x01", "0x02");
  expect([...rig.registry.list()]).toEqual([]);
  expect(states(rig)).toEqual({ "sensor 0x01": "waiting", "sensor 0x02": "waiting" });
  const [first] = rig.discovery.list();
  expect(rig.discovery.decide(first?.id ?? "", "accepted")).toMatchObject({ state: "accepted", device_id: "0x01" });
  rig.publish("zigbee2mqtt/sensor 0x01", { temperature: 20 });
  rig.publish("zigbee2mqtt/sensor 0x02", { temperature: 20 });
  expect([...rig.registry.list()].map(({ id, attributes }) => [id, attributes])).toEqual([
    ["0x01", { temperature: 20 }],
  ]);
});

test("what a device says while it waits is there when it is let in; a press then is none now", () => {
  using rig = createRig({ discovery: { approve: "ask" } });
  announce(rig, "0x01");
  rig.publish("zigbee2mqtt/sensor 0x01", { temperature: 20 });
  rig.publish("zigbee2mqtt/sensor 0x01", { temperature: 21, action: "single" });
  rig.discovery.decide(rig.discovery.list()[0]?.id ?? "", "accepted");
  expect(rig.registry.get("0x01").attributes).toEqual({ temperature: 21 });
  expect(rig.actions).toEqual([]);
});

test("patterns accept and ignore, and a person's word counts more", () => {
  using rig = createRig({ discovery: { approve: "ask", accept: ["*0x01"], ignore: ["zigbee2mqtt:z2m:*/0x03"] } });
  announce(rig, "0x01", "0x02", "0x03");
  expect(states(rig)).toEqual({ "sensor 0x01": "accepted", "sensor 0x02": "waiting", "sensor 0x03": "ignored" });
  rig.discovery.decide("zigbee2mqtt:z2m:zigbee2mqtt/0x03", "accepted");
  expect(states(rig)).toMatchObject({ "sensor 0x03": "accepted" });
  expect([...rig.registry.list()].map(({ id }) => id)).toEqual(["0x01", "0x03"]);
});

test("several are decided at once, by account and by pattern", () => {
  using rig = createRig({ discovery: { approve: "ask" } });
  announce(rig, "0x01", "0x02", "0x13");
  rig.publish("attic/bridge/devices", [sensor("0x21")], { account: "attic" });
  expect(rig.discovery.decideAll("accepted", { account: "z2m", pattern: "sensor 0x0*" })).toHaveLength(2);
  rig.discovery.decideAll("ignored", { account: "attic" });
  expect(states(rig)).toEqual({
    ...{ "sensor 0x01": "accepted", "sensor 0x02": "accepted" },
    ...{ "sensor 0x13": "waiting", "sensor 0x21": "ignored" },
  });
});

test("after a restart decisions hold, and a known device needs none", () => {
  using rig = createRig();
  announce(rig, "0x01", "0x02");
  rig.discovery.decide("zigbee2mqtt:z2m:zigbee2mqtt/0x02", "ignored");
  using again = createRig({ discovery: { approve: "ask" }, after: rig });
  expect(again.discovery.owns("0x01")).toBe(true);
  expect(again.discovery.command("0x01", { on: true })).rejects.toThrow(/has not announced itself/);
  announce(again, "0x01", "0x02", "0x03");
  expect(states(again)).toEqual({ "sensor 0x01": "accepted", "sensor 0x02": "ignored", "sensor 0x03": "waiting" });
});

test("after a restart a device is the same, whichever source describes it first", async () => {
  const unit = {
    device: { identifiers: ["0x01"], connections: [["mac", "aa:bb"]] },
    unique_id: "t",
    state_topic: "x/t",
  };
  using rig = createRig();
  announce(rig, "0x01");
  rig.publish("homeassistant/sensor/x/config", unit);
  await rig.clock.advance(1000);
  using again = createRig({ after: rig });
  again.publish("homeassistant/sensor/x/config", unit);
  await again.clock.advance(1000);
  announce(again, "0x01");
  expect([...again.registry.list()].map(({ id }) => id)).toEqual(["0x01"]);
});

test("a removed device takes its announcement back, and comes again only when it is announced again", async () => {
  using rig = createRig();
  rig.publish("homeassistant/sensor/x/config", { name: "x", unique_id: "u", state_topic: "x/t" }, { retain: true });
  await rig.clock.advance(1000);
  const [device] = [...rig.registry.list()];
  rig.registry.remove(device?.id ?? "");
  expect(rig.discovery.list()).toEqual([]);
  rig.publish("x/t", "20");
  expect([...rig.registry.list()]).toEqual([]);
});
