// What each topic of a Shelly of the first generation is in the house, by its end: `relay/0`, `sensor/temperature`, …
import { isObject, type Json } from "../../../../core/json.ts";
import type { Attribute } from "../../../described.ts";
import { within } from "../../../numbers.ts";
import { wrong } from "../../../words.ts";
import { lightOf } from "./lights.ts";
import { at, numeric, type Part, text, truth, type Value, whole } from "./value.ts";

export interface PartOptions {
  model: string;
  /** With the number behind it, where there are several of the kind. */
  named(name: string): string;
  /** Of presses, the same way. */
  pressed(press: string): string;
  /** Whether a press with this count is a new one. */
  isNew(count: number): boolean;
}

type Made = (options: PartOptions, path: string) => Part;

const CHANNEL =
  /^(relay|roller|light|white|color|input|input_event|emeter|adc|ext_temperature|ext_humidity)\/(\d)(?:\/(\w+))?$/;

/** The kind and the number of a topic that there may be several of. */
export function channelOf(path: string): { kind: string; number: number } | undefined {
  const [, kind, number] = CHANNEL.exec(path) ?? [];
  // Presses are of an input.
  return kind === undefined ? undefined : { kind: kind === "input_event" ? "input" : kind, number: Number(number) };
}

/** Undefined for a topic that is none of the house, such as one that is commanded. */
export function partOf(path: string, options: PartOptions): Part | undefined {
  const [, kind, , measure] = CHANNEL.exec(path) ?? [];
  const name = kind === undefined ? path : measure === undefined ? kind : `${kind}/${measure}`;
  return PARTS.get(name)?.(options, path);
}

const values = (...found: Value[]): Part => ({ values: found });

const measuring =
  (name: string, more: Partial<Attribute>): Made =>
  ({ named }) =>
    values(numeric(named(name), whole, more));

const POWER = measuring("power", { unit: "W", class: "power" });
// Watt-minutes, since the device was last started.
const ENERGY = measuring("energy", { unit: "Wmin", class: "energy" });
const WATT_HOURS = { unit: "Wh", class: "energy" };
const TEMPERATURE = { unit: "°C", class: "temperature" };
const BATTERY = { unit: "%", class: "battery" };

const relay: Made = ({ named }, path) => {
  const name = named("on");
  return values({
    ...truth(name, whole),
    attribute: { name, type: "boolean", readable: true, writable: true },
    encode(value) {
      if (typeof value !== "boolean" && value !== "toggle") throw wrong(name, 'must be true, false or "toggle"');
      return { path: `${path}/command`, payload: value === "toggle" ? value : value ? "on" : "off" };
    },
  });
};

const MOVES: Readonly<Record<string, string>> = { open: "opening", close: "closing", stop: "stopped" };

const roller: Made = ({ named }, path) => {
  const command = named("command");
  const options = Object.keys(MOVES);
  return values(
    {
      attribute: {
        name: named("moving"),
        type: "string",
        options: Object.values(MOVES),
        readable: true,
        writable: false,
      },
      decode: ({ text: said }) => (Object.hasOwn(MOVES, said) ? MOVES[said] : undefined),
    },
    {
      attribute: { name: command, type: "string", options, readable: false, writable: true },
      encode(value: Json) {
        if (typeof value !== "string" || !options.includes(value))
          throw wrong(command, `must be one of ${options.join(", ")}`);
        return { path: `${path}/command`, payload: value };
      },
    },
  );
};

const position: Made = ({ named }, path) => {
  const name = named("position");
  const range = { min: 0, max: 100 };
  return values({
    attribute: { name, type: "number", unit: "%", ...range, readable: true, writable: true },
    decode(message) {
      const value = numeric(name, whole).decode?.(message);
      // -1 where it has not been calibrated.
      return typeof value === "number" && value >= 0 ? value : undefined;
    },
    encode: (value) => ({
      path: path.replace(/pos$/, "command/pos"),
      payload: String(Math.round(within(name, value, range))),
    }),
  });
};

const light: Made = ({ model, named }, path) => {
  const [kind = "light", number = "0"] = path.split("/");
  return { values: lightOf(kind, `${kind}/${number}`, { model, named }) };
};

const PRESSES: Readonly<Record<string, string>> = {
  ...{ S: "single_push", SS: "double_push", SSS: "triple_push", L: "long_push" },
  ...{ SL: "single_long_push", LS: "long_single_push" },
};

/** The device repeats the last one with its count every half minute. */
const inputEvent: Made = ({ pressed, isNew }) => ({
  values: [],
  actions({ json }) {
    if (!isObject(json) || typeof json.event !== "string" || typeof json.event_cnt !== "number") return [];
    const press = Object.hasOwn(PRESSES, json.event) ? PRESSES[json.event] : undefined;
    return isNew(json.event_cnt) && press !== undefined ? [pressed(press)] : [];
  },
});

const RSSI = { unit: "dBm", category: "diagnostic" } as const;

const info: Made = ({ model }) => {
  const rssi = numeric("rssi", at("wifi_sta", "rssi"), RSSI);
  if (model.startsWith("SHTRV")) return values(rssi, ...valve(["thermostats", 0]), battery(["bat", "value"]));
  if (!model.startsWith("SHMOS")) return values(rssi);
  const motion = [truth("motion", at("sensor", "motion")), truth("vibration", at("sensor", "vibration"))];
  return values(rssi, ...motion, numeric("lux", at("lux", "value"), { unit: "lx" }), battery(["bat", "value"]));
};

const status: Made = ({ model }) => {
  if (model.startsWith("SHTRV")) return values(...valve([]));
  const motion = [truth("motion", at("motion")), truth("vibration", at("vibration"))];
  return values(...motion, numeric("lux", at("lux"), { unit: "lx" }), battery(["bat"]));
};

const battery = (path: string[]): Value => numeric("battery", at(...path), BATTERY);

/** A radiator valve. */
function valve(path: (string | number)[]): Value[] {
  const range = { min: 4, max: 31 };
  const name = "target_temperature";
  const openness = at(...path, "pos");
  return [
    numeric("current_temperature", at(...path, "tmp", "value"), TEMPERATURE),
    {
      ...numeric(name, at(...path, "target_t", "value")),
      attribute: { name, type: "number", ...range, step: 0.5, ...TEMPERATURE, readable: true, writable: true },
      encode: (value) => ({
        path: "thermostat/0/command/target_t",
        payload: String(Math.round(within(name, value, range) * 10) / 10),
      }),
    },
    numeric("position", openness, { unit: "%", min: 0, max: 100 }),
    {
      attribute: { name: "action", type: "string", options: ["heating", "idle"], readable: true, writable: false },
      decode(message) {
        const open = openness(message);
        return typeof open === "number" ? (open > 0 ? "heating" : "idle") : undefined;
      },
    },
    truth("window_open", at(...path, "window_open")),
  ];
}

const PARTS = new Map<string, Made>(
  Object.entries({
    ...{ relay, "relay/power": POWER, "relay/energy": ENERGY, roller, "roller/pos": position },
    ...{ "roller/power": POWER, "roller/energy": ENERGY, "light/status": light, "white/status": light },
    ...{ "color/status": light, "light/power": POWER, "white/power": POWER, "color/power": POWER },
    ...{
      "light/energy": ENERGY,
      "white/energy": ENERGY,
      "color/energy": ENERGY,
      input_event: inputEvent,
      info,
      status,
    },
    input: ({ named }) => values(truth(named("input"), whole)),
    ...{
      "emeter/power": POWER,
      "emeter/pf": measuring("pf", {}),
      "emeter/current": measuring("current", { unit: "A" }),
    },
    "emeter/reactive_power": measuring("reactive_power", { unit: "var" }),
    "emeter/voltage": measuring("voltage", { unit: "V", class: "voltage" }),
    "emeter/total": measuring("total", WATT_HOURS),
    "emeter/total_returned": measuring("total_returned", WATT_HOURS),
    adc: measuring("adc", { unit: "V" }),
    ext_temperature: measuring("ext_temperature", TEMPERATURE),
    ext_humidity: measuring("ext_humidity", { unit: "%", class: "humidity" }),
    "sensor/temperature": measuring("temperature", TEMPERATURE),
    "sensor/humidity": measuring("humidity", { unit: "%", class: "humidity" }),
    "sensor/battery": measuring("battery", BATTERY),
    "sensor/lux": measuring("lux", { unit: "lx", class: "illuminance" }),
    "sensor/tilt": measuring("tilt", { unit: "°" }),
    "sensor/concentration": measuring("concentration", { unit: "ppm" }),
    "sensor/state": () => values(truth("open", whole, { class: "opening" })),
    "sensor/flood": () => values(truth("flood", whole, { class: "moisture" })),
    "sensor/smoke": () => values(truth("smoke", whole, { class: "smoke" })),
    "sensor/motion": () => values(truth("motion", whole, { class: "motion" })),
    "sensor/vibration": () => values(truth("vibration", whole, { class: "vibration" })),
    "sensor/charger": () => values(truth("charger", whole, { category: "diagnostic" })),
    "sensor/ext_power": () => values(truth("ext_power", whole, { category: "diagnostic" })),
    "sensor/gas": () => values(text("gas", whole, { options: ["unknown", "none", "mild", "heavy", "test"] })),
    "sensor/illumination": () => values(text("illumination", whole)),
    temperature: measuring("temperature", { ...TEMPERATURE, category: "diagnostic" }),
    overtemperature: () => values(truth("overtemperature", whole, { category: "diagnostic" })),
    voltage: measuring("voltage", { unit: "V", class: "voltage" }),
  }),
);
