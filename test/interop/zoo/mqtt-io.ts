// mqtt-io, which brings the pins and sensors of a small computer: with its own pretended ones.
import type { Program } from "./program.ts";

const configOf = ({ host, port, username, password }: Record<string, unknown>): string => `
mqtt:
  host: ${host}
  port: ${port}
  user: ${username}
  password: "${password}"
  client_id: shed-pi
  topic_prefix: shed
  status_payload_stopped: dead
  ha_discovery:
    enabled: true
    name: Shed Pi
gpio_modules:
  - name: pins
    module: mock
sensor_modules:
  - name: wire
    module: mock
digital_inputs:
  - name: shed_door
    module: pins
    pin: 1
    ha_discovery:
      device_class: door
digital_outputs:
  - name: pump
    module: pins
    pin: 2
    initial: low
    publish_initial: true
  - name: fountain
    module: pins
    pin: 3
    initial: low
    publish_initial: true
sensor_inputs:
  - name: temperature
    module: wire
    interval: 1
    ha_discovery:
      unit_of_measurement: "°C"
      device_class: temperature
`;

export const MQTT_IO: Program = {
  name: "mqtt-io",
  version: "2.7.0",
  topics: ["shed/#"],
  start: async ({ run, bin, broker, put }) =>
    run([bin("python"), "-m", "mqtt_io", put("shed.yml", configOf({ ...broker }))]),
  leaves: true,
  devices: [
    {
      name: "Shed Pi",
      device_type: "switch",
      attributes: {
        on: { value: false },
        on_pump: { value: false },
        door: { value: true },
        open: { value: true },
        temperature: { value: 1, unit: "°C" },
      },
      commands: [
        { send: { on_pump: true }, becomes: { on_pump: true, on: false } },
        { send: { on: true }, becomes: { on: true, on_pump: true } },
        { send: { on_pump: false }, becomes: { on_pump: false, on: true } },
      ],
    },
  ],
};
