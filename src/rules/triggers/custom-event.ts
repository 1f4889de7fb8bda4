// `custom_event`: a rule's `fire_event` or a plugin emits an event of its own.
import { Type } from "@sinclair/typebox";
import type { JsonObject } from "../../kit/schema/json.ts";
import { defineTrigger } from "../model/define.ts";
import { ALIASES, table, text } from "../model/fields.ts";
import { hasFields, show } from "../model/values.ts";

export const customEvent = defineTrigger({
  type: "custom_event",
  doc: "A rule's `fire_event` or a plugin emits an event of its own.",
  fields: {
    event_type: text("Its type, without the `custom_` in front"),
    fields: Type.Optional(
      table("Only with these fields and values; the event may have more", { [ALIASES]: ["data", "payload"] }),
    ),
  },
  label: ({ event_type, fields }) => `event ${event_type}${fields ? ` with ${show(fields)}` : ""}`,
  contextKeys: ["event_type", "data", "device_id"],
  interests: ({ event_type }) => [{ event: `custom_${event_type}` }],
  match({ event_type, fields }, { type, event, deviceId }) {
    if (type !== `custom_${event_type}` || !hasFields(event, fields)) return undefined;
    const { type: _type, timestamp: _timestamp, seq: _seq, ...data } = event;
    return { event_type, data: data as JsonObject, ...(deviceId === undefined ? {} : { device_id: deviceId }) };
  },
  example: { event_type: "doorbell", fields: { button: "front" } },
});
