// `publish_mqtt`: publishes on the broker.
import { Type } from "@sinclair/typebox";
import type { Json } from "../../kit/schema/json.ts";
import { checkNotBoth, invalid } from "../model/checks.ts";
import { type ActionScope, defineAction } from "../model/define.ts";
import { expression, json, TEMPLATES, text } from "../model/fields.ts";
import { type FillUses, filled, unknownText } from "../model/messages.ts";
import { shortened } from "../model/values.ts";

const MAX_TOPIC_BYTES = 65_535;

export const publishMqtt = defineAction({
  type: "publish_mqtt",
  doc: "Publishes a message on the MQTT broker.",
  whenInterrupted: ({ retain }) => (retain ? "repeat" : "skip"),
  fields: () => ({
    topic: text("The topic"),
    payload: Type.Optional(
      json("Text or any other JSON; placeholders in its texts are filled in; without it, empty", {
        writeOnly: true,
        [TEMPLATES]: true,
      }),
    ),
    expression: Type.Optional(expression("CEL that gives the payload, instead of `payload`", { writeOnly: true })),
    retain: Type.Boolean({ default: false, description: "Whether the broker keeps it for later subscribers" }),
    qos: Type.Unsafe<0 | 1>(Type.Integer({ default: 0, minimum: 0, maximum: 1, description: "Quality of service" })),
  }),
  check(spec) {
    if (/[+#\0]/.test(spec.topic) || Buffer.byteLength(spec.topic) > MAX_TOPIC_BYTES) {
      throw invalid("topic", "must be one topic, without + and #");
    }
    checkNotBoth(spec, ["payload", "expression"]);
  },
  async run({ topic, payload = "", expression, retain, qos }, scope: ActionScope<FillUses | "publish">) {
    const given = filled(payload, scope);
    const text = textOf(expression === undefined ? given.value : scope.evaluate(expression));
    await scope.host.publish(topic, text, { retain, qos });
    return `${topic} ${shortened(text)}${unknownText(given)}`;
  },
  example: { topic: "cmnd/plug/POWER", payload: "ON", retain: true, qos: 1 },
});

function textOf(payload: Json): string {
  return typeof payload === "string" ? payload : JSON.stringify(payload);
}
