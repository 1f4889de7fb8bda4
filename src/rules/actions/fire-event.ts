// `fire_event`: emits a custom event, which plugins receive as well.
import { Type } from "@sinclair/typebox";
import { isValidId } from "../../kit/schema/ids.ts";
import type { CustomEvent } from "../../server/events/catalog.ts";
import { invalid } from "../model/checks.ts";
import { type ActionScope, defineAction } from "../model/define.ts";
import { ALIASES, table, text } from "../model/fields.ts";
import { show } from "../model/values.ts";

// The hub sets these fields in every event.
const STAMPS = ["type", "timestamp", "seq"];

export const fireEvent = defineAction({
  type: "fire_event",
  doc: "Emits the event `custom_<event_type>` with its fields, `source` (rule) and `rule_id`; plugins hear it.",
  whenInterrupted: () => "skip",
  fields: () => ({
    event_type: text("Its type, without the `custom_` in front", { maxLength: 200 }),
    fields: Type.Optional(table("The fields of the event", { [ALIASES]: ["data", "payload"] })),
  }),
  check({ event_type, fields = {} }) {
    if (!isValidId(event_type)) throw invalid("event_type", "must be a word without / + #, such as doorbell");
    const taken = STAMPS.filter((key) => Object.hasOwn(fields, key));
    if (taken.length > 0) throw invalid(`fields.${taken[0]}`, "is set by the hub in every event; choose another name");
  },
  run({ event_type, fields = {} }, { host, ruleId }: ActionScope<"emit" | "notifyPlugins">) {
    const event: CustomEvent = { source: "rule", rule_id: ruleId, ...fields, type: `custom_${event_type}` };
    host.emit(event);
    host.notifyPlugins(event_type, fields);
    return `custom_${event_type} ${show(fields)}`;
  },
  example: { event_type: "doorbell", fields: { button: "front" } },
});
