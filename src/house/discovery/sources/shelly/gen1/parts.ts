// What each topic of a Shelly of the first generation is in the house, by its end: `relay/0`, `sensor/temperature`, …
import { isObject, type Json } from "../../../../../kit/schema/json.ts";
import type { Attribute } from "../../../described.ts";
import { numberIn, within } from "../../../numbers.ts";
import { celsiusOf, wrong } from "../../../words.ts";
import { lightOf } from "./lights.ts";
import { at, type Decode, numeric, type Part, text, truth, type Value, whole } from "./value.ts";

export interface PartOptions {
  model: string;
  /** With the number behind it, where there are several of the kind. */
  named(name: string): string;
  /** Of presses, the same way. */
  pressed(press: string): string;
  /** Whether a press with this count is a new one. */
  isNew(count: number): boolean;
  /** Of the whole device: it was last seen to speak in °F, as its owner has chosen. */
  units: { isFahrenheit: boolean };
  /** Of each roller, by its topic. */
  ends: Map<string, Roller>;
}

/** Before it is calibrated it reports no position, and has come to an end when it stops. */
interface Roller {
  /** Undefined until it has said. */
  isCalibrated: boolean | undefined;
  /** Whither it went last. */
  end: number | undefined;
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
const WATT_MINUTES_OF_KWH = 60_000;

/** Watt-minutes, since the device was last started. */
const ENERGY: Made = ({ named }) => {
  const own = numeric(named("energy_wmin"), whole, { unit: "Wmin", class: "energy" });
  const derived = { derived: true, of: own.attribute.name, word: "energy" } as const;
  return values(own, {
    attribute: { ...numeric(named("energy"), whole, { unit: "kWh", class: "energy" }).attribute, ...derived },
    decode(message) {
      const value = own.decode?.(message);
      return typeof value === "number" ? Math.round((value / WATT_MINUTES_OF_KWH) * 1e6) / 1e6 : undefined;
    },
  });
};
const WATT_HOURS = { unit: "Wh", class: "energy" };
const TEMPERATURE = { unit: "°C", class: "temperature" };
const BATTERY = { unit: "%", class: "battery" };
const LIGHT = { unit: "lx", class: "illuminance" };

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

const roller: Made = (options, path) => {
  const { named } = options;
  const [own, known] = [positionOf(options, path), rollerAt(options, path)];
  const command = named("command");
  const commands = Object.keys(MOVES);
  return values(
    {
      attribute: {
        ...{ name: named("moving"), type: "string", options: Object.values(MOVES) },
        ...{ readable: true, writable: false },
      },
      decode: ({ text: said }) => (Object.hasOwn(MOVES, said) ? MOVES[said] : undefined),
    },
    {
      attribute: { name: command, type: "string", options: commands, readable: false, writable: true },
      encode(value: Json) {
        if (typeof value !== "string" || !commands.includes(value))
          throw wrong(command, `must be one of ${commands.join(", ")}`);
        return { path: `${path}/command`, payload: value };
      },
    },
    {
      ...own,
      decode({ text: said }) {
        if (said === "open" || said === "close") known.end = said === "open" ? 100 : 0;
        return said === "stop" && known.isCalibrated === false ? known.end : undefined;
      },
    },
  );
};

function rollerAt({ ends }: PartOptions, path: string): Roller {
  const known = ends.get(path) ?? { isCalibrated: undefined, end: undefined };
  ends.set(path, known);
  return known;
}

/** `path`: `roller/0`. */
function positionOf(options: PartOptions, path: string): Omit<Value, "decode"> {
  const name = options.named("position");
  const range = { min: 0, max: 100 };
  const known = rollerAt(options, path);
  return {
    attribute: { name, type: "number", unit: "%", ...range, readable: true, writable: true },
    encode(value) {
      if (known.isCalibrated !== false)
        return { path: `${path}/command/pos`, payload: String(Math.round(within(name, value, range))) };
      if (value !== 0 && value !== 100)
        throw wrong(name, "must be 0 (closed) or 100 (open), until its app has calibrated it");
      return { path: `${path}/command`, payload: value === 100 ? "open" : "close" };
    },
  };
}

const position: Made = (options, path) => {
  const of = path.replace(/\/pos$/, "");
  const known = rollerAt(options, of);
  return values({
    ...positionOf(options, of),
    decode(message) {
      const value = numberIn(whole(message));
      if (value === undefined) return undefined;
      // -1 where it has not been calibrated, and for a while where it does not know.
      known.isCalibrated ||= value >= 0;
      return value < 0 ? undefined : value;
    },
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

const info: Made = ({ model, units }) => {
  const rssi = numeric("rssi", at("wifi_sta", "rssi"), RSSI);
  if (model.startsWith("SHTRV")) return values(rssi, ...valve(["thermostats", 0], units), battery(["bat", "value"]));
  if (!model.startsWith("SHMOS")) return values(rssi);
  const found = moved(["sensor", "motion"], ["sensor", "vibration"]);
  return values(rssi, ...found, numeric("lux", at("lux", "value"), LIGHT), battery(["bat", "value"]));
};

const status: Made = ({ model, units }) => {
  if (model.startsWith("SHTRV")) return values(...valve([], units));
  return values(...moved(["motion"], ["vibration"]), numeric("lux", at("lux"), LIGHT), battery(["bat"]));
};

function moved(motion: string[], vibration: string[]): Value[] {
  return [
    truth("motion", at(...motion), { class: "motion" }),
    truth("vibration", at(...vibration), { class: "vibration" }),
  ];
}

const CELSIUS = celsiusOf({});

const battery = (path: string[]): Value => numeric("battery", at(...path), BATTERY);

/** A radiator valve. */
function valve(path: (string | number)[], chosen: PartOptions["units"]): Value[] {
  const range = { min: 4, max: 31 };
  const name = "target_temperature";
  const openness = at(...path, "pos");
  const degrees = (key: string): Decode => {
    const [value, units] = [at(...path, key, "value"), at(...path, key, "units")];
    return (message) => {
      const [said, number] = [units(message), numberIn(value(message))];
      if (said !== undefined) chosen.isFahrenheit = said === "F";
      return number !== undefined && chosen.isFahrenheit ? CELSIUS.from(number) : number;
    };
  };
  return [
    numeric("current_temperature", degrees("tmp"), TEMPERATURE),
    {
      ...numeric(name, degrees("target_t")),
      attribute: { name, type: "number", ...range, step: 0.5, ...TEMPERATURE, readable: true, writable: true },
      encode(value) {
        const celsius = within(name, value, range);
        const sent = chosen.isFahrenheit ? CELSIUS.to(celsius, name) : Math.round(celsius * 10) / 10;
        return { path: "thermostat/0/command/target_t", payload: String(sent) };
      },
    },
    numeric("position", openness, { unit: "%", min: 0, max: 100 }),
    {
      attribute: { name: "action", type: "string", options: ["heating", "idle"], readable: true, writable: false },
      decode(message) {
        const open = openness(message);
        return typeof open === "number" ? (open > 0 ? "heating" : "idle") : undefined;
      },
    },
    truth("window_open", at(...path, "window_open"), { class: "window" }),
  ];
}

/** How much, in words; whether there is any is what all gas alarms call `gas`. */
const gasLevel = text("gas_own", whole, { options: ["unknown", "none", "mild", "heavy", "test"] });
const ALARMS: Readonly<Record<string, boolean | null>> = {
  ...{ none: false, mild: true, heavy: true, test: false, unknown: null },
};
const gas: Value = {
  attribute: {
    ...{ name: "gas", type: "boolean", class: "gas", readable: true, writable: false },
    ...{ derived: true, of: "gas_own", word: "gas" },
  },
  decode: ({ text: said }) => (Object.hasOwn(ALARMS, said.trim()) ? ALARMS[said.trim()] : undefined),
};

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
    "sensor/lux": measuring("lux", LIGHT),
    "sensor/tilt": measuring("tilt", { unit: "°" }),
    "sensor/concentration": measuring("concentration", { unit: "ppm" }),
    "sensor/state": () => values(truth("open", whole, { class: "opening" })),
    "sensor/flood": () => values(truth("flood", whole, { class: "moisture" })),
    "sensor/smoke": () => values(truth("smoke", whole, { class: "smoke" })),
    "sensor/motion": () => values(truth("motion", whole, { class: "motion" })),
    "sensor/vibration": () => values(truth("vibration", whole, { class: "vibration" })),
    "sensor/charger": () => values(truth("charger", whole, { category: "diagnostic" })),
    "sensor/ext_power": () => values(truth("ext_power", whole, { category: "diagnostic" })),
    "sensor/gas": () => values(gasLevel, gas),
    "sensor/illumination": () => values(text("illumination", whole)),
    temperature: measuring("temperature", { ...TEMPERATURE, category: "diagnostic" }),
    overtemperature: () => values(truth("overtemperature", whole, { category: "diagnostic" })),
    voltage: measuring("voltage", { unit: "V", class: "voltage" }),
  }),
);
