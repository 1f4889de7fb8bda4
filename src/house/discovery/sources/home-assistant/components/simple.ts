// Components that are one value: sensors, switches, numbers, selects, texts, buttons.
import type { Json } from "../../../../../kit/schema/json.ts";
import type { Attribute } from "../../../described.ts";
import { wrong } from "../../../words.ts";
import {
  type Commanded,
  type DescribedAttribute,
  type Expires,
  numberOf,
  type Options,
  oneOf,
  onOff,
  type Reading,
  textOf,
  within,
} from "../entity.ts";
import { inOwnWord, nameOf, switchName } from "../naming/names.ts";
import { booleanIn, isOfLock, twoWords } from "./two-words.ts";

export type Component = (options: Options) => DescribedAttribute[];

const NUMERIC_CLASSES = new Set([
  ...["apparent_power", "aqi", "area", "atmospheric_pressure", "battery", "blood_glucose_concentration"],
  ...["carbon_dioxide", "carbon_monoxide", "conductivity", "current", "data_rate", "data_size", "distance", "duration"],
  ...["energy", "energy_distance", "energy_storage", "frequency", "gas", "humidity", "illuminance", "irradiance"],
  ...["moisture", "monetary", "nitrogen_dioxide", "nitrogen_monoxide", "nitrous_oxide", "ozone", "ph", "pm1", "pm10"],
  ...[
    "pm25",
    "pm4",
    "power",
    "power_factor",
    "precipitation",
    "precipitation_intensity",
    "pressure",
    "reactive_energy",
  ],
  ...["reactive_power", "signal_strength", "sound_pressure", "speed", "sulphur_dioxide", "temperature"],
  ...["temperature_delta", "volatile_organic_compounds", "volatile_organic_compounds_parts", "voltage", "volume"],
  ...["volume_flow_rate", "volume_storage", "water", "weight", "wind_direction", "wind_speed"],
]);

function isNumeric(options: Options): boolean {
  const { unit_of_measurement: unit, state_class: stateClass, device_class: kind } = options.config;
  return unit !== undefined || stateClass !== undefined || NUMERIC_CLASSES.has(String(kind));
}

export function attributeOf(
  options: Options,
  attribute: Pick<Attribute, "name" | "type"> & Partial<Attribute>,
  { readings = [], commanded }: { readings?: readonly (Reading | undefined)[]; commanded?: Commanded | undefined },
): DescribedAttribute {
  const read = readings.filter((one) => one !== undefined);
  return {
    attribute: { ...options.meta(), ...attribute, readable: read.length > 0, writable: commanded !== undefined },
    readings: read,
    commanded,
  };
}

const COMMAND = { topic: "command_topic", template: "command_template" };

function stateOf(options: Options): Reading | undefined {
  return options.reading("state_topic", "value_template");
}

const MAX_SECONDS = 10 * 365 * 86_400;

/** `expire_after`: without a message for so long the value is unknown. */
function expiry(options: Options): { expires?: Expires[] } {
  const seconds = secondsIn(options, "expire_after");
  return seconds === undefined ? {} : { expires: [{ ms: seconds * 1000, becomes: null }] };
}

function secondsIn(options: Options, key: string): number | undefined {
  const seconds = options.number(key) ?? 0;
  if (seconds < 0 || seconds > MAX_SECONDS) throw new Error(`${key}: must be seconds, at most ${MAX_SECONDS}`);
  return seconds === 0 ? undefined : seconds;
}

export const sensor: Component = (options) => {
  options.needsTopic("state_topic");
  const state = stateOf(options);
  const numeric = isNumeric(options);
  const isBattery = numeric && options.config.device_class === "battery";
  const name = nameOf(options, state);
  const list = options.texts("options");
  const attribute = { name, type: numeric ? "number" : "string", ...(list && { options: list }) } as const;
  const reading = state && (numeric ? numberOf(state) : textOf(state, list));
  const described = attributeOf(options, attribute, { readings: [reading] });
  return [{ ...described, ...expiry(options), ...(isBattery && { prefers: "battery" }) }];
};

const INVERTED = { inverted: true } as const;

export const binarySensor: Component = (options) => {
  options.needsTopic("state_topic");
  const state = stateOf(options);
  const [on, off] = [options.text("payload_on") ?? "ON", options.text("payload_off") ?? "OFF"];
  const isLock = isOfLock({ on, off });
  const own = nameOf(options, state);
  const name = isLock ? switchName(own, "locked") : own;
  const kind = options.text("device_class");
  const words = twoWords({ on, off, name: own, kind });
  const attribute = { name, type: "boolean", ...(words.isInverted && kind !== undefined && INVERTED) } as const;
  const delay = secondsIn(options, "off_delay");
  const isOn = !words.isInverted;
  const ends: Expires[] = delay === undefined ? [] : [{ ms: delay * 1000, becomes: !isOn, only: isOn }];
  const { expires = [] } = expiry(options);
  const described = attributeOf(options, attribute, { readings: [state && booleanIn(state, words)] });
  const whole = { ...described, ...(ends.length + expires.length > 0 && { expires: [...ends, ...expires] }) };
  return [isLock && name !== own ? inOwnWord(whole, "locked") : whole];
};

export const switchComponent: Component = (options) => {
  options.needsTopic("command_topic");
  const state = stateOf(options);
  const [on, off] = [options.text("payload_on") ?? "ON", options.text("payload_off") ?? "OFF"];
  const own = nameOf(options, state);
  const name = switchName(own);
  const [stateOn, stateOff] = [options.text("state_on") ?? on, options.text("state_off") ?? off];
  const words = twoWords({ on: stateOn, off: stateOff, name: own, kind: options.text("device_class") });
  const isTurned = words.yes !== stateOn;
  const reading = state && booleanIn(state, words);
  const commanded = options.commanded(name, COMMAND, isTurned ? onOff(name, off, on) : onOff(name, on, off));
  const described = attributeOf(options, { name, type: "boolean" }, { readings: [reading], commanded });
  return [name === own ? described : inOwnWord(described)];
};

export const number: Component = (options) => {
  options.needsTopic("command_topic");
  const state = stateOf(options);
  const [min, max, step] = [options.number("min") ?? 1, options.number("max") ?? 100, options.number("step") ?? 1];
  if (min > max) throw new Error(`max: must not be less than min, ${min}`);
  const name = nameOf(options, state);
  const commanded = options.commanded(name, COMMAND, within(name, min, max));
  const reading = state && numberOf(withReset(state, options.text("payload_reset")));
  return [
    attributeOf(
      options,
      { name, type: "number", min, max, ...(step > 0 && { step }) },
      { readings: [reading], commanded },
    ),
  ];
};

export const select: Component = (options) => {
  options.needsTopic("command_topic");
  const list = options.texts("options");
  if (!list) throw new Error("options is missing");
  const state = stateOf(options);
  const name = nameOf(options, state);
  const commanded = options.commanded(name, COMMAND, oneOf(name, list));
  const readings = [state && textOf(state, list)];
  return [attributeOf(options, { name, type: "string", options: list }, { readings, commanded })];
};

export const text: Component = (options) => {
  options.needsTopic("command_topic");
  const state = stateOf(options);
  const name = nameOf(options, state);
  const [min, max] = [options.number("min") ?? 0, options.number("max") ?? 255];
  const asText = (value: Json): Json => {
    if (typeof value !== "string" || value.length < min || value.length > max)
      throw wrong(name, `must be a text of ${min} to ${max} characters`);
    return value;
  };
  const commanded = options.commanded(name, COMMAND, asText);
  const attribute = { name, type: "string", minLength: min, maxLength: max } as const;
  if (options.text("mode") !== "password") {
    const pattern = options.text("pattern");
    const whole = { ...attribute, ...(pattern !== undefined && { pattern }) };
    return [attributeOf(options, whole, { readings: [state], commanded })];
  }
  // What it reports is read by nobody, also where a key of the device's message bears it.
  const unread = state && { ...state, read: () => undefined };
  const described = attributeOf(options, { ...attribute, format: "password" }, { readings: [unread], commanded });
  return [{ ...described, attribute: { ...described.attribute, readable: false }, momentary: true }];
};

/** `payload`: says that the value is unknown. */
export function withReset(reading: Reading, payload: string | undefined): Reading {
  if (payload === undefined) return reading;
  return {
    ...reading,
    read(message) {
      const value = reading.read(message);
      return value === payload ? null : value;
    },
  };
}

/** An action: `true` presses it. */
export const button: Component = (options) => pressed(options, options.text("payload_press") ?? "PRESS");

export const scene: Component = (options) => pressed(options, options.text("payload_on") ?? "ON");

function pressed(options: Options, payload: string): DescribedAttribute[] {
  options.needsTopic("command_topic");
  const name = nameOf(options, undefined);
  const press = (value: Json): Json => {
    if (value !== true && value !== payload) throw wrong(name, "must be true: it is a button to press");
    return payload;
  };
  const commanded = options.commanded(name, COMMAND, press);
  return [{ ...attributeOf(options, { name, type: "boolean" }, { commanded }), momentary: true }];
}

/** A text to show or to speak. */
export const notify: Component = (options) => {
  options.needsTopic("command_topic");
  const name = nameOf(options, undefined);
  const asText = (value: Json): Json => {
    if (typeof value !== "string" || value.length > MAX_MESSAGE)
      throw wrong(name, `must be a text of at most ${MAX_MESSAGE} characters`);
    return value;
  };
  const commanded = options.commanded(name, COMMAND, asText);
  return [{ ...attributeOf(options, { name, type: "string" }, { commanded }), momentary: true }];
};

const MAX_MESSAGE = 4096;
