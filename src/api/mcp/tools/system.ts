// Tools for the hub itself.
import { Type } from "@sinclair/typebox";
import type { JsonObject } from "../../../kit/schema/json.ts";
import { isoSeconds } from "../../../kit/time/clock.ts";
import { defineTool } from "../tool.ts";
import { harmless, someOf } from "../untrusted.ts";

const closed = { additionalProperties: false } as const;

export const systemStatus = defineTool({
  name: "system_status",
  title: "State of the hub",
  description: "Whether the hub is well, what time it is in the house, and what this key may see and do.",
  input: Type.Object({}, closed),
  run(_, { house, caller: { scope }, deps }) {
    const { version, ready, uptime_secs } = deps.health();
    const { place, problems } = deps.status();
    return harmless({
      version,
      ready,
      uptime_secs,
      time: isoSeconds(deps.clock.now()),
      timezone: place.timezone,
      devices: house.devices().length,
      access: {
        whole_house: house.whole,
        areas: scope.areas ?? [],
        named_devices: scope.devices,
        may_command: house.mayAct,
      },
      ...(house.whole && { problems }),
    }) as JsonObject;
  },
});

export const alerts = defineTool({
  name: "alerts",
  title: "Problems of the hub",
  description: "Problems of the hub itself: those that last, then those that ended.",
  wholeHouse: true,
  input: Type.Object({}, closed),
  run(_, { deps }) {
    const { items } = someOf(
      deps.alerts.list().map(({ kind, severity, message, mend, since, until }) => ({
        ...{ kind, severity, message, mend },
        since: isoSeconds(since),
        until: until === undefined ? null : isoSeconds(until),
      })),
    );
    return { alerts: items };
  },
});
