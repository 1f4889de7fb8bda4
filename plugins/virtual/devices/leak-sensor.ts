// A leak sensor. Never wet by chance, only on request.
import { Type } from "../../sdk/index.ts";
import type { Kind } from "../kind.ts";
import { battery, drained } from "../world.ts";

export interface LeakState {
  leak: boolean;
  batteryPct: number;
  /** When it becomes dry by itself, in the house's seconds. */
  dryAtSecs?: number;
}

const readings = { leak: Type.Boolean({ title: "Leak" }), battery };

/** The allowed duration of a leak. */
export const leakMinutes = { minimum: 0.1, maximum: 1440 };

const accepts = Type.Partial(
  Type.Object({ ...readings, minutes: Type.Number({ title: "Dry again after", unit: "min", ...leakMinutes }) }),
);

export const leakSensor: Kind<LeakState, typeof accepts> = {
  deviceType: "leak_sensor",
  model: "Virtual leak sensor",
  capabilities: Type.Object(readings, { additionalProperties: false }),
  accepts,
  initial: () => ({ leak: false, batteryPct: 78 }),
  step(state, span, world) {
    const battery = drained(state.batteryPct, span, world);
    const dried = state.dryAtSecs !== undefined && span.toSecs >= state.dryAtSecs;
    return dried ? { leak: false, batteryPct: battery } : { ...state, batteryPct: battery };
  },
  objection: ({ leak, minutes }) =>
    minutes !== undefined && leak !== true ? "minutes: needs leak = true beside it" : undefined,
  apply(state, { leak, battery = state.batteryPct, minutes }, nowSecs) {
    if (leak === undefined) return { ...state, batteryPct: battery };
    const end = minutes === undefined ? {} : { dryAtSecs: nowSecs + minutes * 60 };
    return { leak, batteryPct: battery, ...end };
  },
  attributes: ({ leak, batteryPct }) => ({ leak, battery: Math.round(batteryPct) }),
  nextAt: ({ dryAtSecs }) => dryAtSecs,
};
