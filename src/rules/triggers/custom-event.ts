// `custom_event`: a rule's `fire_event`, or a plugin, tells something of its own.
import { Type } from "@sinclair/typebox";
import type { JsonObject } from "../../core/json.ts";
import { defineTrigger } from "../define.ts";
import { ALIASES, table, text } from "../fields.ts";
import { hasFields, show } from "../values.ts";

export const customEvent = defineTrigger({
  type: "custom_event",
  doc: "A rule's `fire_event` or a plugin tells an event of its own.",
  fields: {
    event_type: text("Its type, without the `custom_` that stands before it on the feed"),
    fields: Type.Optional(
      table("Only with these fields and values; it may have more", { [ALIASES]: ["data", "payload"] }),
    ),
  },
  label: ({ event_type, fields }) => `event ${event_type}${fields ? ` with ${show(fields)}` : ""}`,
  interests: ({ event_type }) => [{ event: `custom_${event_type}` }],
  match({ event_type, fields }, { type, event, deviceId }) {
    if (type !== `custom_${event_type}` || !hasFields(event, fields)) return undefined;
    const { type: _type, timestamp: _timestamp, seq: _seq, ...data } = event;
    return { event_type, data: data as JsonObject, ...(deviceId === undefined ? {} : { device_id: deviceId }) };
  },
  example: { event_type: "doorbell", fields: { button: "front" } },
});
