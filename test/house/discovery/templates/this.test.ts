import { expect, test } from "bun:test";
import { createRig } from "../rig.ts";

const ESP = { account: "esp" };

test("a template knows its entity, and what it made of the message before", async () => {
  using rig = createRig();
  const config = {
    ...{ unique_id: "p", name: "Power", state_topic: "meter/p", command_topic: "meter/p/set" },
    device: { identifiers: ["m"] },
    value_template: "{{ this.state[:7] }}/{{ name }}/{{ this.attributes.unit_of_measurement }}/{{ value }}",
  };
  rig.publish("homeassistant/text/p/config", config, ESP);
  await rig.clock.advance(1000);
  const said = (): string[] => Object.values(rig.registry.get("m").attributes).map(String);
  rig.publish("meter/p", "1", ESP);
  expect(said()).toContain("unknown/Power//1");
  rig.publish("meter/p", "2", ESP);
  expect(said()).toContain("unknown/Power//2");
});

test("it knows what was announced of its entity, and what the entity sends beside its value", async () => {
  using rig = createRig();
  const config = {
    ...{
      unique_id: "l",
      name: "Level",
      state_topic: "tank/level",
      command_topic: "tank/level/set",
      device: { ids: ["t"] },
    },
    ...{ min: 0, max: 80, step: 2, unit_of_measurement: "cm", icon: "mdi:waves" },
    ...{ json_attributes_topic: "tank/about", value_template: "{{ value_json.level }}" },
    command_template:
      "{{ value }} of {{ this.attributes.max }} {{ this.attributes.unit_of_measurement }}, was {{ this.state }}, {{ this.attributes.pump }}",
  };
  rig.publish("homeassistant/number/l/config", config, ESP);
  await rig.clock.advance(1000);
  rig.publish("tank/about", { pump: "idle" }, ESP);
  rig.publish("tank/level", { level: 40 }, ESP);
  rig.sent();
  await rig.discovery.command("t", { level: 42 });
  expect(rig.sent().map(({ payload }) => payload)).toEqual(["42 of 80 cm, was 40, idle"]);
});

test("the state of a switch is on or off, whatever it says", async () => {
  using rig = createRig();
  const config = {
    ...{ unique_id: "s", name: "Pump", state_topic: "pump", command_topic: "pump/set", device: { ids: ["p"] } },
    ...{ payload_on: "1", payload_off: "0", command_template: "{{ this.state }}->{{ value }}" },
  };
  rig.publish("homeassistant/switch/s/config", config, ESP);
  await rig.clock.advance(1000);
  rig.publish("pump", "1", ESP);
  rig.sent();
  await rig.discovery.command("p", { on: false });
  expect(rig.sent().map(({ payload }) => payload)).toEqual(["on->0"]);
});
