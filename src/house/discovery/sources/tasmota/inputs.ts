// A Tasmota's switches and buttons that are not tied to an output: contacts and motion as values, presses as actions.
import { isObject, type Json, type JsonObject } from "../../../../kit/schema/json.ts";
import type { Attribute } from "../../described.ts";
import { READABLE } from "./channel.ts";
import type { TasmotaConfig } from "./config.ts";

const SWAPPED_PRESSES = 11;
// SwitchMode: what a switch's messages mean.
const PRESSES_ONLY = new Set([0, 7, 8, 11, 12]);
const HOLD_IS_TWO_PRESSES = new Set([8, 9, 10]);
const REPORTS_MOTION_ONLY = new Set([13, 14]);
const MOTION_LASTS_MS = 1000;
const MOST = 32;

interface Input {
  /** In messages; a switch's is of the person's choice. */
  key: string;
  /** `switch1`, `button2` */
  name: string;
}

interface Switch extends Input {
  mode: number;
  attribute: Attribute | undefined;
}

export interface Inputs {
  attributes: Attribute[];
  /** Their keys in SENSOR, which are no sensors. */
  keys: ReadonlySet<string>;
  readActions(result: JsonObject): string[];
  readResult(result: JsonObject): JsonObject;
  readSensor(sensor: JsonObject): JsonObject;
}

/** `later`: reports attributes after so many milliseconds. */
export function inputsOf(config: TasmotaConfig, later: (ms: number, attributes: JsonObject) => void): Inputs {
  const switches = switchesOf(config);
  const buttons = config.buttons.slice(0, MOST).map((_, at) => ({ key: `Button${at + 1}`, name: `button${at + 1}` }));
  const [off, on, toggle, hold] = config.states;
  const isOn = (value: Json | undefined): boolean | undefined =>
    value === on ? true : value === off ? false : undefined;

  function pressOf({ name, mode }: Switch, text: string): string | undefined {
    if (text === toggle) return `${name}_single`;
    if (text === hold) return `${name}_${HOLD_IS_TWO_PRESSES.has(mode) ? "double" : "hold"}`;
    return isOn(text) === undefined ? `${name}_${text.toLowerCase()}` : undefined;
  }

  return {
    attributes: switches.flatMap(({ attribute }) => attribute ?? []),
    keys: new Set([...switches, ...buttons].map(({ key }) => key)),
    readActions: (result) => [
      ...switches.flatMap((one) => {
        const text = actionOf(result, one.key);
        return text === undefined ? [] : (pressOf(one, text) ?? []);
      }),
      ...buttons.flatMap(({ key, name }) => {
        const text = actionOf(result, key);
        return text === undefined ? [] : `${name}_${pressIn(config, text)}`;
      }),
    ],
    readResult(result) {
      const read: JsonObject = {};
      for (const { key, attribute, mode } of switches) {
        const value = isOn(actionOf(result, key));
        if (!attribute || value === undefined) continue;
        read[attribute.name] = value;
        if (value && REPORTS_MOTION_ONLY.has(mode)) later(MOTION_LASTS_MS, { [attribute.name]: false });
      }
      return read;
    },
    readSensor(sensor) {
      const read: JsonObject = {};
      for (const { key, attribute, mode } of switches) {
        const value = isOn(sensor[key]);
        // Without a message for the end of motion, its state says nothing.
        if (attribute && value !== undefined && !REPORTS_MOTION_ONLY.has(mode)) read[attribute.name] = value;
      }
      return read;
    },
  };
}

function switchesOf({ switches, switchNames }: TasmotaConfig): Switch[] {
  return switches.slice(0, MOST).flatMap((mode, at) => {
    if (mode < 0) return [];
    const [name, key = `Switch${at + 1}`] = [`switch${at + 1}`, switchNames[at]];
    const described = key === `Switch${at + 1}` ? {} : { description: key };
    const attribute = { ...READABLE, name, type: "boolean", ...described } as const;
    return { key, name, mode, attribute: PRESSES_ONLY.has(mode) ? undefined : attribute };
  });
}

/** `"Button1":{"Action":"SINGLE"}` */
function actionOf(result: JsonObject, key: string): string | undefined {
  const value = Object.hasOwn(result, key) ? result[key] : undefined;
  const action = isObject(value) ? value.Action : undefined;
  return typeof action === "string" && action.length <= 32 ? action : undefined;
}

/** What the finger did: with SetOption11 a single press is sent as DOUBLE. */
function pressIn({ options }: TasmotaConfig, text: string): string {
  const press = text.toLowerCase();
  if (!options.has(SWAPPED_PRESSES)) return press;
  return press === "single" ? "double" : press === "double" ? "single" : press;
}
