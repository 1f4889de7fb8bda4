// `mqtt_message`: a message is published on the broker, for example by a device without a plugin, or by another rule.
import { Type } from "@sinclair/typebox";
import { type Json, jsonEqual, parseJson } from "../../kit/schema/json.ts";
import { pointerProblem, valueAtPointer } from "../../kit/schema/json-pointer.ts";
import { hasWildcard, isTopicFilter, matchesFilter } from "../../kit/text/topic-filter.ts";
import { invalid } from "../model/checks.ts";
import { defineTrigger } from "../model/define.ts";
import { eventOf, interestIn } from "../model/devices.ts";
import { json, op, text } from "../model/fields.ts";
import { checkComparison, compare, comparisonText } from "../model/values.ts";

export const mqttMessage = defineTrigger({
  type: "mqtt_message",
  doc: "A message is published on a topic, by a client or by the hub itself. With `value`, only if its payload, or the part at `pointer`, compares so.",
  fields: {
    topic: text("The topic, or a filter: `+` matches one level, `#` at the end all further levels"),
    pointer: Type.Optional(
      text("JSON pointer into the payload, such as /sensor/temperature; without it, the whole", { minLength: 0 }),
    ),
    payload: Type.Optional(json("Only with exactly this payload: a text, or any other JSON", { writeOnly: true })),
    op,
    value: Type.Optional(json("What to compare with; without it, any message", { writeOnly: true })),
  },
  label({ topic, pointer = "", op, value }) {
    return `${topic}${pointer}${value === undefined ? "" : ` ${comparisonText({ op, value })}`}`;
  },
  check({ topic, pointer, op, value }) {
    if (!isTopicFilter(topic)) {
      throw invalid("topic", "must be a topic or a filter: `+` fills a whole level, `#` only the last one");
    }
    const problem = pointer === undefined ? undefined : pointerProblem(pointer);
    if (problem !== undefined) throw invalid("pointer", problem);
    if (value !== undefined) checkComparison({ op, value });
    else if (op !== "Eq") throw invalid("value", `missing: ${op} needs something to compare with`);
  },
  contextKeys: ["topic", "payload", "value"],
  interests: ({ topic }) => [interestIn("mqtt_message", "topic", hasWildcard(topic) ? undefined : topic)],
  match({ topic, pointer, payload: wanted, op, value }, envelope) {
    const event = eventOf("mqtt_message", envelope);
    if (!event || !matchesFilter(topic, event.topic)) return undefined;
    const payload = (event.payload ?? null) as Json;
    if (wanted !== undefined && !isPayload(payload, wanted)) return undefined;
    const found = pointer === undefined ? payload : valueAtPointer(payload, pointer);
    if (found === undefined || (value !== undefined && !compare(found, { op, value }).passed)) return undefined;
    return { topic: event.topic, payload, value: found };
  },
  example: { topic: "tele/+/SENSOR", payload: "ON", pointer: "/ENERGY/Power", op: "Gt", value: 2000 },
});

/** A payload that is JSON is read as that, also where the rule has it as text. */
function isPayload(payload: Json, wanted: Json): boolean {
  if (jsonEqual(payload, wanted)) return true;
  const parsed = typeof wanted === "string" ? parseJson(wanted) : undefined;
  return parsed?.ok === true && jsonEqual(payload, parsed.value);
}
