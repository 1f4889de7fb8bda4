// Lights of the first generation: all that is wanted of one is one message of JSON to `…/set`.
import { isObject, type Json, type JsonObject } from "../../../../../kit/schema/json.ts";
import { hex } from "../../../colors.ts";
import { numberIn, within } from "../../../numbers.ts";
import { RGB, wrong } from "../../../words.ts";
import { at, type Sending, truth, type Value } from "./value.ts";

const PERCENT = { min: 0, max: 100, unit: "%" } as const;
const BYTE = { min: 0, max: 255 } as const;
const WARMTH: ReadonlyMap<string, { min: number; max: number }> = new Map([
  ["SHBDUO-1", { min: 2700, max: 6500 }],
  ["SHCB-1", { min: 3000, max: 6500 }],
  ["SHBLB-1", { min: 3000, max: 6500 }],
]);
const MAX_TRANSITION_SECS = 5;

/** `kind`: `light`, `white` or `color`. `named`: puts the number of the light behind, where there are several. */
export function lightOf(
  kind: string,
  path: string,
  { model, named }: { model: string; named(name: string): string },
): Value[] {
  const set = (settings: JsonObject): Sending => ({ path: `${path}/set`, payload: settings });
  const setting = (name: string, key: string, range: { min: number; max: number; unit?: string }): Value => ({
    attribute: { name, type: "number", ...range, readable: true, writable: true },
    decode: ofStatus(key),
    encode: (value) => set({ [key]: Math.round(within(name, value, range)) }),
  });
  const warmth = WARMTH.get(model);
  const seconds = { min: 0, max: MAX_TRANSITION_SECS };
  const transition = named("transition");
  const found: Value[] = [
    power(named("on"), set),
    {
      attribute: { name: transition, type: "number", unit: "s", ...seconds, readable: false, writable: true },
      encode: (value) => set({ transition: Math.round(within(transition, value, seconds) * 1000) }),
    },
  ];
  if (kind !== "color") {
    const brightness = setting(named("brightness"), "brightness", PERCENT);
    const percent = setting(named("brightness_pct"), "brightness", PERCENT);
    found.push(brightness, asDerived(percent, brightness.attribute.name));
    if (warmth) found.push(...warmthsOf({ named, set, warmth, mode: {} }));
    return found;
  }
  for (const channel of ["red", "green", "blue", "white"]) found.push(setting(named(channel), channel, BYTE));
  found.push(setting(named("gain"), "gain", PERCENT));
  if (warmth) {
    found.push(setting(named("brightness"), "brightness", PERCENT));
    found.push(...warmthsOf({ named, set, warmth, mode: { mode: "white" } }));
  }
  return [...found, ...shared({ named, set, hasWhite: warmth !== undefined })];
}

interface Made {
  named(name: string): string;
  set(settings: JsonObject): Sending;
}

const ofStatus =
  (key: string) =>
  ({ json }: { json: Json | undefined }): number | undefined =>
    isObject(json) ? numberIn(json[key]) : undefined;

function asDerived({ attribute, ...rest }: Value, of: string): Value {
  return { ...rest, attribute: { ...attribute, derived: true, of } };
}

function power(name: string, set: Made["set"]): Value {
  return {
    ...truth(name, at("ison")),
    attribute: { name, type: "boolean", readable: true, writable: true },
    encode(value) {
      if (value === "toggle") return set({ turn: "toggle" });
      if (typeof value !== "boolean") throw wrong(name, 'must be true, false or "toggle"');
      return set({ turn: value ? "on" : "off" });
    },
  };
}

function warmthsOf(made: Made & { warmth: { min: number; max: number }; mode: JsonObject }): Value[] {
  const { named, set, warmth, mode } = made;
  const range = { ...warmth, unit: "K" };
  return ["temp", "color_temp_k"].map((own) => {
    const name = named(own);
    return {
      attribute: {
        ...{ name, type: "number", ...range, readable: true, writable: true },
        ...(own !== "temp" && { derived: true as const, of: named("temp") }),
      },
      decode: ofStatus("temp"),
      encode: (value: Json) => set({ ...mode, temp: Math.round(within(name, value, range)) }),
    };
  });
}

/** The words of a light that has colours: its brightness is `gain` while it shows one, and `brightness` while it is white. */
function shared({ named, set, hasWhite }: Made & { hasWhite: boolean }): Value[] {
  const [brightness, color] = [named("brightness_pct"), named("color_rgb")];
  const warmths = [named("temp"), named("color_temp_k")];
  let isWhite = false;
  return [
    {
      attribute: {
        ...{ name: brightness, type: "number", ...PERCENT, readable: true, writable: true },
        ...{ derived: true, of: named("gain") },
      },
      decode(message) {
        const { json } = message;
        if (!isObject(json)) return undefined;
        if (json.mode !== undefined) isWhite = json.mode === "white";
        return numberIn(isWhite && hasWhite ? json.brightness : json.gain);
      },
      encode(value, wanted) {
        const level = Math.round(within(brightness, value, PERCENT));
        const willBeWhite =
          warmths.some((one) => wanted[one] !== undefined) || (isWhite && wanted[color] === undefined);
        return set(hasWhite && willBeWhite ? { brightness: level } : { gain: level });
      },
    },
    {
      attribute: { name: color, type: "string", readable: true, writable: true, derived: true },
      decode({ json }) {
        if (!isObject(json)) return undefined;
        const channels = [json.red, json.green, json.blue].map(numberIn);
        return channels.every((one) => one !== undefined) ? hex(channels) : undefined;
      },
      encode(value) {
        const { r, g, b } = RGB.to(value, color) as { r: number; g: number; b: number };
        return set({ ...(hasWhite && { mode: "color" }), red: r, green: g, blue: b });
      },
    },
  ];
}
