// A dimmable light, with or without a colour temperature. Its state is the target; a fade is the way to it.
import type { Static } from "@sinclair/typebox";
import { Type } from "../../sdk/index.ts";
import type { Kind } from "../kind.ts";

export interface LightState {
  on: boolean;
  /** Kept while off; never 0 while on. */
  brightness: number;
  /** In mireds; undefined if the light has none. */
  colorTemp: number | undefined;
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

const dimmable = {
  on: Type.Boolean({ title: "On" }),
  brightness: Type.Integer({ title: "Brightness", minimum: 0, maximum: FULL }),
};
const tunable = {
  ...dimmable,
  color_temp: Type.Integer({ title: "Colour temperature", unit: "mired", minimum: 153, maximum: 500 }),
};
const reading = { power_w: Type.Number({ title: "Power", unit: "W", minimum: 0, readOnly: true }) };
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
  initial: () => ({ on: false, brightness: FULL, colorTemp: undefined }),
  apply,
};

export const tunableLight: Kind<LightState, typeof tunableAccepts> = {
  ...both,
  model: "Virtual light with colour temperature",
  capabilities: Type.Object({ ...tunable, ...reading }, { additionalProperties: false }),
  accepts: tunableAccepts,
  initial: () => ({ on: false, brightness: FULL, colorTemp: 370 }),
  apply,
};

function step(state: LightState, { toSecs }: { toSecs: number }): LightState {
  const { fade, ...settled } = state;
  if (!fade) return state;
  // The small addition compensates for rounding errors exactly between two steps.
  const done = Math.floor(((toSecs - fade.atSecs) / fade.overSecs) * FADE_STEPS + 1e-6);
  return done >= FADE_STEPS ? settled : { ...settled, fade: { ...fade, done } };
}

function objection({ command, transition, ...wanted }: LightCommand): string | undefined {
  const alone = Object.keys(wanted).length === 0;
  if (command && !alone) return `command: "${command}" goes with nothing but transition`;
  if (transition !== undefined && alone && !command) return "transition: needs something to change beside it";
  if (wanted.on && wanted.brightness === 0) return "brightness: 0 is off, so on must not be true";
  return undefined;
}

function apply(state: LightState, command: LightCommand, nowSecs: number): LightState {
  const { brightness: wanted, transition = 0, color_temp: colorTemp = state.colorTemp } = command;
  const on = command.command ? !state.on : (command.on ?? (wanted === undefined ? state.on : wanted > 0));
  const kept = wanted ?? state.brightness;
  const brightness = on && kept === 0 ? FULL : kept;
  const from = level(state);
  const to = on ? brightness : 0;
  const fade =
    transition > 0 && from !== to ? { fade: { from, to, atSecs: nowSecs, overSecs: transition, done: 0 } } : {};
  return { on, brightness, colorTemp, ...fade };
}

/** The present brightness; 0 when off. */
function level({ on, brightness, fade }: LightState): number {
  if (fade) return Math.round(fade.from + ((fade.to - fade.from) * fade.done) / FADE_STEPS);
  return on ? brightness : 0;
}

function attributes(state: LightState) {
  const { fade, colorTemp } = state;
  const on = state.on || fade !== undefined;
  const watts = on ? DIMMEST_W + ((FULL_W - DIMMEST_W) * level(state)) / FULL : STANDBY_W;
  return {
    on,
    brightness: fade ? level(state) : state.brightness,
    color_temp: colorTemp,
    power_w: Math.round(watts * 10) / 10,
  };
}

function nextAt({ fade }: LightState): number | undefined {
  return fade && fade.atSecs + (fade.overSecs * (fade.done + 1)) / FADE_STEPS;
}
