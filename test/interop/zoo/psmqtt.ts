// psmqtt, which says how a computer fares.
import { isNumber, type Program } from "./program.ts";

const configOf = ({ host, port, username, password }: Record<string, unknown>): string => `
logging:
  level: INFO
mqtt:
  broker:
    host: ${host}
    port: ${port}
    username: ${username}
    password: "${password}"
  publish_topic_prefix: psmqtt/nas/
  ha_discovery:
    enabled: true
    topic: homeassistant
    device_name: nas
schedule:
  - cron: "every 1 seconds"
    tasks:
      - task: cpu_percent
        params: [ total ]
        ha_discovery:
          name: CPU Percentage
          platform: sensor
          unit_of_measurement: "%"
          state_class: measurement
      - task: virtual_memory
        params: [ percent ]
        ha_discovery:
          name: Memory
          platform: sensor
          unit_of_measurement: "%"
          state_class: measurement
      - task: disk_usage
        params: [ free, / ]
        formatter: "{{ x|MB }}"
        ha_discovery:
          name: Free disk
          platform: sensor
          device_class: data_size
          unit_of_measurement: MB
      - task: boot_time
        formatter: "{{ x|iso8601_str }}"
        ha_discovery:
          name: Boot time
          platform: sensor
          device_class: timestamp
`;

export const PSMQTT: Program = {
  name: "psmqtt",
  version: "2.6.2",
  topics: ["psmqtt/#"],
  start: async ({ run, bin, broker, put }) =>
    run([bin("python"), bin("psmqtt")], { env: { PSMQTTCONFIG: put("psmqtt.yaml", configOf({ ...broker })) } }),
  devices: [
    {
      name: "nas",
      device_type: "sensor",
      attributes: {
        cpu_percent: { value: isNumber, unit: "%" },
        virtual_memory: { value: isNumber, unit: "%" },
        disk_usage: { value: isNumber, unit: "MB" },
        boot_time: { value: (value: unknown) => Date.parse(String(value)) < Date.now() },
      },
    },
  ],
};
