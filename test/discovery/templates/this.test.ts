import { expect, test } from "bun:test";
import { createRig } from "../rig.ts";

test("a template knows its entity, and what it made of the message before", async () => {
  using rig = createRig();
  const config = {
    ...{
      unique_id: "p",
      name: "Power",
      state_topic: "meter/p",
      unit_of_measurement: "W",
      device: { identifiers: ["m"] },
    },
    value_template: "{{ this.state[:7] }}/{{ name }}/{{ this.attributes.unit_of_measurement }}/{{ value }}",
  };
  const { unit_of_measurement: _unit, ...text } = config;
  rig.publish("homeassistant/text/p/config", { ...text, command_topic: "meter/p/set" }, { account: "esp" });
  await rig.clock.advance(1000);
  const said = (): string[] => Object.values(rig.registry.get("m")?.attributes ?? {}).map(String);
  rig.publish("meter/p", "1", { account: "esp" });
  expect(said()).toContain("unknown/Power//1");
  rig.publish("meter/p", "2", { account: "esp" });
  expect(said()).toContain("unknown/Power//2");
});
