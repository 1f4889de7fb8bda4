// `wait_for_event`: waits for an event.
import { Type } from "@sinclair/typebox";
import { didYouMean } from "../../kit/schema/did-you-mean.ts";
import { catalog } from "../../server/events/catalog.ts";
import { invalid } from "../model/checks.ts";
import { defineAction } from "../model/define.ts";
import { attribute, name, secs, table, text } from "../model/fields.ts";
import { onTimeout, timedOut } from "../model/flow.ts";
import { hasFields } from "../model/values.ts";
import { setWait } from "../model/variables.ts";

export const waitForEvent = defineAction({
  type: "wait_for_event",
  doc: "Waits for the next event of a type.",
  whenInterrupted: () => "resume",
  fields: () => ({
    event_type: text("Its type, such as device_state_changed or custom_doorbell"),
    device_id: Type.Optional(name("device", "Only about this device")),
    attribute: Type.Optional({
      ...attribute,
      description: "With device_state_changed: only when this attribute of the device changes",
    }),
    fields: Type.Optional(table("Only with these fields and values; the event may have more")),
    timeout_secs: secs("The timeout"),
    on_timeout: onTimeout,
  }),
  check({ event_type }) {
    const types = catalog.map(({ type }): string => type);
    if (types.includes(event_type) || /^custom_./.test(event_type)) return;
    const hint = didYouMean(event_type, types) || `; an event of your own is "custom_${event_type}"`;
    throw invalid("event_type", `there is no event type "${event_type}"${hint}`);
  },
  async run({ event_type, device_id, attribute, fields, timeout_secs, on_timeout }, scope) {
    const envelope = await scope.waitForEvent({
      event: event_type,
      deviceId: device_id,
      timeoutMs: timeout_secs * 1000,
      matches: ({ event }) => hasFields(event, fields) && (attribute === undefined || changes(event, attribute)),
    });
    if (!envelope) return timedOut(scope, { waitedFor: event_type, timeout_secs, on_timeout });
    setWait(scope, { completed: true });
    return `${event_type} came`;
  },
  example: {
    event_type: "device_state_changed",
    device_id: "door",
    attribute: "open",
    fields: { changed: ["open"] },
    timeout_secs: 60,
    on_timeout: "exit",
  },
});

function changes(event: object, attribute: string): boolean {
  const { changed } = event as { changed?: unknown };
  return Array.isArray(changed) && changed.includes(attribute);
}
