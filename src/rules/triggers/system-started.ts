// `system_started`: the hub is up and rules run.
import { defineTrigger } from "../model/define.ts";
import { eventOf } from "../model/devices.ts";

export const systemStarted = defineTrigger({
  type: "system_started",
  doc: "The hub has started; plugins and their devices come a little later.",
  fields: {},
  label: () => "the hub starts",
  contextKeys: ["version"],
  interests: () => [{ event: "system_started" }],
  match(_, envelope) {
    const event = eventOf("system_started", envelope);
    return event && { version: event.version };
  },
  example: {},
});
