// `mqtt_message`: something is published on the broker, by a device that no plugin looks after, say.
import { Type } from "@sinclair/typebox";
import type { Json } from "../../core/json.ts";
import { hasWildcard, isTopicFilter, matchesFilter } from "../../core/topic-filter.ts";
import { defineTrigger } from "../define.ts";
import { eventOf, interestIn } from "../devices.ts";
import { json, op, text } from "../fields.ts";
import { checkPointer, pointedAt } from "../json-pointer.ts";
import { checkComparison, compare, inWords, refusal } from "../values.ts";

export const mqttMessage = defineTrigger({
  type: "mqtt_message",
  doc: "A message is published on a topic. With `value` only one whose payload, or what `pointer` points at in it, compares so.",
  fields: {
    topic: text("The topic, or a filter: `+` stands for one level, `#` at the end for all further ones"),
    pointer: Type.Optional(
      text("JSON pointer into the payload, such as /sensor/temperature; without it, the whole", { minLength: 0 }),
    ),
    op,
    value: Type.Optional(json("What to compare with; any message when absent", { writeOnly: true })),
  },
  label({ topic, pointer = "", op, value }) {
    return `${topic}${pointer}${value === undefined ? "" : ` ${inWords({ op, value })}`}`;
  },
  check({ topic, pointer, op, value }) {
    if (!isTopicFilter(topic)) {
      throw refusal("topic", "must be a topic or a filter: `+` fills a whole level, `#` only the last one");
    }
    if (pointer !== undefined) checkPointer("pointer", pointer);
    if (value !== undefined) checkComparison({ op, value });
    else if (op !== "Eq") throw refusal("value", `missing: ${op} needs something to compare with`);
  },
  interests: ({ topic }) => [interestIn("mqtt_message", "topic", hasWildcard(topic) ? undefined : topic)],
  match({ topic, pointer, op, value }, envelope) {
    const event = eventOf("mqtt_message", envelope);
    if (!event || !matchesFilter(topic, event.topic)) return undefined;
    const payload = (event.payload ?? null) as Json;
    const found = pointer === undefined ? payload : pointedAt(payload, pointer);
    if (found === undefined || (value !== undefined && !compare(found, { op, value }).passed)) return undefined;
    return { topic: event.topic, payload, value: found };
  },
  example: { topic: "tele/+/SENSOR", pointer: "/ENERGY/Power", op: "Gt", value: 2000 },
});
