// ha-mqtt-device: a library whose devices announce themselves in one message.
import { join } from "node:path";
import { nothing, type Program } from "./program.ts";

export const DEVICE: Program = {
  name: "ha-mqtt-device",
  version: "1.3.0",
  topics: [],
  async start({ run, bin, broker }) {
    const { host, port, username, password } = broker;
    return run([bin("python"), join(import.meta.dir, "device.py"), host, String(port), username, password]);
  },
  leaves: true,
  devices: [
    {
      name: "Garden house",
      device_type: "climate",
      attributes: {
        current_temperature: { value: 17.5, unit: "°C" },
        target_temperature: { value: 20, unit: "°C" },
        mode: { value: "heat" },
        action: { value: "heating" },
        position: { value: 30, unit: "%" },
        state: { value: nothing },
        moving: { value: nothing },
        command: { value: nothing },
        on: { value: true },
        brightness: { value: 64 },
        brightness_pct: { value: 25, unit: "%" },
        on_pump: { value: false },
        window: { value: true },
        open: { value: true },
        depth: { value: 20, unit: "cm" },
        humidity: { value: 61.5, unit: "%" },
        power: { value: 12, unit: "W" },
      },
      commands: [
        { send: { on_pump: true }, becomes: { on_pump: true, on: true } },
        { send: { on: false }, becomes: { on: false, on_pump: true } },
        { send: { brightness_pct: 100 }, becomes: { brightness: 255 } },
        { send: { depth: 35 }, becomes: { depth: 35 } },
        { send: { position: 80 }, becomes: { position: 80 } },
        { send: { command: "close" }, becomes: { position: 0 } },
        { send: { target_temperature: 18.5 }, becomes: { target_temperature: 18.5 } },
        { send: { mode: "off" }, becomes: { mode: "off" } },
      ],
    },
  ],
};
