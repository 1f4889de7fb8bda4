// What devices say of themselves for people, from each source that has it: versions, addresses, a page of their own.
import { expect, test } from "bun:test";
import { inNetwork } from "../../../src/house/discovery/hardware.ts";
import { inTopics, LAMP } from "./homie-messages.ts";
import { createRig } from "./rig.ts";
import { PLUS_1PM } from "./shelly-messages.ts";
import { configOf } from "./tasmota-messages.ts";

const MAC = "441793A3B2C4";
const CONNECTIONS = [["mac", "44:17:93:a3:b2:c4"]];

test("a Tasmota", () => {
  using rig = createRig();
  rig.publish(`tasmota/discovery/${MAC}/config`, configOf(MAC), { account: "tasmota" });
  expect(rig.registry.get(MAC.toLowerCase()).details).toMatchObject({
    ...{ sw_version: "14.2.0", configuration_url: "http://192.168.1.50/", connections: CONNECTIONS },
  });
});

test("a Shelly of the second generation", () => {
  using rig = createRig();
  const { prefix, info, config, status } = PLUS_1PM;
  rig.publish(`${prefix}/online`, "true", { account: "shelly" });
  for (const [at, result] of [info, config, status].entries())
    rig.publish(`${prefix}/hub/rpc`, { id: at + 1, src: prefix, result }, { account: "shelly" });
  expect(rig.registry.get(MAC.toLowerCase()).details).toMatchObject({
    ...{ sw_version: "1.7.4", configuration_url: "http://192.168.1.60/", connections: CONNECTIONS },
  });
});

test("a Homie device", async () => {
  using rig = createRig();
  const said = { $mac: "44:17:93:A3:B2:C4", "$fw/version": "2.1.0", "$fw/name": "lamp-firmware" };
  for (const [end, text] of Object.entries(said)) rig.publish(`homie/super-car/${end}`, text, { account: "homie" });
  for (const [topic, text] of inTopics("super-car", LAMP)) rig.publish(topic, text, { account: "homie" });
  await rig.clock.advance(1000);
  expect(rig.registry.get("homie_super-car").details).toMatchObject({ sw_version: "2.1.0", connections: CONNECTIONS });
});

test("a bridge of Zigbee2MQTT", () => {
  using rig = createRig();
  rig.publish("zigbee2mqtt/bridge/info", {
    ...{
      version: "2.14.1",
      coordinator: { ieee_address: "0x00124b00", type: "zStack3x0", meta: { revision: 20240710 } },
    },
    config: { frontend: { enabled: true, url: "http://admin:secret@192.168.1.5:8080" } },
  });
  expect(rig.registry.get("zigbee2mqtt_bridge").details).toMatchObject({
    ...{ sw_version: "2.14.1", hw_version: "20240710", configuration_url: "http://192.168.1.5:8080/" },
  });
});

test.each(["", "0.0.0.0", "somewhere", "javascript:alert(1)", "1.2.3.4/x", 7, null])("%p is no address", (ip) => {
  expect(inNetwork({ mac: MAC.toLowerCase(), ip, version: undefined })).toEqual({
    connections: [["mac", "44:17:93:a3:b2:c4"]],
  });
});
