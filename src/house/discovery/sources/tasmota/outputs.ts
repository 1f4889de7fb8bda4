// A Tasmota's relays and its fan: what is switched.
import type { Json } from "../../../../kit/schema/json.ts";
import { speedOf, wrong } from "../../words.ts";
import { type Channel, ranged, WRITABLE, withWord, wordAndPart } from "./channel.ts";
import { RELAY, type TasmotaConfig } from "./config.ts";

/** Numbers of the outputs that are switched, from 1. */
export function switchedOutputs({ relays }: TasmotaConfig): number[] {
  return relays.flatMap((kind, at) => (kind === RELAY.relay || kind === RELAY.light ? [at + 1] : []));
}

export function lightOutputs({ relays, isFan }: TasmotaConfig): number[] {
  return isFan ? [] : relays.flatMap((kind, at) => (kind === RELAY.light ? [at + 1] : []));
}

/** The only light, or the only relay, is `on`; of several `on_1`, `on_2`, … The lamp of a fan is `light`. */
export function powerName(config: TasmotaConfig, output: number): string {
  if (config.isFan) return "light";
  const [lights, all] = [lightOutputs(config), switchedOutputs(config)];
  const isMain = lights.length === 1 ? lights[0] === output : all.length === 1;
  return isMain ? "on" : `on_${output}`;
}

export function powerOf(config: TasmotaConfig, output: number): Channel {
  const name = powerName(config, output);
  const [off, on, toggle] = config.states;
  const description = config.relayNames[output - 1];
  const part = config.isFan ? { word: "on", part: name } : wordAndPart(name);
  return {
    attribute: { ...WRITABLE, name, type: "boolean", ...part, ...(description !== undefined && { description }) },
    decode(state) {
      // The first of one output only has no number, unless SetOption26 is on.
      const value = state[`POWER${output}`] ?? (output === 1 ? state.POWER : undefined);
      return value === on ? true : value === off ? false : undefined;
    },
    encode(value) {
      if (typeof value !== "boolean" && value !== "toggle") throw wrong(name, 'must be true, false or "toggle"');
      return [[`POWER${output}`, value === "toggle" ? toggle : value ? on : off]];
    },
  };
}

const SPEEDS = { min: 0, max: 3 };

/** Sonoff's iFan: three speeds. */
export function fanOf(): Channel[] {
  const speed = ranged({ name: "speed", ...SPEEDS, step: 1 }, { key: "FanSpeed" });
  let last = 1;
  const on: Channel = {
    attribute: { ...WRITABLE, name: "on", type: "boolean", derived: true, of: "speed", word: "on" },
    decode(state) {
      const value = speed.decode?.(state);
      if (typeof value !== "number") return undefined;
      if (value > 0) last = value;
      return value > 0;
    },
    encode(value: Json, wanted) {
      if (typeof value !== "boolean") throw wrong("on", "must be true or false");
      if (value && (wanted.speed !== undefined || wanted.speed_pct !== undefined)) return [];
      return [["FanSpeed", String(value ? last : 0)]];
    },
  };
  return [on, ...withWord(speed, "speed_pct", speedOf(1, SPEEDS.max))];
}
