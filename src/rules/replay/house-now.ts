// The house of now as plain data, and the host that rules see in it: for a thread that replays, and for tests without a hub.
// It can only be read; what it is told to do it refuses.
import { HubError } from "../../core/errors.ts";
import type { Json } from "../../core/json.ts";
import { createSun } from "../../core/sun.ts";
import { createZone } from "../../core/zone.ts";
import type { CalendarEvent, RuleDevice, RuleHost } from "../model/host.ts";

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

export function hostOf({ devices, variables, calendars, timezone, place, now }: HouseNow): RuleHost {
  const byId = new Map(devices.map((device) => [device.id, device]));
  const refuse = async (): Promise<never> => {
    throw new HubError("unavailable", "this house can only be read");
  };
  return {
    device: (id) => byId.get(id),
    devices: () => devices,
    variable: (name) => (Object.hasOwn(variables, name) ? variables[name] : undefined),
    setVariable() {},
    mode(id) {
      const device = byId.get(id);
      return device?.deviceType === "mode" ? device.attributes.on === true : undefined;
    },
    hasScene: () => true,
    hasArea: (id) => devices.some(({ area }) => area === id),
    hasChannel: () => true,
    command: refuse,
    captureStates() {
      throw new HubError("unavailable", "this house can only be read");
    },
    activateScene: refuse,
    notify: refuse,
    clearNotification: () => false,
    publish: refuse,
    request: refuse,
    ping: refuse,
    emit() {},
    tellPlugins() {},
    now: () => now,
    random: Math.random,
    calendars: {
      events: (id) => (Object.hasOwn(calendars, id) ? calendars[id] : undefined),
      onChange: () => ({ [Symbol.dispose]() {} }),
    },
    timezone,
    zone: createZone(timezone),
    sun: place && createSun(place),
  };
}
