import { FanControl } from "@matter/main/clusters/fan-control";
import { FanDevice } from "@matter/main/devices/fan";
import type { JsonObject } from "../../sdk/index.ts";
import { booleanOf, cannot, has, known, type MakePart, numberOf, whenSet, within } from "./part.ts";

const { FanMode, FanModeSequence } = FanControl;

export const fan: MakePart = (device) => {
  if (device.device_type !== "fan" || !has(device, "on")) return undefined;
  const speeds = has(device, "speed_pct");
  return {
    id: "fan",
    features: speeds ? "speeds" : "",
    type: FanDevice,
    fixed: {
      fanControl: {
        fanModeSequence: FanModeSequence.OffLowMedHigh,
        fanMode: FanMode.Off,
        percentSetting: 0,
        percentCurrent: 0,
      },
    },
    values({ on, speed_pct }) {
      const running = booleanOf(on);
      const commanded = speeds ? within(0, 100, numberOf(speed_pct)) : undefined;
      const pct = running === false ? 0 : (commanded ?? (running ? 100 : undefined));
      const mode = pct === undefined ? undefined : modeOf(pct);
      return { fanControl: known({ percentSetting: pct, percentCurrent: pct, fanMode: mode }) };
    },
    watch(endpoint, ask) {
      const turned = (pct: number): JsonObject =>
        pct === 0 ? { on: false } : speeds ? { on: true, speed_pct: pct } : { on: true };
      whenSet(endpoint, ["fanControl", "percentSetting"], ask, (pct) => {
        if (typeof pct !== "number") throw NOT_BY_ITSELF;
        return turned(pct);
      });
      whenSet(endpoint, ["fanControl", "fanMode"], ask, (mode) => {
        const pct = typeof mode === "number" ? SPEED_OF_MODE[mode] : undefined;
        if (pct === undefined) throw NOT_BY_ITSELF;
        return turned(pct);
      });
    },
  };
};

const NOT_BY_ITSELF = cannot("it does not find its speed by itself");

const SPEED_OF_MODE: Readonly<Record<number, number>> = {
  [FanMode.Off]: 0,
  [FanMode.Low]: 33,
  [FanMode.Medium]: 66,
  [FanMode.High]: 100,
  [FanMode.On]: 100,
};

function modeOf(pct: number): number {
  if (pct === 0) return FanMode.Off;
  return pct <= 33 ? FanMode.Low : pct <= 66 ? FanMode.Medium : FanMode.High;
}
