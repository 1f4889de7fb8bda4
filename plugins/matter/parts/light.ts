// Lights: on and off, brightness, the temperature of white, colour.
import type { ActionContext, Endpoint } from "@matter/main";
import { ColorTemperatureLightDevice } from "@matter/main/devices/color-temperature-light";
import { DimmableLightDevice } from "@matter/main/devices/dimmable-light";
import { ExtendedColorLightDevice } from "@matter/main/devices/extended-color-light";
import { OnOffLightDevice } from "@matter/main/devices/on-off-light";
import { Status } from "@matter/types";
import type { JsonObject } from "../../sdk/index.ts";
import type { HubDevice } from "../hub.ts";
import { fromHueAndSaturation, fromXy, toHueAndSaturation, toXy } from "./color.ts";
import { ColorServer, HIGHEST_LEVEL, kelvinOf, LevelServer, pctOf, WhiteServer } from "./light-servers.ts";
import {
  type Ask,
  booleanOf,
  cannot,
  describedAs,
  has,
  known,
  type MakePart,
  numberOf,
  whenSet,
  within,
} from "./part.ts";
import { SwitchedServer, whenSwitched } from "./switched.ts";

const HIGHEST_MIREDS = 65_279;
const COLOR_MODE = { hueAndSaturation: 0, xy: 1, temperature: 2 } as const;
const DEFAULT_RANGE_K = { warm: 2200, cold: 6500 };

const PlainLight = OnOffLightDevice.with(SwitchedServer);
const DimmableLight = DimmableLightDevice.with(SwitchedServer, LevelServer);
const WhiteLight = ColorTemperatureLightDevice.with(SwitchedServer, LevelServer, WhiteServer);
const ColorLight = ExtendedColorLightDevice.with(SwitchedServer, LevelServer, ColorServer);

export const light: MakePart = (device) => {
  if (device.device_type !== "light" || !has(device, "on")) return undefined;
  const can = {
    dim: has(device, "brightness_pct"),
    white: has(device, "color_temp_k"),
    color: has(device, "color_rgb"),
  };
  const range = rangeOf(device);
  const colored = can.white || can.color;
  return {
    id: "light",
    features: JSON.stringify({ ...can, range }),
    type: can.color ? ColorLight : can.white ? WhiteLight : can.dim ? DimmableLight : PlainLight,
    ...(colored ? { fixed: { colorControl: fixedColor(range) } } : {}),
    values: (attributes) => ({
      onOff: known({ onOff: booleanOf(attributes.on) }),
      ...(can.dim || colored
        ? { levelControl: known({ currentLevel: levelOf(numberOf(attributes.brightness_pct)) }) }
        : {}),
      ...(colored ? { colorControl: colorOf(attributes, can, range) } : {}),
    }),
    watch(endpoint, ask) {
      // A light of its kind has them all in Matter, whatever this one can do.
      whenSwitched(endpoint, ask, (commanded: JsonObject) => takenBy(commanded, can));
      if (can.dim)
        whenSet(endpoint, ["levelControl", "currentLevel"], ask, (level) =>
          typeof level === "number" ? pctOf(level) : undefined,
        );
      if (colored) watchColor(endpoint, ask, can);
    },
  };
};

function levelOf(pct: number | undefined): number | undefined {
  return within(1, HIGHEST_LEVEL, pct === undefined ? undefined : (pct * HIGHEST_LEVEL) / 100);
}

/** Within Matter's bounds: some lights announce a range that no light has. */
function miredsOf(kelvin: number): number {
  return within(1, HIGHEST_MIREDS, 1_000_000 / kelvin) ?? HIGHEST_MIREDS;
}

/** Throws for white where there is none; a level that cannot be set is none to fail for, as apps set one to switch it on. */
function takenBy(commanded: JsonObject, can: { dim: boolean; white: boolean }): JsonObject {
  if (commanded.color_temp_k !== undefined && !can.white)
    throw cannot("the light has no white to set", Status.UnsupportedCommand);
  return commanded.brightness_pct !== undefined && !can.dim ? {} : commanded;
}

interface Range {
  warmest: number;
  coldest: number;
}

/** In mireds. */
function rangeOf(device: HubDevice): Range {
  const described = describedAs(device, "color_temp_k");
  const { warm, cold } = DEFAULT_RANGE_K;
  return {
    warmest: miredsOf(numberOf(described?.minimum) ?? warm),
    coldest: miredsOf(numberOf(described?.maximum) ?? cold),
  };
}

function fixedColor({ warmest, coldest }: Range): Record<string, unknown> {
  return {
    colorMode: COLOR_MODE.temperature,
    colorTempPhysicalMinMireds: coldest,
    colorTempPhysicalMaxMireds: warmest,
    coupleColorTempToLevelMinMireds: coldest,
    colorTemperatureMireds: coldest,
    startUpColorTemperatureMireds: null,
  };
}

function colorOf(
  attributes: JsonObject,
  can: { color: boolean },
  { warmest, coldest }: Range,
): Record<string, unknown> {
  const kelvin = numberOf(attributes.color_temp_k);
  const mireds = kelvin === undefined ? undefined : within(coldest, warmest, miredsOf(kelvin));
  const rgb = typeof attributes.color_rgb === "string" ? attributes.color_rgb : undefined;
  const inColor = can.color && rgb !== undefined && attributes.color_mode !== "color_temp";
  if (!inColor)
    return known({
      colorTemperatureMireds: mireds,
      ...(mireds === undefined ? {} : { colorMode: COLOR_MODE.temperature }),
    });
  return { ...toHueAndSaturation(rgb), ...toXy(rgb), colorMode: COLOR_MODE.hueAndSaturation };
}

function watchColor(endpoint: Endpoint, ask: Ask, can: { dim: boolean; white: boolean; color: boolean }): void {
  whenSet(endpoint, ["colorControl", "colorTemperatureMireds"], ask, (mireds) => {
    if (typeof mireds !== "number" || mireds <= 0) return undefined;
    return takenBy(kelvinOf(mireds), can);
  });
  if (!can.color) return;
  // As they are to be: both hue and saturation, although one is reported before the other.
  const wanted = (context: ActionContext) => endpoint.agentFor(context).get(ColorServer).state;
  for (const name of ["currentHue", "currentSaturation"])
    whenSet(endpoint, ["colorControl", name], ask, (_, context) => {
      const { currentHue, currentSaturation } = wanted(context);
      return { color_rgb: fromHueAndSaturation(currentHue ?? 0, currentSaturation ?? 0) };
    });
  for (const name of ["currentX", "currentY"])
    whenSet(endpoint, ["colorControl", name], ask, (_, context) => {
      const { currentX, currentY } = wanted(context);
      return { color_rgb: fromXy(currentX ?? 0, currentY ?? 0) };
    });
}
