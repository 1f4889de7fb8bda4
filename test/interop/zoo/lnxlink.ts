// LNXlink, which brings a Linux computer: what it measures, and what its owner lets it run.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { isNumber, nothing, type Program } from "./program.ts";

const configOf = (broker: Record<string, unknown>, folder: string): string => `
mqtt:
  transport: mqtt
  prefix: lnxlink
  clientId: study
  server: ${broker.host}
  port: ${broker.port}
  auth:
    user: ${broker.username}
    pass: "${broker.password}"
    tls: false
    keyfile: ""
    certfile: ""
    ca_certs: ""
  discovery:
    enabled: true
    prefix: homeassistant
  lwt:
    enabled: true
    qos: 1
  clear_on_off: true
update_interval: 1
update_on_change: false
modules: [ bash, cpu, memory ]
custom_modules:
exclude:
settings:
  bash:
    allow_any_command: false
    expose:
      - name: Desk lamp
        type: switch
        command: "test -e ${folder}/lamp && echo true || echo false"
        command_on: "touch ${folder}/lamp"
        command_off: "rm -f ${folder}/lamp"
      - name: Wake
        type: button
        command: "touch ${folder}/woken"
      - name: Room
        type: sensor
        command: "echo 21.5"
        unit: "°C"
        device_class: temperature
`;

export const LNXLINK: Program = {
  name: "LNXlink",
  version: "2026.10.0",
  topics: ["lnxlink/#"],
  start: async ({ run, bin, broker, put, folder }) =>
    run([bin("lnxlink"), "--ignore-systemd", "--config", put("lnxlink.yaml", configOf({ ...broker }, folder))]),
  devices: [
    {
      name: "study",
      device_type: "switch",
      attributes: {
        on: { value: false },
        temperature: { value: 21.5, unit: "°C" },
        cpu_usage: { value: isNumber, unit: "%" },
        cpu_load_average: { value: isNumber, unit: "%" },
        memory_usage: { value: isNumber, unit: "%" },
        memory_used: { value: isNumber, unit: "MB" },
        memory_available: { value: isNumber, unit: "MB" },
        cpu_info: {},
        cores: { value: isNumber },
        load_1m: { value: isNumber },
        load_5m: { value: isNumber },
        load_15m: { value: isNumber },
        load_1m_pct: {},
        bash_wake: { value: nothing },
      },
      commands: [
        { send: { on: true }, becomes: { on: true }, obeyed: ({ folder }) => existsSync(join(folder, "lamp")) },
        { send: { on: false }, becomes: { on: false }, obeyed: ({ folder }) => !existsSync(join(folder, "lamp")) },
        { send: { bash_wake: true }, obeyed: ({ folder }) => existsSync(join(folder, "woken")) },
      ],
    },
  ],
};
