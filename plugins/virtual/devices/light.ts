// A dimmable light, with or without colours. Its state is the target; a fade is the way to it. Like many a real one it speaks of
// brightness to 254 and of mireds; the words that all lights share stand beside them.
import type { Static } from "@sinclair/typebox";
import { Type, WORDS } from "../../sdk/index.ts";
import type { Kind } from "../kind.ts";

export interface LightState {
  on: boolean;
  /** Kept while off; never 0 while on. */
  brightness: number;
  /** In mireds; undefined if the light has none. */
  colorTemp: number | undefined;
  /** `#rrggbb`; undefined if the light has none. */
  colorRgb: string | undefined;
  /** Which of the two it shows. */
  colorMode: "color_temp" | "rgb" | undefined;
  fade?: Fade;
}

interface Fade {
  from: number;
  to: number;
  atSecs: number;
  overSecs: number;
  /** Of FADE_STEPS. */
  done: number;
}

// A transition of any length is reported in so many steps.
const FADE_STEPS = 10;
const FULL = 254;
const STANDBY_W = 0.2;
const DIMMEST_W = 0.5;
const FULL_W = 9;

const WHITE = "#ffffff";
const COOLEST = 153;
const WARMEST = 500;

// What says the same as another attribute: a captured scene leaves it out.
const derived = { derived: true } as const;
const dimmable = {
  on: WORDS.light.on,
  brightness: Type.Integer({ title: "Brightness", minimum: 0, maximum: FULL }),
  brightness_pct: { ...WORDS.light.brightness_pct, ...derived },
};
const tunable = {
  ...dimmable,
  color_temp: Type.Integer({ title: "Colour temperature", unit: "mired", minimum: COOLEST, maximum: WARMEST }),
  color_temp_k: {
    ...WORDS.light.color_temp_k,
    ...derived,
    ...{ minimum: reciprocal(WARMEST), maximum: reciprocal(COOLEST) },
  },
  color_rgb: WORDS.light.color_rgb,
};
const mode = {
  color_mode: Type.Union([Type.Literal("color_temp"), Type.Literal("rgb")], { title: "Colour mode", readOnly: true }),
};
const reading = { power: { ...WORDS.sensor.power, minimum: 0 } };
const options = {
  transition: Type.Number({ title: "Time to get there", unit: "s", minimum: 0, maximum: 300 }),
  command: Type.Literal("toggle"),
};
const plainAccepts = Type.Partial(Type.Object({ ...dimmable, ...options }));
const tunableAccepts = Type.Partial(Type.Object({ ...tunable, ...options }));

type LightCommand = Static<typeof tunableAccepts>;

const both = { deviceType: "light", step, objection, attributes, nextAt };

export const plainLight: Kind<LightState, typeof plainAccepts> = {
  ...both,
  model: "Virtual light",
  capabilities: Type.Object({ ...dimmable, ...reading }, { additionalProperties: false }),
  accepts: plainAccepts,
  initial: () => ({ on: false, brightness: FULL, colorTemp: undefined, colorRgb: undefined, colorMode: undefined }),
  apply,
};

export const tunableLight: Kind<LightState, typeof tunableAccepts> = {
  ...both,
  model: "Virtual light with colours",
  capabilities: Type.Object({ ...tunable, ...mode, ...reading }, { additionalProperties: false }),
  accepts: tunableAccepts,
  initial: () => ({ on: false, brightness: FULL, colorTemp: 370, colorRgb: WHITE, colorMode: "color_temp" }),
  apply,
};

function step(state: LightState, { toSecs }: { toSecs: number }): LightState {
  const { fade, ...settled } = state;
  if (!fade) return state;
  // The small addition compensates for rounding errors exactly between two steps.
  const done = Math.floor(((toSecs - fade.atSecs) / fade.overSecs) * FADE_STEPS + 1e-6);
  return done >= FADE_STEPS ? settled : { ...settled, fade: { ...fade, done } };
}

const TWICE = [
  ["brightness", "brightness_pct"],
  ["color_temp", "color_temp_k"],
] as const;

function objection({ command, transition, ...wanted }: LightCommand): string | undefined {
  const alone = Object.keys(wanted).length === 0;
  if (command && !alone) return `command: "${command}" goes with nothing but transition`;
  if (transition !== undefined && alone && !command) return "transition: needs something to change beside it";
  for (const [own, word] of TWICE)
    if (wanted[own] !== undefined && wanted[word] !== undefined) return `${word}: goes without ${own}`;
  if (wanted.color_rgb !== undefined && (wanted.color_temp ?? wanted.color_temp_k) !== undefined)
    return "color_rgb: goes without a colour temperature";
  if (wanted.on && (wanted.brightness_pct ?? wanted.brightness) === 0)
    return `${wanted.brightness === 0 ? "brightness" : "brightness_pct"}: 0 is off, so on must not be true`;
  return undefined;
}

function apply(state: LightState, command: LightCommand, nowSecs: number): LightState {
  const { transition = 0 } = command;
  const wanted = command.brightness ?? fromPercent(command.brightness_pct);
  const warmth = command.color_temp ?? reciprocal(command.color_temp_k);
  const colorTemp = warmth ?? state.colorTemp;
  const colorRgb = command.color_rgb ?? state.colorRgb;
  const colorMode = command.color_rgb !== undefined ? "rgb" : warmth !== undefined ? "color_temp" : state.colorMode;
  const on = command.command ? !state.on : (command.on ?? (wanted === undefined ? state.on : wanted > 0));
  const kept = wanted ?? state.brightness;
  const brightness = on && kept === 0 ? FULL : kept;
  const from = level(state);
  const to = on ? brightness : 0;
  const fade =
    transition > 0 && from !== to ? { fade: { from, to, atSecs: nowSecs, overSecs: transition, done: 0 } } : {};
  return { on, brightness, colorTemp, colorRgb, colorMode, ...fade };
}

/** Mireds of kelvins, and kelvins of mireds. */
function reciprocal(value: number): number;
function reciprocal(value: number | undefined): number | undefined;
function reciprocal(value: number | undefined): number | undefined {
  return value === undefined ? undefined : Math.round(1_000_000 / value);
}

// Only off is 0, in both.
function fromPercent(percent: number | undefined): number | undefined {
  return percent ? Math.max(1, Math.round((percent / 100) * FULL)) : percent;
}

function toPercent(brightness: number): number {
  return brightness === 0 ? 0 : Math.max(1, Math.round((brightness / FULL) * 100));
}

/** The present brightness; 0 when off. */
function level({ on, brightness, fade }: LightState): number {
  if (fade) return Math.round(fade.from + ((fade.to - fade.from) * fade.done) / FADE_STEPS);
  return on ? brightness : 0;
}

function attributes(state: LightState) {
  const { fade, colorTemp, colorRgb, colorMode } = state;
  const brightness = fade ? level(state) : state.brightness;
  const on = state.on || fade !== undefined;
  const watts = on ? DIMMEST_W + ((FULL_W - DIMMEST_W) * level(state)) / FULL : STANDBY_W;
  return {
    on,
    brightness,
    brightness_pct: toPercent(brightness),
    color_temp: colorTemp,
    color_temp_k: reciprocal(colorTemp),
    color_rgb: colorRgb,
    color_mode: colorMode,
    power: Math.round(watts * 10) / 10,
  };
}

function nextAt({ fade }: LightState): number | undefined {
  return fade && fade.atSecs + (fade.overSecs * (fade.done + 1)) / FADE_STEPS;
}
