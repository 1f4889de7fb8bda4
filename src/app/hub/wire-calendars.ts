// Wires the calendars: their devices in the house, and what rules see of them.
import { type Calendars, openCalendars } from "../../house/calendars/calendars.ts";
import { createReader } from "../../house/calendars/reader.ts";
import type { Registry } from "../../house/state/registry.ts";
import { HubError } from "../../kit/schema/errors.ts";
import { HUB_PLUGIN_ID } from "../../kit/schema/ids.ts";
import type { JsonObject } from "../../kit/schema/json.ts";
import { guardedFetch } from "../../reach/notify/http/guarded-fetch.ts";
import type { RuleCalendars } from "../../rules/model/host.ts";
import { timezoneOf } from "../config/location.ts";
import { createCells } from "./cells.ts";
import type { HubOptions } from "./options.ts";
import type { House } from "./wire-house.ts";

const TIME = { type: ["string", "null"], format: "date-time", readOnly: true };
const TEXT = { type: ["string", "null"], readOnly: true };
const DESCRIPTION: JsonObject = {
  type: "object",
  properties: {
    on: { type: "boolean", title: "On", readOnly: true },
    title: { ...TEXT, title: "Event" },
    start: { ...TIME, title: "Begins" },
    end: { ...TIME, title: "Ends" },
    next_title: { ...TEXT, title: "Next event" },
    next_start: { ...TIME, title: "Next begins" },
    next_end: { ...TIME, title: "Next ends" },
  },
};

/** Nothing is read before it is started. */
export function wireCalendars(
  { config, home, platform, log, execPath }: HubOptions,
  { registry }: Pick<House, "registry">,
): Calendars {
  const { clock, notices, fetch } = platform;
  leaveOthers(
    registry,
    config.calendars.map(({ id }) => id),
  );
  return openCalendars({
    ...{ config: config.calendars, clock, notices, fetch, log: log.child("calendars") },
    fetchElsewhere: guardedFetch(fetch, { reach: "internet", hint: "give the address in your house itself" }),
    folder: home.calendars,
    resolve: home.resolve,
    timezone: () => timezoneOf(config.location),
    read: createReader(createCells({ execPath, clock }).calendar),
    devices: {
      declare(id, name) {
        const known = registry.find(id);
        if (known && !(known.pluginId === HUB_PLUGIN_ID && known.deviceType === "calendar"))
          throw new HubError("conflict", `"${id}" is the id of another device: give the calendar another one`);
        if (!known) registry.availability(id, false, HUB_PLUGIN_ID);
        registry.register({ device_id: id, name, device_type: "calendar" }, HUB_PLUGIN_ID);
        registry.schema(id, DESCRIPTION, HUB_PLUGIN_ID);
      },
      report: (id, attributes) => registry.state(id, attributes, { pluginId: HUB_PLUGIN_ID, partial: false }),
      available: (id, available) => registry.availability(id, available, HUB_PLUGIN_ID),
    },
  });
}

/** A calendar that is no longer in hub.toml says nothing; a person may remove its device. */
function leaveOthers(registry: Registry, ids: readonly string[]): void {
  for (const { id, pluginId, deviceType } of registry.list())
    if (pluginId === HUB_PLUGIN_ID && deviceType === "calendar" && !ids.includes(id))
      registry.availability(id, false, HUB_PLUGIN_ID);
}

export function calendarsForRules(calendars: Calendars): RuleCalendars {
  return {
    events: (id) => (calendars.has(id) ? calendars.occurrences(id) : undefined),
    onChange: (id, listener) => calendars.onChange(id, listener),
  };
}
