// What each kind of component of a Shelly is in the house. Kinds that are not here, such as scripts, are none of it.
import { isObject, type Json, type JsonObject } from "../../../../../kit/schema/json.ts";
import { hex } from "../../../colors.ts";
import { within } from "../../../numbers.ts";
import { type Conversion, RGB, SAME, wrong } from "../../../words.ts";
import {
  at,
  type Component,
  command,
  inWord,
  type Kind,
  measured,
  number,
  onOff,
  setting,
  text,
  truth,
  type Value,
} from "./component.ts";

const PERCENT = { min: 0, max: 100, unit: "%" } as const;

const cover: Kind = (component) => {
  const { id, named, status } = component;
  const goTo = (params: object) => ({ method: "Cover.GoToPosition", params: { id, ...params } });
  const found: Value[] = [
    status.pos_control === false
      ? ends(component)
      : setting({ name: named("position"), path: ["current_pos"], ...PERCENT }, (pos) =>
          goTo({ pos: Math.round(pos) }),
        ),
    text(named("state"), ["state"]),
    {
      attribute: {
        ...{ name: named("moving"), type: "string", options: ["opening", "closing", "stopped"] },
        ...{ readable: true, writable: false, derived: true, of: named("state") },
      },
      decode({ state }) {
        if (typeof state !== "string") return undefined;
        return state === "opening" || state === "closing" ? state : "stopped";
      },
    },
    command(named("command"), {
      open: { method: "Cover.Open", params: { id } },
      close: { method: "Cover.Close", params: { id } },
      stop: { method: "Cover.Stop", params: { id } },
    }),
  ];
  if (Object.hasOwn(status, "slat_pos")) {
    const slats = { name: named("tilt"), path: ["slat_pos"], ...PERCENT };
    const tilt = setting(slats, (pos) => goTo({ slat_pos: Math.round(pos) }));
    found.push(tilt, inWord(tilt, named("tilt_pct"), SAME));
  }
  return [...found, ...measured(component)];
};

/** Before it is calibrated, it knows no position but its ends. */
function ends({ id, named }: Component): Value {
  return {
    attribute: { name: named("position"), type: "number", ...PERCENT, step: 100, readable: true, writable: true },
    decode: ({ state }) => (state === "open" ? 100 : state === "closed" ? 0 : state === "stopped" ? null : undefined),
    encode(value, name) {
      if (value !== 0 && value !== 100)
        throw wrong(name, "must be 0 (closed) or 100 (open), until its app has calibrated it");
      return { method: value === 100 ? "Cover.Open" : "Cover.Close", params: { id } };
    },
  };
}

/** A button only has presses, which are actions. */
const input: Kind = ({ named, status, config }) => {
  const { type } = config;
  if (type === "analog" || (type === undefined && typeof status.percent === "number"))
    return [number(named("input_percent"), ["percent"], { unit: "%" })];
  if (type === "count" || (type === undefined && isObject(status.counts)))
    return [number(named("input_count"), ["counts", "total"], {})];
  return type === "button" ? [] : [truth(named("input"), ["state"])];
};

/** Of a wall display. */
const thermostat: Kind = ({ id, named, config }) => {
  const active = config.type === "cooling" ? "cool" : "heat";
  const configured = (config: object) => ({
    method: "Thermostat.SetConfig",
    params: { id, config: { id, ...config } },
  });
  return [
    ...climate(named, (target_C) => configured({ target_C })),
    truth(named("on"), ["enable"], (enable, name) => {
      if (typeof enable !== "boolean") throw wrong(name, "must be true or false");
      return configured({ enable });
    }),
    {
      attribute: {
        ...{ name: named("mode"), type: "string", options: ["off", active] },
        ...{ readable: true, writable: true, derived: true, of: named("on") },
      },
      decode: ({ enable }) => (typeof enable === "boolean" ? (enable ? active : "off") : undefined),
      encode(mode, name) {
        if (mode !== "off" && mode !== active) throw wrong(name, `must be one of off, ${active}`);
        return configured({ enable: mode === active });
      },
    },
    action(named("action"), (status) => status.output === true, `${active}ing`),
  ];
};

/** A radiator valve behind its gateway. */
const valve: Kind = ({ id, named }) => [
  ...climate(named, (target_C) => ({
    method: "BluTRV.Call",
    params: { id, method: "Trv.SetTarget", params: { id: 0, target_C } },
  })),
  number(named("position"), ["pos"], PERCENT),
  action(named("action"), (status) => Number(status.pos) > 0),
  number(named("battery"), ["battery"], { unit: "%", class: "battery" }),
  number(named("rssi"), ["rssi"], { unit: "dBm", category: "diagnostic" }),
];

function climate(
  named: Component["named"],
  target: (value: number) => ReturnType<NonNullable<Value["encode"]>>,
): Value[] {
  const name = named("target_temperature");
  return [
    number(named("current_temperature"), ["current_C"], { unit: "°C", class: "temperature" }),
    setting({ name, path: ["target_C"], min: 4, max: 35, unit: "°C" }, target),
  ];
}

/** `active`: what it does while its output is on. */
function action(name: string, isActive: (status: Component["status"]) => boolean, active = "heating"): Value {
  return {
    attribute: { name, type: "string", options: [active, "idle"], readable: true, writable: false, derived: true },
    decode(status) {
      if (at(status, ["output"]) === undefined && at(status, ["pos"]) === undefined) return undefined;
      return isActive(status) ? active : "idle";
    },
  };
}

/** Three phases: each as the device calls it, and the sum. */
const threePhases: Kind = ({ named }) => {
  const phases = ["a", "b", "c"].flatMap((phase) => [
    number(named(`${phase}_power`), [`${phase}_act_power`], { unit: "W", class: "power" }),
    number(named(`${phase}_voltage`), [`${phase}_voltage`], { unit: "V", class: "voltage" }),
    number(named(`${phase}_current`), [`${phase}_current`], { unit: "A", class: "current" }),
    number(named(`${phase}_pf`), [`${phase}_pf`], {}),
  ]);
  return [
    number(named("power"), ["total_act_power"], { unit: "W", class: "power" }),
    number(named("apparent_power"), ["total_aprt_power"], { unit: "VA" }),
    number(named("current"), ["total_current"], { unit: "A", class: "current" }),
    ...phases,
    number(named("n_current"), ["n_current"], { unit: "A", class: "current" }),
  ];
};

const energy =
  (total: string, returned: string): Kind =>
  ({ named }) => [
    number(named("energy"), [total], { unit: "Wh", class: "energy" }),
    number(named("energy_returned"), [returned], { unit: "Wh", class: "energy" }),
  ];

const power: Kind = ({ named, status }) => {
  const external = isObject(status.external) ? [truth(named("external_power"), ["external", "present"])] : [];
  return [
    number(named("battery"), ["battery", "percent"], { unit: "%", class: "battery" }),
    number(named("battery_voltage"), ["battery", "V"], { unit: "V", category: "diagnostic" }),
    ...external,
  ];
};

const [DIMMER, COLOR, COLOR_AND_WHITE, WARMTH] = ["Light", "RGB", "RGBW", "CCT"] as const;
const BYTE = { min: 0, max: 255 } as const;
const MAX_TRANSITION_SECS = 10_800;

const LIGHTS: Readonly<Record<string, Kind>> = {
  light: (component) => light(DIMMER, component),
  rgb: (component) => [...light(COLOR, component), ...color(COLOR, component)],
  rgbw: (component) => [
    ...light(COLOR_AND_WHITE, component),
    ...color(COLOR_AND_WHITE, component),
    setting({ name: component.named("white"), path: ["white"], ...BYTE }, (white) =>
      set(COLOR_AND_WHITE, component, { white: Math.round(white) }),
    ),
  ],
  cct: (component) => [...light(WARMTH, component), ...warmth(component)],
};

const set = (method: string, { id }: Component, params: JsonObject) => ({
  method: `${method}.Set`,
  params: { id, ...params },
});

function light(method: string, component: Component): Value[] {
  const { named } = component;
  const brightness = setting({ name: named("brightness"), path: ["brightness"], ...PERCENT }, (value) =>
    set(method, component, { brightness: Math.round(value) }),
  );
  const transition = named("transition");
  const seconds = { min: 0, max: MAX_TRANSITION_SECS };
  return [
    onOff(method, component),
    brightness,
    inWord(brightness, named("brightness_pct"), SAME),
    {
      attribute: { name: transition, type: "number", unit: "s", ...seconds, readable: false, writable: true },
      encode: (value, own) => set(method, component, { transition_duration: within(own, value, seconds) }),
    },
    ...measured(component),
  ];
}

/** `[255,128,0]` */
const LIST: Conversion = {
  attribute: { type: "string" },
  from: (value) => (Array.isArray(value) ? hex(value.map(Number)) : undefined),
  to(value, name) {
    const { r, g, b } = RGB.to(value, name) as { r: number; g: number; b: number };
    return [r, g, b];
  },
};

function color(method: string, component: Component): Value[] {
  const name = component.named("rgb");
  const isByte = (one: Json): one is number => typeof one === "number" && one >= BYTE.min && one <= BYTE.max;
  const rgb: Value = {
    attribute: { name, type: "array", readable: true, writable: true },
    decode: ({ rgb: value }) => (Array.isArray(value) && value.length === 3 && value.every(isByte) ? value : undefined),
    encode(value, own) {
      if (!Array.isArray(value) || value.length !== 3 || !value.every(isByte))
        throw wrong(own, "must be a list of red, green and blue, each from 0 to 255");
      return set(method, component, { rgb: value.map(Math.round) });
    },
  };
  return [rgb, inWord(rgb, component.named("color_rgb"), LIST)];
}

function warmth(component: Component): Value[] {
  const { ct_range: range } = component.config;
  const [min = 2700, max = 6500] = Array.isArray(range) ? range.filter((one) => typeof one === "number") : [];
  const ct = setting({ name: component.named("ct"), path: ["ct"], min, max, unit: "K" }, (value) =>
    set(WARMTH, component, { ct: Math.round(value) }),
  );
  return [ct, inWord(ct, component.named("color_temp_k"), SAME)];
}

export const KINDS: ReadonlyMap<string, Kind> = new Map<string, Kind>([
  ["switch", (component) => [onOff("Switch", component), ...measured(component)]],
  ...Object.entries(LIGHTS),
  ["cover", cover],
  ["input", input],
  ["thermostat", thermostat],
  ["blutrv", valve],
  ["temperature", ({ named }) => [number(named("temperature"), ["tC"], { unit: "°C", class: "temperature" })]],
  ["humidity", ({ named }) => [number(named("humidity"), ["rh"], { unit: "%", class: "humidity" })]],
  [
    "illuminance",
    ({ named }) => [
      number(named("illuminance"), ["lux"], { unit: "lx", class: "illuminance" }),
      text(named("illumination"), ["illumination"]),
    ],
  ],
  ["smoke", ({ named }) => [truth(named("smoke"), ["alarm"], undefined, { class: "smoke" })]],
  ["flood", ({ named }) => [truth(named("water_leak"), ["alarm"], undefined, { class: "moisture" })]],
  ["presence", ({ named }) => [number(named("num_objects"), ["num_objects"], {})]],
  ["presencezone", ({ named }) => [truth(named("presence"), ["state"], undefined, { class: "occupancy" })]],
  ["devicepower", power],
  ["voltmeter", ({ named }) => [number(named("voltage"), ["voltage"], { unit: "V", class: "voltage" })]],
  ["pm1", measured],
  ["em1", measured],
  ["em1data", energy("total_act_energy", "total_act_ret_energy")],
  ["em", threePhases],
  ["emdata", energy("total_act", "total_act_ret")],
  ["wifi", ({ named }) => [number(named("rssi"), ["rssi"], { unit: "dBm", category: "diagnostic" })]],
]);
