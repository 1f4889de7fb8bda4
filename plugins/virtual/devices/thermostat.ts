// A room with a radiator: it loses warmth to the outside and gains it while heating, both exponentially.
import { Type, WORDS } from "../../sdk/index.ts";
import type { Kind } from "../kind.ts";
import { outsideC, type Span, type World } from "../world.ts";

export interface ThermostatState {
  temperatureC: number;
  setpointC: number;
  mode: "off" | "heat";
  heating: boolean;
  outsideC: number;
}

// In this time the difference to the final temperature shrinks by the factor e.
const TIME_CONSTANT_SECS = 6 * 3600;
// The final temperature is the one outside, plus this with the radiator on.
const RADIATOR_K = 35;
// The hysteresis of the radiator around the setpoint.
const HYSTERESIS_K = 0.2;
// Longer steps would miss the moment to switch the radiator.
const MAX_STEP_SECS = 60;

const settable = {
  temperature: Type.Number({ title: "Temperature", unit: "°C", minimum: -20, maximum: 50 }),
  setpoint: Type.Number({ title: "Setpoint", unit: "°C", minimum: 5, maximum: 30 }),
  target_temperature: { ...WORDS.climate.target_temperature, minimum: 5, maximum: 30, derived: true },
  mode: Type.Union([Type.Literal("off"), Type.Literal("heat")], { title: "Mode" }),
};
const accepts = Type.Partial(Type.Object(settable));
const capabilities = Type.Object(
  {
    ...settable,
    current_temperature: WORDS.climate.current_temperature,
    action: WORDS.climate.action,
    heating: Type.Boolean({ title: "Heating", readOnly: true }),
    outside_temperature: Type.Number({ title: "Temperature outside", unit: "°C", readOnly: true }),
  },
  { additionalProperties: false },
);

export const thermostat: Kind<ThermostatState, typeof accepts> = {
  deviceType: "thermostat",
  model: "Virtual thermostat",
  capabilities,
  accepts,
  initial: (nowSecs, { seed }) =>
    controlled({
      temperatureC: 19.5,
      setpointC: 20,
      mode: "heat",
      heating: false,
      outsideC: outsideC(nowSecs, seed),
    }),
  step(state, { fromSecs, toSecs }, world) {
    let now = state;
    for (let at = fromSecs; at < toSecs; at += MAX_STEP_SECS)
      now = shortStep(now, { fromSecs: at, toSecs: Math.min(toSecs, at + MAX_STEP_SECS) }, world);
    return now;
  },
  objection: ({ setpoint, target_temperature }) =>
    setpoint !== undefined && target_temperature !== undefined
      ? "target_temperature: goes without setpoint"
      : undefined,
  apply(state, { temperature = state.temperatureC, setpoint, target_temperature, mode = state.mode }) {
    const setpointC = toTenth(target_temperature ?? setpoint ?? state.setpointC);
    return controlled({ ...state, temperatureC: temperature, setpointC, mode });
  },
  attributes: ({ temperatureC, setpointC, mode, heating, outsideC }) => ({
    temperature: toTenth(temperatureC),
    current_temperature: toTenth(temperatureC),
    setpoint: setpointC,
    target_temperature: setpointC,
    mode,
    action: mode === "off" ? "off" : heating ? "heating" : "idle",
    heating,
    // Rounded to half degrees, as each change is an event and a row of history.
    outside_temperature: Math.round(outsideC * 2) / 2,
  }),
};

function shortStep(state: ThermostatState, { fromSecs, toSecs }: Span, { seed }: World): ThermostatState {
  const outside = outsideC(toSecs, seed);
  const final = outside + (state.heating ? RADIATOR_K : 0);
  const remaining = Math.exp((fromSecs - toSecs) / TIME_CONSTANT_SECS);
  return controlled({
    ...state,
    temperatureC: final + (state.temperatureC - final) * remaining,
    outsideC: outside,
  });
}

function controlled(state: ThermostatState): ThermostatState {
  const { temperatureC, setpointC, mode } = state;
  if (mode === "off" || temperatureC > setpointC + HYSTERESIS_K) return { ...state, heating: false };
  return temperatureC < setpointC - HYSTERESIS_K ? { ...state, heating: true } : state;
}

function toTenth(value: number): number {
  return Math.round(value * 10) / 10;
}
