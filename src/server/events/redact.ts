// Events for readers who may not see secrets: without the data sent to webhooks, without MQTT payloads, and with PINs and
// passwords masked.
import { MASK, masked, withoutValues } from "../../kit/text/masking.ts";

type Fields = Readonly<Record<string, unknown>>;

/** The event with its secrets masked; the same object if it has none. */
export function redactedEvent<E extends { readonly type: string }>(event: E): E {
  if (event.type === "webhook_received") return { ...event, ...redactedCall(event as Fields) };
  // Only those who may read the outbox may read the titles in it.
  if (event.type.startsWith("notification_")) return masked({ ...event, title: MASK });
  if (event.type !== "rule_fired") return masked(event);
  const { trigger_type, trigger_context, trigger_label } = event as Fields;
  const context = (trigger_context ?? {}) as Fields;
  const trigger = redactedTrigger({ type: String(trigger_type), label: String(trigger_label), context });
  if (trigger.label === trigger_label && trigger.context === context) return event;
  return { ...event, trigger_context: trigger.context, trigger_label: trigger.label };
}

export interface Trigger {
  /** As in rules or as in events: `mqtt_message`, `MqttMessage`. */
  type: string;
  label: string;
  context: Fields;
}

/** The trigger that fired a rule, with its secrets masked. */
export function redactedTrigger<T extends Trigger>(trigger: T): T {
  switch (trigger.type.toLowerCase().replaceAll("_", "")) {
    case "webhookreceived":
      return { ...trigger, context: { ...masked(trigger.context), ...redactedCall(trigger.context) } };
    case "mqttmessage": {
      const { payload, value } = trigger.context;
      const context = { ...trigger.context, ...redactedValues({ payload, value }) };
      return { ...trigger, label: withoutValues(trigger.label), context };
    }
    case "notificationacknowledged":
      return masked({ ...trigger, label: withoutValues(trigger.label), context: { ...trigger.context, title: MASK } });
    default:
      return masked(trigger);
  }
}

function redactedCall({ query, body }: Fields): Fields {
  return {
    ...(query === undefined ? {} : { query: redactedValues((query ?? {}) as Fields) }),
    ...redactedValues({ body }),
  };
}

function redactedValues(fields: Fields): Fields {
  const entries = Object.entries(fields).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries.map(([key, value]) => [key, value === null ? null : MASK]));
}
