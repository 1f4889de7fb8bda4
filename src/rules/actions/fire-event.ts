// `fire_event`: tells an event of the rule's own, which others may listen to.
import { Type } from "@sinclair/typebox";
import { isValidId } from "../../core/ids.ts";
import type { CustomEvent } from "../../events/catalog.ts";
import { defineAction } from "../define.ts";
import { ALIASES, table, text } from "../fields.ts";
import { refusal, show } from "../values.ts";

// They are the hub's own in every event.
const STAMPS = ["type", "timestamp", "seq"];

export const fireEvent = defineAction({
  type: "fire_event",
  doc: "Tells the event `custom_<event_type>` on the feed, with its fields, `source` (rule) and `rule_id`.",
  fields: () => ({
    event_type: text("Its type, without the `custom_` that will stand before it", { maxLength: 200 }),
    fields: Type.Optional(table("What it says", { [ALIASES]: ["data", "payload"] })),
  }),
  check({ event_type, fields = {} }) {
    if (!isValidId(event_type)) throw refusal("event_type", "must be a word without / + #, such as doorbell");
    const taken = STAMPS.filter((key) => Object.hasOwn(fields, key));
    if (taken.length > 0) throw refusal(`fields.${taken[0]}`, "is the hub's own in every event; choose another name");
  },
  run({ event_type, fields = {} }, { host, ruleId }) {
    const event: CustomEvent = { source: "rule", rule_id: ruleId, ...fields, type: `custom_${event_type}` };
    host.emit(event);
    return `custom_${event_type} ${show(fields)}`;
  },
  example: { event_type: "doorbell", fields: { button: "front" } },
});
