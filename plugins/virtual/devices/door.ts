// A door contact. With random events it is opened and closed about once an hour by day.
import { Type } from "../../sdk/index.ts";
import type { Kind } from "../kind.ts";
import { battery, drained, happens, hourOfDay } from "../world.ts";

export interface DoorState {
  open: boolean;
  batteryPct: number;
}

const readings = { open: Type.Boolean({ title: "Open" }), battery };
const accepts = Type.Partial(Type.Object(readings));

export const door: Kind<DoorState, typeof accepts> = {
  deviceType: "contact_sensor",
  model: "Virtual door contact",
  capabilities: Type.Object(readings, { additionalProperties: false }),
  accepts,
  initial: () => ({ open: false, batteryPct: 92 }),
  step(state, span, world) {
    const moved = world.randomEvents && happens("door", movesPerHour(state, hourOfDay(span.toSecs)), span, world);
    return { open: state.open !== moved, batteryPct: drained(state.batteryPct, span, world) };
  },
  apply: (state, { open = state.open, battery = state.batteryPct }) => ({ open, batteryPct: battery }),
  attributes: ({ open, batteryPct }) => ({ open, battery: Math.round(batteryPct) }),
};

// It does not stay open for long.
function movesPerHour({ open }: DoorState, hour: number): number {
  if (open) return 30;
  return hour >= 7 && hour < 22 ? 1 : 0.05;
}
