// What people read of devices whose messages name nothing: as the programs' own documentation shows their announcements.
import { expect, test } from "bun:test";
import { createRig } from "./rig.ts";

type Announced = readonly [topic: string, config: Record<string, unknown>];

const zwave = (id: string, config: object): Announced => [
  `sensor/node_12/${id}`,
  {
    ...{
      unique_id: `zwavejs2mqtt_0xe7296c6d_12-${id}`,
      device: { identifiers: ["zwavejs2mqtt_0xe7296c6d_node12"], name: "nodeID_12" },
    },
    ...{ state_topic: `zwave/nodeID_12/${id}`, value_template: "{{ value_json.value }}" },
    ...config,
  },
];
const ZWAVE: readonly Announced[] = [
  zwave("air_temperature", { device_class: "temperature", unit_of_measurement: "°C" }),
  zwave("illuminance", { device_class: "illuminance", unit_of_measurement: "lx" }),
  zwave("battery_level", { device_class: "battery", unit_of_measurement: "%" }),
  zwave("home_security_sensor_status", {}),
];

const relay = (at: number): Announced => [
  `switch/shellypro4pm-f008d1d8b8b8-switch-${at}`,
  {
    ...{ unique_id: `shellypro4pm-f008d1d8b8b8-switch-${at}`, name: ["Pump", "Light", "Fan", "Gate"][at] },
    ...{ device: { identifiers: ["f008d1d8b8b8"], name: "shellypro4pm-f008d1d8b8b8" } },
    ...{ state_topic: `shellypro4pm-f008d1d8b8b8/status/switch:${at}`, value_template: "{{ value_json.output }}" },
    ...{ payload_on: "true", payload_off: "false", command_topic: `shellypro4pm-f008d1d8b8b8/command/switch:${at}` },
  },
];

const load = (what: string, config: object): Announced => [
  `sensor/nas/nas-${what}-e3b0c44298fc`,
  {
    ...{ unique_id: `nas-${what}-e3b0c44298fc`, name: what.replaceAll("_", " "), state_topic: `psmqtt/nas/${what}` },
    ...{ device: { identifiers: ["nas"], name: "nas" } },
    ...config,
  },
];

const radio = (id: string, config: object): Announced => [
  `sensor/Nexus-TH-1-94/Nexus-TH-1-94-${id}`,
  {
    ...{ unique_id: `Nexus-TH-1-94-${id}`, device: { identifiers: ["Nexus-TH-1-94"], name: "Nexus-TH-1-94" } },
    ...{ state_topic: `rtl_433/nas/devices/Nexus-TH/1/94/${id}`, value_template: "{{ value|float|round(1) }}" },
    ...config,
  },
];

test.each([
  ["values of Z-Wave", ZWAVE, ["battery", "home_security_sensor_status", "illuminance", "temperature"]],
  ["relays of one box", [0, 1, 2, 3].map(relay), ["on", "on_fan", "on_gate", "on_light"]],
  [
    "figures of a computer",
    [load("cpu_percent", { unit_of_measurement: "%" }), load("disk_usage", { unit_of_measurement: "%" })],
    ["cpu_percent", "disk_usage"],
  ],
  [
    "a weather sensor behind a receiver",
    [
      radio("T", { device_class: "temperature", unit_of_measurement: "°C" }),
      radio("H", { device_class: "humidity", unit_of_measurement: "%" }),
    ],
    ["humidity", "temperature"],
  ],
] as const)("%s", async (_, announced, names) => {
  using rig = createRig();
  for (const [topic, config] of announced) rig.publish(`homeassistant/${topic}/config`, config);
  await rig.clock.advance(200);
  const [device] = [...rig.registry.list()];
  const { properties } = (device?.details.schema ?? {}) as { properties: Record<string, { derived?: true }> };
  const own = Object.entries(properties).filter(([, { derived }]) => !derived);
  expect(own.map(([name]) => name).sort()).toEqual([...names]);
});
