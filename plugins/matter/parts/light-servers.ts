// Levels and colours as the other side commands them, also where they are shown already; reported in the hub's words.
import { ColorControlServer } from "@matter/main/behaviors/color-control";
import { LevelControlServer } from "@matter/main/behaviors/level-control";
import type { LevelControl } from "@matter/main/clusters/level-control";
import { fromHueAndSaturation, fromXy } from "./color.ts";
import { handOn } from "./part.ts";
import { SwitchedServer } from "./switched.ts";

export const HIGHEST_LEVEL = 254;

export const pctOf = (level: number) => ({ brightness_pct: Math.max(1, Math.round((level * 100) / HIGHEST_LEVEL)) });
export const kelvinOf = (mireds: number) => ({ color_temp_k: Math.round(1_000_000 / Math.max(1, mireds)) });

export class LevelServer extends LevelControlServer.with("OnOff", "Lighting") {
  override moveToLevelLogic(level: number, ...others: [number | null, boolean, LevelControl.Options?]) {
    handOn(this, pctOf(level));
    return super.moveToLevelLogic(level, ...others);
  }
  /** It waits for a command for on or off that is on its way, which would else refuse it. */
  override async couple(...given: [withOnOff: boolean, options?: LevelControl.Options]): Promise<void> {
    if (given[0]) {
      const { transaction } = this.context;
      await transaction.addResources(this.agent.get(SwitchedServer));
      await transaction.begin();
    }
    await super.couple(...given);
  }
}

interface Range {
  colorTempPhysicalMinMireds: number;
  colorTempPhysicalMaxMireds: number;
}
const withinRange = (mireds: number, { colorTempPhysicalMinMireds: min, colorTempPhysicalMaxMireds: max }: Range) =>
  Math.min(max, Math.max(min, mireds));

export class WhiteServer extends ColorControlServer.with("ColorTemperature") {
  override moveToColorTemperatureLogic(mireds: number, transitionTime: number) {
    const within = withinRange(mireds, this.state);
    handOn(this, kelvinOf(within));
    return super.moveToColorTemperatureLogic(within, transitionTime);
  }
}

export class ColorServer extends ColorControlServer.with("HueSaturation", "Xy", "ColorTemperature") {
  override moveToColorTemperatureLogic(mireds: number, transitionTime: number) {
    const within = withinRange(mireds, this.state);
    handOn(this, kelvinOf(within));
    return super.moveToColorTemperatureLogic(within, transitionTime);
  }
  override moveToHueAndSaturationLogic(hue: number, saturation: number, transitionTime: number) {
    handOn(this, { color_rgb: fromHueAndSaturation(hue, saturation) });
    return super.moveToHueAndSaturationLogic(hue, saturation, transitionTime);
  }
  override moveToColorLogic(x: number, y: number, transitionTime: number) {
    handOn(this, { color_rgb: fromXy(x, y) });
    return super.moveToColorLogic(x, y, transitionTime);
  }
}
