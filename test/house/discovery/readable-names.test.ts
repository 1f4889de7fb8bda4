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

const laptop = (component: string, id: string, config: object): Announced => [
  `${component}/IoTuring/laptop_Entity_${id}`,
  {
    ...{ unique_id: `laptop.Entity.${id}`, device: { identifiers: "laptop", name: "laptop" } },
    ...{ state_topic: `IoTuring/laptopHomeAssistant/Entity/${id}` },
    ...config,
  },
];

const station = (key: string, config: object, component = "sensor"): Announced => [
  `${component}/0123456789ABCDEF/${key}`,
  {
    ...{ unique_id: `0123456789ABCDEF_${key}`, name: key, state_topic: `homeassistant/${component}/s/${key}/state` },
    ...{ device: { identifiers: ["0123456789ABCDEF"], name: "GW2000" } },
    ...config,
  },
];

const MAC = "CBB8334C884F";
const beacon = (key: string, config: object): Announced => [
  `sensor/${MAC}-${key}`,
  {
    ...{ unique_id: `${MAC}-${key}`, name: `RuuviTag_RAWv2-${key}`, state_topic: `+/+/BTtoMQTT/${MAC}` },
    ...{ value_template: `{{ value_json.${key} | is_defined }}`, device: { ids: [MAC], name: "RuuviTag-4C884F" } },
    ...config,
  },
];

const computer = (id: string, template: string, config: object = {}): Announced => [
  `sensor/lnxlink/study_${id}`,
  {
    ...{ unique_id: `study_${id}`, device: { identifiers: ["study"], name: "study" }, value_template: template },
    ...{ state_topic: "lnxlink/study/memory", unit_of_measurement: "MB", ...config },
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
  [
    "a computer whose program begins every id with the same word",
    [
      laptop("sensor", "Cpu_used_percentage", { unit_of_measurement: "%" }),
      laptop("sensor", "Hostname_hostname", {}),
      laptop("sensor", "OperatingSystem_operating_system", {}),
      laptop("binary_sensor", "AppInfo_update", { device_class: "update" }),
    ],
    ["appinfo_update", "cpu_used_percentage", "hostname", "operating_system"],
  ],
  [
    "figures whose classes do not say what they are",
    [
      load("disk_usage", { device_class: "data_size", unit_of_measurement: "MB" }),
      load("boot_time", { device_class: "timestamp" }),
    ],
    ["boot_time", "disk_usage"],
  ],
  [
    "a button whose three ends have a battery each",
    [1, 2, 3].map((end) =>
      zwave(`battery_l${end}`, { device_class: "battery", unit_of_measurement: "%", name: `Battery L${end}` }),
    ),
    ["battery_l1", "battery_l2", "battery_l3"],
  ],
  [
    "a weather station",
    [
      station("temp", { device_class: "temperature", unit_of_measurement: "°C" }),
      station("tempin", { device_class: "temperature", unit_of_measurement: "°C" }),
      station("soilbatt1", { device_class: "voltage", unit_of_measurement: "V" }),
      station("runtime", { device_class: "duration", unit_of_measurement: "s" }),
      station("wh65batt", { device_class: "battery" }, "binary_sensor"),
    ],
    ["battery_low", "runtime", "soilbatt1", "temp", "tempin"],
  ],
  [
    "a beacon",
    [
      beacon("tempc", { device_class: "temperature", unit_of_measurement: "°C" }),
      beacon("volt", { device_class: "voltage", unit_of_measurement: "V" }),
      beacon("rssi", { device_class: "signal_strength", unit_of_measurement: "dBm" }),
      beacon("seq", {}),
      [
        `device_tracker/${MAC}-tracker`,
        { unique_id: `${MAC}-tracker`, state_topic: `+/+/BTtoMQTT/${MAC}`, device: { ids: [MAC] } },
      ],
    ],
    ["rssi", "seq", "temperature", "tracker", "voltage"],
  ],
  [
    "keys that say how much, and not of what",
    [
      computer("memory_usage", "{{ value_json.percent }}", { unit_of_measurement: "%" }),
      computer("memory_used", "{{ value_json.used }}"),
      computer("cpu_usage", "{{ value_json.get('percent') }}", { unit_of_measurement: "%" }),
    ],
    ["cpu_usage", "memory_usage", "memory_used"],
  ],
  [
    "ids that say nothing, and a device that is where it is",
    [
      load("x1", { name: "Pump", unit_of_measurement: "bar" }),
      ["device_tracker/nas", { unique_id: "nas", state_topic: "nas/place", device: { identifiers: ["nas"] } }],
    ],
    ["location", "pump"],
  ],
  [
    "an update",
    [["update/nas_os", { unique_id: "os", state_topic: "nas/os", device: { identifiers: ["nas"] }, title: "OS" }]],
    [
      ...["installed_version", "latest_version", "release_summary", "release_url", "update_available"],
      ...["update_in_progress", "update_progress", "update_title"],
    ],
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

test("what a message calls as no name may be is called so that people can write it, in every message", async () => {
  using rig = createRig();
  const [topic, config] = computer("cpu", "{{ value_json.percent }}", { json_attributes_topic: "lnxlink/study/about" });
  rig.publish(`homeassistant/${topic}/config`, config);
  await rig.clock.advance(200);
  for (const load of [1, 2]) {
    rig.publish("lnxlink/study/about", { "CPU Info": "EPYC", "Load 1m %": load, "Physical memory: total": "24 GB" });
    rig.publish("lnxlink/study/memory", { percent: 4, Cores: 2, deviceMode: "a", Größe: 1 });
    await rig.clock.advance(200);
  }
  const [device] = [...rig.registry.list()];
  expect(device?.attributes).toEqual({
    ...{ cpu: 4, cores: 2, deviceMode: "a", grosse: 1 },
    ...{ cpu_info: "EPYC", load_1m_pct: 2, physical_memory_total: "24 GB" },
  });
});

test("a number that a template only passes on is a number", async () => {
  using rig = createRig();
  for (const [topic, config] of [beacon("seq", {}), beacon("mov", {})])
    rig.publish(`homeassistant/${topic}/config`, config);
  await rig.clock.advance(200);
  rig.publish(`home/a/BTtoMQTT/${MAC}`, { seq: 205 });
  rig.publish(`home/a/BTtoMQTT/${MAC}`, { mov: "quiet" });
  expect([...rig.registry.list()][0]?.attributes).toEqual({ seq: 205, mov: "quiet" });
});

test("an update is there where the two versions differ, however they come", async () => {
  using rig = createRig();
  const device = { identifiers: ["nas"] };
  rig.publish("homeassistant/update/os/config", {
    ...{ unique_id: "os", device, state_topic: "nas/os", latest_version_topic: "nas/latest" },
  });
  await rig.clock.advance(200);
  const available = (): unknown => [...rig.registry.list()][0]?.attributes.update_available;
  rig.publish("nas/os", "1.0");
  expect(available()).toBeUndefined();
  rig.publish("nas/latest", "1.1");
  expect(available()).toBe(true);
  rig.publish("nas/os", { installed_version: "1.1", latest_version: "1.1" });
  expect(available()).toBe(false);
});
