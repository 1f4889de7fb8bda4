// ha-mqtt-discoverable: a library with which people announce what they have made themselves.
import { join } from "node:path";
import { nothing, type Program } from "./program.ts";

export const DISCOVERABLE: Program = {
  name: "ha-mqtt-discoverable",
  version: "0.26.0",
  topics: ["hmd/#"],
  async start({ run, bin, broker }) {
    const { host, port, username, password } = broker;
    return run([bin("python"), join(import.meta.dir, "discoverable.py"), host, String(port), username, password]);
  },
  devices: [
    {
      name: "Boiler room",
      device_type: "cover",
      attributes: {
        temperature: { value: 54.5, unit: "°C" },
        gas: { value: 1234.56, unit: "m³" },
        stage: { value: "heating" },
        moisture: { value: false },
        leak: { value: false },
        on: { value: true },
        brightness: { value: 128 },
        brightness_pct: { value: 50, unit: "%" },
        transition: { value: nothing, unit: "s" },
        flash: { value: nothing },
        on_pump: { value: false },
        state: { value: "closed" },
        // It has none: closed is 0.
        position: { value: 0, unit: "%" },
        moving: { value: "stopped" },
        command: { value: nothing },
        limit: { value: 60, unit: "°C" },
        program: { value: "eco" },
        note: { value: "all is well" },
        locked: { value: true },
        lock_state: { value: "locked" },
        reset: { value: nothing },
      },
      commands: [
        { send: { on_pump: true }, becomes: { on_pump: true, on: true } },
        { send: { on: false }, becomes: { on: false, on_pump: true } },
        { send: { brightness_pct: 100 }, becomes: { on: true, brightness: 255 } },
        { send: { command: "open" }, becomes: { state: "open" } },
        { send: { limit: 62.5 }, becomes: { limit: 62.5 } },
        { send: { program: "comfort" }, becomes: { program: "comfort" } },
        { send: { note: "sweep it" }, becomes: { note: "sweep it" } },
        { send: { locked: false }, becomes: { locked: false } },
        { send: { reset: true }, becomes: { stage: "reset by PRESS" } },
      ],
    },
  ],
};
