// A motion sensor. With random events somebody walks by a few times an hour by day; a command's motion lasts until the
// next command.
import { Type } from "../../sdk/index.ts";
import type { Kind } from "../kind.ts";
import { battery, drained, happens, hourOfDay } from "../world.ts";

export interface MotionState {
  motion: boolean;
  batteryPct: number;
}

const readings = { motion: Type.Boolean({ title: "Motion" }), battery };
const accepts = Type.Partial(Type.Object(readings));

export const motionSensor: Kind<MotionState, typeof accepts> = {
  deviceType: "motion_sensor",
  model: "Virtual motion sensor",
  capabilities: Type.Object(readings, { additionalProperties: false }),
  accepts,
  initial: () => ({ motion: false, batteryPct: 64 }),
  step(state, span, world) {
    const turned = world.randomEvents && happens("motion", turnsPerHour(state, hourOfDay(span.toSecs)), span, world);
    return { motion: state.motion !== turned, batteryPct: drained(state.batteryPct, span, world) };
  },
  apply: (state, { motion = state.motion, battery = state.batteryPct }) => ({ motion, batteryPct: battery }),
  attributes: ({ motion, batteryPct }) => ({ motion, battery: Math.round(batteryPct) }),
};

function turnsPerHour({ motion }: MotionState, hour: number): number {
  if (motion) return 40;
  return hour >= 6 && hour < 23 ? 5 : 0.2;
}
