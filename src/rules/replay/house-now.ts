// The house of now as plain data, and what rules read in it: for a thread that replays.
import type { Json } from "../../kit/schema/json.ts";
import { createSun } from "../../kit/time/sun.ts";
import { createZone } from "../../kit/time/zone.ts";
import type { CalendarEvent, HouseReads, RuleDevice } from "../model/host.ts";
import { notSimulated } from "./not-done.ts";

export interface HouseNow {
  readonly devices: readonly RuleDevice[];
  readonly variables: Readonly<Record<string, Json>>;
  /** The events of each calendar, by its id. */
  readonly calendars: Readonly<Record<string, readonly CalendarEvent[]>>;
  /** IANA name. */
  readonly timezone: string;
  /** Degrees; undefined where the place is not known. */
  readonly place: { latitude: number; longitude: number } | undefined;
  /** Epoch ms. */
  readonly now: number;
}

export function readsOf({ devices, variables, calendars, timezone, place, now }: HouseNow): HouseReads {
  const byId = new Map(devices.map((device) => [device.id, device]));
  return {
    device: (id) => byId.get(id),
    devices: () => devices,
    described: () => undefined,
    presentStates() {
      throw notSimulated("capturing states");
    },
    variable: (name) => (Object.hasOwn(variables, name) ? variables[name] : undefined),
    mode(id) {
      const device = byId.get(id);
      return device?.deviceType === "mode" ? device.attributes.on === true : undefined;
    },
    hasScene: () => true,
    hasArea: (id) => devices.some(({ area }) => area === id),
    hasChannel: () => true,
    now: () => now,
    random: Math.random,
    zone: createZone(timezone),
    calendars: {
      events: (id) => (Object.hasOwn(calendars, id) ? calendars[id] : undefined),
      onChange: () => ({ [Symbol.dispose]() {} }),
    },
    sun: place && createSun(place),
  };
}
