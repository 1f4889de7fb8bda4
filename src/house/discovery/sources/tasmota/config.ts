// What a Tasmota says about itself in `tasmota/discovery/MAC/config`, checked and with readable names.
import { HubError } from "../../../../kit/schema/errors.ts";
import { isObject, type Json, type JsonObject } from "../../../../kit/schema/json.ts";
import type { Hardware } from "../../described.ts";
import { inNetwork } from "../../hardware.ts";
import { macIn } from "../../mac.ts";

export const RELAY = { none: 0, relay: 1, light: 2, shutter: 3 } as const;

export interface TasmotaConfig {
  /** Twelve hexadecimal digits in small letters. */
  mac: string;
  name: string | undefined;
  /** Of each relay, where it has one. */
  relayNames: readonly (string | undefined)[];
  model: string | undefined;
  hardware: Hardware;
  /** Begins of its topics, each with a slash at the end. */
  command: string;
  status: string;
  telemetry: string;
  online: string;
  offline: string;
  /** The texts for off, on, toggle and hold. */
  states: readonly [off: string, on: string, toggle: string, hold: string];
  /** Of each output: `RELAY`. */
  relays: readonly number[];
  /** Of each switch its SwitchMode, -1 where there is none. */
  switches: readonly number[];
  switchNames: readonly (string | undefined)[];
  /** Of each button 1 where it is one. */
  buttons: readonly number[];
  /** Numbers of the SetOptions that are on. */
  options: ReadonlySet<number>;
  /** 1 dims, 2 also white warmth, 3 colour, 4 colour and white, 5 colour and warmth; 0 is no light. */
  lightType: number;
  /** Colour and white are one light. */
  isLinked: boolean;
  isTuya: boolean;
  isFan: boolean;
  hasBattery: boolean;
  /** It is away most of the time, and means to be. */
  sleeps: boolean;
  /** Of each shutter: bit 0 is inverted. */
  shutterOptions: readonly number[];
  /** Of each shutter the range of its tilt in degrees. */
  tilts: readonly { min: number; max: number }[];
}

const MAX_TOPIC = 256;

/** `mac`: from the topic. Throws HubError `invalid`. */
export function readTasmotaConfig(json: JsonObject, mac: string): TasmotaConfig {
  const own = macIn(json.mac);
  const { fn, dn, md, ip, sw, onln, ofln, state, rl, swc, swn, btn, so, lt_st, lk, ty, bat, dslp, sho, sht } = json;
  if (own === undefined) throw invalid("mac must be twelve hexadecimal digits");
  if (own !== macIn(mac)) throw invalid(`the topic says ${mac}, and mac is ${own.toUpperCase()}`);
  const [off = "OFF", on = "ON", toggle = "TOGGLE", hold = "HOLD"] = textsIn(state);
  const relayNames = namesIn(fn);
  return {
    ...{ mac: own, name: textIn(dn) ?? relayNames[0], relayNames, model: textIn(md) },
    hardware: inNetwork({ mac: own, ip, version: sw }),
    ...topicsIn(json, own),
    ...{ online: textIn(onln) ?? "Online", offline: textIn(ofln) ?? "Offline", states: [off, on, toggle, hold] },
    ...{ relays: numbersIn(rl), switches: numbersIn(swc), switchNames: namesIn(swn), buttons: numbersIn(btn) },
    options: new Set(Object.entries(isObject(so) ? so : {}).flatMap(([key, value]) => (value === 1 ? [+key] : []))),
    ...{ lightType: typeof lt_st === "number" ? lt_st : 0, isLinked: lk !== 0 },
    ...{ isTuya: ty === 1, isFan: json.if === 1, hasBattery: bat === 1, sleeps: dslp === 1 },
    shutterOptions: numbersIn(sho),
    tilts: (Array.isArray(sht) ? sht : []).map((one) => {
      const [min = 0, max = 0] = numbersIn(one);
      return { min, max };
    }),
  };
}

function topicsIn(
  { t: topic, ft: fullTopic, tp: prefixes, hn: hostname }: JsonObject,
  mac: string,
): Pick<TasmotaConfig, "command" | "status" | "telemetry"> {
  const [command, status, telemetry] = textsIn(prefixes);
  if (typeof topic !== "string" || typeof fullTopic !== "string" || telemetry === undefined)
    throw invalid("t, ft and tp are needed; is it a Tasmota of version 9.2 or later?");
  if (!fullTopic.includes("%prefix%")) throw invalid("ft must contain %prefix%");
  const begin = (prefix = ""): string => {
    const made = fullTopic
      .replaceAll("%hostname%", () => textIn(hostname) ?? "")
      .replaceAll("%id%", mac.slice(-6).toUpperCase())
      .replaceAll("%prefix%", () => prefix)
      .replaceAll("%topic%", () => topic);
    const ended = made.endsWith("/") ? made : `${made}/`;
    if (ended.length > MAX_TOPIC || /[+#\0]/.test(ended)) throw invalid(`${ended.slice(0, 80)} is no topic`);
    return ended;
  };
  return { command: begin(command), status: begin(status), telemetry: begin(telemetry) };
}

function invalid(what: string): HubError {
  return new HubError("invalid", `config: ${what}`);
}

const textIn = (value: Json | undefined): string | undefined =>
  typeof value === "string" && value !== "" ? value : undefined;

const textsIn = (value: Json | undefined): string[] =>
  Array.isArray(value) ? value.filter((one): one is string => typeof one === "string") : [];

const namesIn = (value: Json | undefined): (string | undefined)[] => (Array.isArray(value) ? value : []).map(textIn);

const numbersIn = (value: Json | undefined): number[] =>
  (Array.isArray(value) ? value.slice(0, 64) : []).map((one) => (typeof one === "number" ? one : 0));
