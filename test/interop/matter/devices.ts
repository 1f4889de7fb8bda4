// The devices of the house for the Matter bridge, as a plugin registers them.

type State = Record<string, unknown>;

export interface Furniture {
  type: string;
  name?: string;
  properties: State;
  state: State;
  /** Why its plugin refuses each command. */
  refuses?: string;
}

const number = (minimum: number, maximum: number) => ({ type: "number", minimum, maximum });
const percent = number(0, 100);
const measures = (unit: string) => ({ type: "number", unit, readOnly: true });
const orders = (...options: string[]) => ({ type: "string", enum: options });
const on = { type: "boolean" };
const moving = { ...orders("opening", "closing", "stopped"), readOnly: true };

export const furniture = (): Record<string, Furniture> => ({
  plug: {
    type: "switch",
    properties: { on, power: measures("W"), energy: measures("kWh"), voltage: measures("V"), current: measures("A") },
    state: { on: false, power: 12.5, energy: 3.25, voltage: 229.5, current: 0.055 },
  },
  lamp: {
    type: "light",
    name: "Lamp over the long dining table in the bay",
    properties: { on, brightness_pct: percent, color_temp_k: number(2200, 6500), color_rgb: { type: "string" } },
    state: { on: true, brightness_pct: 50, color_rgb: "#ff0000", color_temp_k: 2700 },
  },
  blind: { type: "cover", properties: { position: percent }, state: { position: 100 } },
  shutter: {
    type: "cover",
    properties: { position: percent, tilt_pct: percent, moving, command: orders("open", "close", "stop") },
    state: { position: 75, tilt_pct: 20, moving: "stopped" },
  },
  garage: { type: "cover", properties: { command: orders("open", "close") }, state: { moving: "stopped" } },
  slats: { type: "cover", properties: { tilt_pct: percent }, state: { tilt_pct: 100 } },
  sprinkler: { type: "valve", properties: { on }, state: { on: false } },
  mixer: { type: "valve", properties: { on, position: percent, moving }, state: { on: true, position: 40 } },
  "front.door": { type: "lock", properties: { locked: { type: "boolean" } }, state: { locked: true } },
  safe: { type: "lock", properties: { locked: { type: "boolean" } }, state: { locked: true } },
  heater: {
    type: "climate",
    properties: { target_temperature: number(5, 30), mode: { enum: ["off", "heat"] } },
    state: { target_temperature: 20, current_temperature: 18.5, mode: "heat" },
  },
  ceiling: { type: "fan", properties: { on, speed_pct: percent }, state: { on: true, speed_pct: 40 } },
  weather: {
    type: "sensor",
    properties: {},
    state: { temperature: -3.25, humidity: 81, illuminance: 1000, pressure: 1013, battery: 90 },
  },
  air: { type: "sensor", properties: {}, state: { co2: 900, pm25: 22 } },
  window: { type: "sensor", properties: {}, state: { open: false, occupancy: false, water_leak: false, smoke: false } },
  pump: { type: "switch", properties: { on }, state: { on: false }, refuses: "it runs dry" },
  text: { type: "sensor", properties: {}, state: { words: "nothing that Matter knows" } },
});
