// The kinds of lights of a Shelly: each takes all that is wanted of it in one call.
import type { Json, JsonObject } from "../../../../../kit/schema/json.ts";
import { hex } from "../../../colors.ts";
import { within } from "../../../numbers.ts";
import { type Conversion, RGB, SAME, wrong } from "../../../words.ts";
import { type Component, inWord, type Kind, measured, onOff, setting, type Value } from "./component.ts";

const [DIMMER, COLOR, COLOR_AND_WHITE, WARMTH] = ["Light", "RGB", "RGBW", "CCT"] as const;
const PERCENT = { min: 0, max: 100, unit: "%" } as const;
const BYTE = { min: 0, max: 255 } as const;
const MAX_TRANSITION_SECS = 10_800;

export const LIGHTS: Readonly<Record<string, Kind>> = {
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
