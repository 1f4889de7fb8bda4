// A Tasmota's shutters: each has two outputs, and a position from closed to open.
import { isObject, type Json, type JsonObject } from "../../../../kit/schema/json.ts";
import { numberIn, within } from "../../numbers.ts";
import { SAME, wrong } from "../../words.ts";
import { type Channel, READABLE, ranged, WRITABLE, withWord, wordAndPart } from "./channel.ts";
import { RELAY, type TasmotaConfig } from "./config.ts";

const INVERTED = 1;
const MAX_SHUTTERS = 16;
const PERCENT = { min: 0, max: 100, unit: "%" } as const;
const COMMANDS: Readonly<Record<string, string>> = {
  open: "ShutterOpen",
  close: "ShutterClose",
  stop: "ShutterStop",
};

export function shuttersOf({ relays, shutterOptions, tilts }: TasmotaConfig): Channel[] {
  const count = Math.min(MAX_SHUTTERS, Math.floor(relays.filter((kind) => kind === RELAY.shutter).length / 2));
  return Array.from({ length: count }, (_, at) => at + 1).flatMap((number) => {
    const isInverted = ((shutterOptions[number - 1] ?? 0) & INVERTED) !== 0;
    const { min, max } = tilts[number - 1] ?? { min: 0, max: 0 };
    const shutter = { number, suffix: count > 1 ? `_${number}` : "", isInverted };
    return [
      ...[position(shutter), moving(shutter), command(shutter)],
      ...(max === min ? [] : withWord(tilt(shutter, { min, max }), `tilt_pct${shutter.suffix}`, SAME)),
    ];
  });
}

interface Shutter {
  number: number;
  suffix: string;
  isInverted: boolean;
}

/** `"Shutter1":{"Position":50,"Direction":0,"Target":50,"Tilt":0}` */
function stateOf(state: JsonObject, number: number): JsonObject {
  const { [`Shutter${number}`]: own } = state;
  return isObject(own) ? own : {};
}

function position({ number, suffix, isInverted }: Shutter): Channel {
  const turned = (value: number): number => (isInverted ? 100 - value : value);
  const name = `position${suffix}`;
  const whole = ranged({ name, ...wordAndPart(name), ...PERCENT }, { key: `ShutterPosition${number}` });
  return {
    ...whole,
    decode(state) {
      const value = numberIn(stateOf(state, number).Position);
      return value === undefined ? undefined : turned(value);
    },
    encode: (value, wanted) => whole.encode?.(turned(within(whole.attribute.name, value, PERCENT)), wanted) ?? [],
  };
}

function moving({ number, suffix, isInverted }: Shutter): Channel {
  const options = ["opening", "closing", "stopped"];
  const name = `moving${suffix}`;
  return {
    attribute: { ...READABLE, name, ...wordAndPart(name), type: "string", options },
    decode(state) {
      const direction = numberIn(stateOf(state, number).Direction);
      if (direction === undefined) return undefined;
      if (direction === 0) return "stopped";
      return direction > 0 !== isInverted ? "opening" : "closing";
    },
  };
}

function command({ number, suffix }: Shutter): Channel {
  const name = `command${suffix}`;
  const options = Object.keys(COMMANDS);
  return {
    attribute: { name, ...wordAndPart(name), type: "string", options, readable: false, writable: true },
    encode(value: Json) {
      const found = options.includes(String(value)) ? COMMANDS[String(value)] : undefined;
      if (found === undefined) throw wrong(name, `must be one of ${options.join(", ")}`);
      return [[`${found}${number}`, ""]];
    },
  };
}

/** In percent of its range, like the position. A range may be given from its end. */
function tilt({ number, suffix, isInverted }: Shutter, { min, max }: { min: number; max: number }): Channel {
  const name = `tilt${suffix}`;
  const turned = (share: number): number => (isInverted ? 1 - share : share);
  return {
    attribute: { ...WRITABLE, name, type: "number", ...PERCENT },
    decode(state) {
      const degrees = numberIn(stateOf(state, number).Tilt);
      return degrees === undefined ? undefined : Math.round(turned((degrees - min) / (max - min)) * 100);
    },
    encode(value) {
      const share = turned(within(name, value, PERCENT) / 100);
      return [[`ShutterTilt${number}`, String(Math.round(min + share * (max - min)))]];
    },
  };
}
