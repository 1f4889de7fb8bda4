// Events as those see them who may not see secrets: without what strangers sent to webhooks, without MQTT payloads, and
// with PINs and passwords masked.
import { MASK, masked, withoutValues } from "../core/masking.ts";

type Fields = Readonly<Record<string, unknown>>;

/** The event, or a copy of it with what is secret masked; the very same one where there is nothing to hide. */
export function veiledEvent<E extends { readonly type: string }>(event: E): E {
  if (event.type === "webhook_received") return { ...event, ...veiledCall(event as Fields) };
  // Whoever may not read the outbox reads its titles nowhere else.
  if (event.type.startsWith("notification_")) return masked({ ...event, title: MASK });
  if (event.type !== "rule_fired") return masked(event);
  const { trigger_type, trigger_context, trigger_label } = event as Fields;
  const context = (trigger_context ?? {}) as Fields;
  const trigger = veiledTrigger({ type: String(trigger_type), label: String(trigger_label), context });
  if (trigger.label === trigger_label && trigger.context === context) return event;
  return { ...event, trigger_context: trigger.context, trigger_label: trigger.label };
}

export interface Trigger {
  /** As rules or as events write it: `mqtt_message`, `MqttMessage`. */
  type: string;
  label: string;
  context: Fields;
}

/** What set a rule off. */
export function veiledTrigger<T extends Trigger>(trigger: T): T {
  switch (trigger.type.toLowerCase().replaceAll("_", "")) {
    case "webhookreceived":
      return { ...trigger, context: { ...masked(trigger.context), ...veiledCall(trigger.context) } };
    case "mqttmessage": {
      const { payload, value } = trigger.context;
      const context = { ...trigger.context, ...veiledValues({ payload, value }) };
      return { ...trigger, label: withoutValues(trigger.label), context };
    }
    default:
      return masked(trigger);
  }
}

function veiledCall({ query, body }: Fields): Fields {
  return {
    ...(query === undefined ? {} : { query: veiledValues((query ?? {}) as Fields) }),
    ...veiledValues({ body }),
  };
}

function veiledValues(fields: Fields): Fields {
  const entries = Object.entries(fields).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries.map(([key, value]) => [key, value === null ? null : MASK]));
}
