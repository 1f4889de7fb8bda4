// The blueprints that are part of the executable.
import doorLeftOpen from "../../../rules/blueprints/door-left-open.toml" with { type: "text" };
import leakAlarm from "../../../rules/blueprints/leak-alarm.toml" with { type: "text" };
import lowBatteryReport from "../../../rules/blueprints/low-battery-report.toml" with { type: "text" };
import motionLight from "../../../rules/blueprints/motion-light.toml" with { type: "text" };
import wakeUpLight from "../../../rules/blueprints/wake-up-light.toml" with { type: "text" };

/** File name → text. */
export const shippedBlueprints: ReadonlyMap<string, string> = new Map([
  ["door-left-open.toml", String(doorLeftOpen)],
  ["leak-alarm.toml", String(leakAlarm)],
  ["low-battery-report.toml", String(lowBatteryReport)],
  ["motion-light.toml", String(motionLight)],
  ["wake-up-light.toml", String(wakeUpLight)],
]);
