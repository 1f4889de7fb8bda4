// IoTuring, which brings a computer.
import { existsSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { isNumber, nothing, type Program } from "./program.ts";

export const IOTURING: Program = {
  name: "IoTuring",
  version: "2024.6.1",
  topics: ["IoTuring/#", "ioturing/#"],
  async start({ run, bin, broker, put, folder }) {
    const { host, port, username, password } = broker;
    const warehouse = { address: host, port, name: "laptop", username, password, add_name: "N", use_tag: "N" };
    put(
      "configurations.json",
      JSON.stringify({
        active_entities: [
          ...["AppInfo", "Cpu", "Ram", "Hostname", "OperatingSystem"].map((type) => ({ type })),
          { type: "FileSwitch", tag: "lamp", path: join(folder, "lamp") },
          { type: "Terminal", tag: "wake", entity_type: "button", command_on: `touch ${join(folder, "woken")}` },
        ],
        active_warehouses: [{ type: "HomeAssistant", ...warehouse }],
        settings: [{ type: "App", update_interval: "1", retry_interval: "1" }],
      }),
    );
    return run([bin("IoTuring")], { env: { IOTURING_CONFIG_DIR: folder, TERM: "dumb" } });
  },
  devices: [
    {
      name: "laptop",
      device_type: "switch",
      hasMore: true,
      attributes: {
        on: { value: false },
        appinfo_update: { value: false },
        connectivity: { value: true },
        appinfo_version: { value: "2024.6.1" },
        cpu_used_percentage: { value: isNumber, unit: "%" },
        cpu_current_frequency: { value: isNumber, unit: "MHz" },
        hostname: { value: hostname() },
        operating_system: { value: "Linux" },
        ram_physical_memory_percentage: { value: isNumber, unit: "%" },
        terminalbutton_wake_terminal: { value: nothing },
        // What it says beside them.
        physical_memory_total: {},
        cpu_count: {},
        distro: {},
      },
      commands: [
        { send: { on: true }, becomes: { on: true }, obeyed: ({ folder }) => existsSync(join(folder, "lamp")) },
        { send: { on: false }, becomes: { on: false }, obeyed: ({ folder }) => !existsSync(join(folder, "lamp")) },
        {
          send: { terminalbutton_wake_terminal: true },
          obeyed: ({ folder }) => existsSync(join(folder, "woken")),
        },
      ],
    },
  ],
};
