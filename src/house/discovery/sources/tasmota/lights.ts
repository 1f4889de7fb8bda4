// A Tasmota's lights: brightness, warmth and colour, by the type of the light.
import { isObject, type Json, type JsonObject } from "../../../../kit/schema/json.ts";
import { hueOfRgb, readRgb } from "../../colors.ts";
import { numberIn, within } from "../../numbers.ts";
import { kelvinOf, percentOf, RGB, wrong } from "../../words.ts";
import { type Channel, type Command, ranged, WRITABLE, withWord } from "./channel.ts";
import type { TasmotaConfig } from "./config.ts";
import { lightOutputs, powerName } from "./outputs.ts";

const REDUCED_WARMTH = 82;
const EACH_CHANNEL_IS_A_LIGHT = 68;
const FADES_TAKE_THE_SAME_TIME = 117;
const [DIMS, WARMTH, COLOR, COLOR_AND_WHITE] = [1, 2, 3, 4];
const PERCENT = { min: 0, max: 100, unit: "%" } as const;
const EFFECTS = ["none", "wake_up", "cycle_up", "cycle_down", "random"];

/** One light of those that a device is. */
interface Part {
  output: number;
  type: number;
  /** Behind the names of its attributes. */
  suffix: string;
  /** Its brightness, as a command and in states. */
  dimmer: { command: string; key: string };
}

export function lightsOf(config: TasmotaConfig): Channel[] {
  const parts = partsOf(config);
  const found = parts.flatMap((part) => channelsOf(part, config));
  return parts.length > 0 && !config.isTuya ? [...found, transition] : found;
}

function partsOf(config: TasmotaConfig): Part[] {
  const { lightType: type, options, isLinked, isTuya } = config;
  const outputs = lightOutputs(config);
  const [first, second] = outputs;
  if (type < DIMS || first === undefined) return [];
  if (options.has(EACH_CHANNEL_IS_A_LIGHT))
    return outputs.map((output) => ({
      ...{ output, type: DIMS, suffix: outputs.length > 1 ? `_${output}` : "" },
      dimmer: { command: `Channel${output}`, key: `Channel${output}` },
    }));
  if (!isLinked && type >= COLOR_AND_WHITE && second !== undefined) {
    const white = type === COLOR_AND_WHITE ? DIMS : WARMTH;
    return [
      { output: first, type: COLOR, suffix: `_${first}`, dimmer: { command: "Dimmer1", key: "Dimmer1" } },
      { output: second, type: white, suffix: `_${second}`, dimmer: { command: "Dimmer2", key: "Dimmer2" } },
    ];
  }
  return [{ output: first, type, suffix: "", dimmer: { command: isTuya ? "Dimmer3" : "Dimmer", key: "Dimmer" } }];
}

function channelsOf(part: Part, config: TasmotaConfig): Channel[] {
  const { type, suffix, dimmer } = part;
  const power = powerName(config, part.output);
  const level = ranged({ name: `brightness${suffix}`, ...PERCENT }, dimmer);
  const color = type >= COLOR ? colorOf(part) : undefined;
  const colors = [`color${suffix}`, `color_rgb${suffix}`];
  const brightness: Channel = {
    ...level,
    // A colour is sent with its brightness.
    encode: (value, wanted) =>
      colors.some((one) => wanted[one] !== undefined) ? [] : (level.encode?.(value, wanted) ?? []),
  };
  const found = withWord(brightness, `brightness_pct${suffix}`, percentOf(0, 100));
  if (type === WARMTH || type > COLOR_AND_WHITE) found.push(...warmthOf(suffix, config));
  if (type === COLOR_AND_WHITE) found.push(ranged({ name: `white${suffix}`, ...PERCENT }, { key: "White" }));
  if (color) found.push(...withWord(color, `color_rgb${suffix}`, RGB), effectOf(suffix));
  return found.map((one) => unlessOff(one, power));
}

/** Whatever changes a light turns it on: what is to be off is only switched. */
function unlessOff(channel: Channel, power: string): Channel {
  const { encode } = channel;
  if (!encode) return channel;
  return {
    ...channel,
    encode(value, wanted) {
      const commands = encode(value, wanted);
      return wanted[power] === false ? [] : commands;
    },
  };
}

function warmthOf(suffix: string, { options }: TasmotaConfig): Channel[] {
  const [min, max] = options.has(REDUCED_WARMTH) ? [200, 380] : [153, 500];
  const mired = ranged({ name: `color_temp${suffix}`, min, max, unit: "mired" }, { key: "CT" });
  return withWord(mired, `color_temp_k${suffix}`, kelvinOf(min, max));
}

/** `HSBColor` sets all three at once, so the brightness that the light has is sent again. */
function colorOf({ suffix, dimmer }: Part): Channel {
  const name = `color${suffix}`;
  let level = 100;
  return {
    attribute: { ...WRITABLE, name, type: "object" },
    decode(state) {
      level = numberIn(state[dimmer.key]) ?? level;
      const { HSBColor: text } = state;
      const [hue, saturation] = typeof text === "string" ? text.split(",").map(numberIn) : [];
      return hue === undefined || saturation === undefined ? undefined : { hue, saturation };
    },
    encode(value, wanted) {
      const { hue, saturation } = hueIn(value, name);
      // A light that was dimmed to nothing would stay dark.
      const brightness = wanted[`brightness${suffix}`] ?? wanted[`brightness_pct${suffix}`] ?? (level || 100);
      const shown = Math.round(within(`brightness${suffix}`, brightness, PERCENT));
      return [["HSBColor", `${hue},${saturation},${shown}`]];
    },
  };
}

function hueIn(value: Json, name: string): { hue: number; saturation: number } {
  if (isObject(value)) {
    const { hue, saturation } = value;
    const isRange = (one: Json | undefined, max: number): one is number =>
      typeof one === "number" && one >= 0 && one <= max;
    if (isRange(hue, 360) && isRange(saturation, 100))
      return { hue: Math.round(hue), saturation: Math.round(saturation) };
    const text = hue === undefined ? RGB.from(value) : undefined;
    const rgb = typeof text === "string" ? readRgb(text) : undefined;
    if (rgb) return hueOfRgb(rgb);
  }
  throw wrong(name, "must be an object such as {hue: 0–360, saturation: 0–100}");
}

function effectOf(suffix: string): Channel {
  const name = `effect${suffix}`;
  return {
    attribute: { ...WRITABLE, name, type: "string", options: EFFECTS },
    decode: ({ Scheme: at }) => (typeof at === "number" ? (EFFECTS[at] ?? `scheme_${at}`) : undefined),
    encode(value) {
      const at = EFFECTS.indexOf(String(value));
      if (at < 0) throw wrong(name, `must be one of ${EFFECTS.join(", ")}`);
      return [["Scheme", String(at)]];
    },
  };
}

/** For one change: how many seconds it takes. */
const transition: Channel = {
  attribute: { name: "transition", type: "number", unit: "s", min: 0, max: 20, readable: false, writable: true },
};

/** The commands that make the next change take `seconds`; `levels`: brightness before and after, in percent. */
export function fade(config: TasmotaConfig, seconds: Json, levels: { before: number; after: number }): Command[] {
  const wanted = within("transition", seconds, { min: 0, max: 20 });
  if (wanted === 0) return [["Fade2", "0"]];
  // In half seconds; without the option, for the way from dark to full.
  const share = config.options.has(FADES_TAKE_THE_SAME_TIME) ? 1 : Math.abs(levels.after - levels.before) / 100;
  const speed = Math.min(40, Math.max(1, Math.round((wanted * 2) / (share || 1))));
  return [
    ["Fade2", "1"],
    ["Speed2", String(speed)],
  ];
}

/** What `fade` needs, from what is known and what is wanted of the first light. */
export function levelsOf(known: JsonObject, wanted: JsonObject): { before: number; after: number } {
  const level = (from: JsonObject, otherwise: number): number =>
    numberIn(from.brightness) ?? numberIn(from.brightness_pct) ?? otherwise;
  const full = level(known, 100);
  const before = known.on === false ? 0 : full;
  return { before, after: wanted.on === false ? 0 : level(wanted, full) };
}
