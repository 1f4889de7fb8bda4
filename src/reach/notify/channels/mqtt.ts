// `mqtt`: publishes messages on the hub's own broker, for displays, speakers and other programs of the house.
import { type Static, Type } from "@sinclair/typebox";
import { messageOf } from "../../../kit/schema/errors.ts";
import { type ChannelDeps, type ChannelMessage, type Delivery, DeliveryError, defineChannel } from "../channel.ts";
import { speaks } from "../markup/dialect.ts";
import { plain } from "../markup/plain-dialects.ts";
import { messageJson } from "../message-json.ts";
import { textOf } from "../plain-message.ts";

const MAX_TEXT_BYTES = 64 * 1024;
const HINT = "See [mqtt] in hub.toml";

const fields = {
  topic: Type.String({
    pattern: "^[^+#\\u0000$][^+#\\u0000]{0,999}$",
    problem: "must be one topic, without + and #, not beginning with $",
  }),
  format: Type.Union([Type.Literal("json"), Type.Literal("text")], {
    default: "json",
    description: "All of the message, or its text alone",
  }),
  qos: Type.Integer({ minimum: 0, maximum: 1, default: 1 }),
  retain: Type.Boolean({
    default: false,
    description: "Whether the broker keeps the last message for later subscribers",
  }),
  hub_topics: Type.Boolean({
    default: false,
    description: "Whether the topic may be one of the hub's own, over which plugins and devices are commanded",
  }),
};
type Config = Static<ReturnType<typeof Type.Object<typeof fields>>>;

export const mqtt = defineChannel({
  kind: "mqtt",
  service: "MQTT",
  fields,
  problems({ topic, hub_topics }, at, { mqttPrefix }) {
    if (hub_topics || mqttPrefix === undefined || !isOwnTopic(topic, mqttPrefix)) return [];
    const mend = `choose one that does not begin with "${mqttPrefix}/", or set hub_topics = true`;
    return [
      { path: `${at}.topic`, message: `is one of the hub's own topics, over which devices are commanded: ${mend}` },
    ];
  },
  open(config, deps) {
    const publish = publisherOf(config, deps);
    return {
      name: config.name,
      kind: config.type,
      limits: {},
      ...speaks(plain),
      send: (message, signal) => publish(payloadOf(config, message, deps.houseTime), signal),
      // Only what the broker keeps is still there.
      ...(config.retain && {
        change: (_remote, message, signal) => publish(payloadOf(config, message, deps.houseTime), signal),
        remove: async (_remote, signal) => void (await publish("", signal)),
      }),
    };
  },
  doc: "The hub's own MQTT broker, for displays, speakers and programs of the house.",
  example: { name: "display", topic: "house/messages", retain: true },
});

function payloadOf({ format }: Config, message: ChannelMessage, houseTime: (at: number) => string): string {
  if (format === "json") return JSON.stringify(messageJson(message, houseTime));
  return textOf(message, houseTime, MAX_TEXT_BYTES);
}

function isOwnTopic(topic: string, prefix: string): boolean {
  return topic === prefix || topic.startsWith(`${prefix}/`);
}

function publisherOf({ topic, qos, retain, hub_topics }: Config, { broker }: ChannelDeps) {
  return async function publish(payload: string, signal: AbortSignal): Promise<Delivery> {
    if (!broker) throw new DeliveryError("there is no broker", { transient: true, hint: HINT });
    if (!hub_topics && isOwnTopic(topic, broker.prefix))
      throw new DeliveryError(`${topic} is one of the hub's own topics, which is refused`, {
        transient: false,
        hint: "Choose another topic, or set hub_topics = true",
      });
    const late = Promise.withResolvers<never>();
    const stop = (): void => late.reject(new DeliveryError("the broker did not take it in time", { transient: true }));
    signal.addEventListener("abort", stop, { once: true });
    try {
      await Promise.race([broker.publish(topic, payload, { qos: qos === 0 ? 0 : 1, retain }), late.promise]);
      return { answer: `published to ${topic}`, parts: 1, ...(retain && { remote: topic }) };
    } catch (error) {
      if (error instanceof DeliveryError) throw error;
      throw new DeliveryError(`the broker did not take it: ${messageOf(error)}`, { transient: true, hint: HINT });
    } finally {
      signal.removeEventListener("abort", stop);
    }
  };
}
