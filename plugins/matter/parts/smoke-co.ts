// Smoke and carbon monoxide alarms. What notices both is one alarm, as it is one device on the ceiling.
import { SmokeCoAlarmServer } from "@matter/main/behaviors/smoke-co-alarm";
import { SmokeCoAlarm } from "@matter/main/clusters/smoke-co-alarm";
import { SmokeCoAlarmDevice } from "@matter/main/devices/smoke-co-alarm";
import type { JsonObject } from "../../sdk/index.ts";
import { isLowBattery } from "./battery.ts";
import { booleanOf, has, known, type MakePart } from "./part.ts";

const { AlarmState, ExpressedState } = SmokeCoAlarm;

const SmokeAlarm = SmokeCoAlarmDevice.with(SmokeCoAlarmServer.with("SmokeAlarm"));
const CoAlarm = SmokeCoAlarmDevice.with(SmokeCoAlarmServer.with("CoAlarm"));
const SmokeAndCoAlarm = SmokeCoAlarmDevice.with(SmokeCoAlarmServer.with("SmokeAlarm", "CoAlarm"));

export const smokeAndCo: MakePart = (device) => {
  const [smoke, co] = [has(device, "smoke"), has(device, "carbon_monoxide")];
  if (!smoke && !co) return undefined;
  return {
    id: smoke ? "smoke" : "co",
    features: [smoke && "smoke", co && "carbon_monoxide"].filter(Boolean).join(" "),
    type: smoke && co ? SmokeAndCoAlarm : smoke ? SmokeAlarm : CoAlarm,
    fixed: {
      smokeCoAlarm: {
        expressedState: ExpressedState.Normal,
        batteryAlert: AlarmState.Normal,
        testInProgress: false,
        hardwareFaultAlert: false,
        endOfServiceAlert: SmokeCoAlarm.EndOfService.Normal,
      },
    },
    values: (words) => ({
      smokeCoAlarm: known({
        ...(smoke && { smokeState: alarmOf(booleanOf(words.smoke)) }),
        ...(co && { coState: alarmOf(booleanOf(words.carbon_monoxide)) }),
        batteryAlert: isLowBattery(words) ? AlarmState.Warning : AlarmState.Normal,
        expressedState: expressed(words),
      }),
    }),
  };
};

function alarmOf(isAlarm: boolean | undefined): number | undefined {
  if (isAlarm === undefined) return undefined;
  return isAlarm ? AlarmState.Critical : AlarmState.Normal;
}

/** What it calls out: of several, what is most dangerous. */
function expressed(words: JsonObject): number {
  if (words.smoke === true) return ExpressedState.SmokeAlarm;
  if (words.carbon_monoxide === true) return ExpressedState.CoAlarm;
  return isLowBattery(words) ? ExpressedState.BatteryAlert : ExpressedState.Normal;
}
