// Components that report what happens, rather than how things are: triggers of remotes, events, scanned tags.
import { isObject, type Json } from "../../../../../kit/schema/json.ts";
import type { Message } from "../../../described.ts";
import { besideAction, type Press } from "../../../presses.ts";
import type { Options } from "../entity.ts";
import { jsonIn } from "../naming/names.ts";

/** Something that a message says has happened. */
export interface Happening {
  topic: string;
  /** Undefined where this message says nothing of it. Throws TemplateError. */
  action(message: Message): Press | undefined;
}

export type Happens = (options: Options) => Happening[];

/** `button_short_press` of a remote's `button_1`. */
export const deviceAutomation: Happens = (options) => {
  if ((options.text("automation_type") ?? "trigger") !== "trigger")
    throw new Error("automation_type: only trigger is known");
  const [type, subtype, payload] = [options.text("type"), options.text("subtype"), options.text("payload")];
  if (type === undefined || subtype === undefined) throw new Error("type and subtype are needed");
  const reading = options.reading("topic", "value_template");
  if (!reading) throw new Error("topic is missing");
  return [
    {
      topic: reading.topic,
      action(message) {
        const value = textIn(reading.read(message));
        if (value === undefined || value === "") return undefined;
        // zigbee2mqtt's own word for it is what people see in its page.
        if (payload !== undefined && value !== payload) return undefined;
        return { action: payload ?? `${subtype}_${type}`, data: besideAction(message.json) };
      },
    },
  ];
};

export const event: Happens = (options) => {
  const types = options.texts("event_types");
  if (!types) throw new Error("event_types is missing");
  const reading = options.reading("state_topic", "value_template");
  if (!reading) throw new Error("state_topic is missing");
  return [
    {
      topic: reading.topic,
      action(message) {
        const value = jsonIn(reading.read(message));
        if (!isObject(value)) return undefined;
        const { event_type: type, ...data } = value;
        const action = typeof type === "object" ? undefined : String(type);
        return action !== undefined && types.includes(action) ? { action, data } : undefined;
      },
    },
  ];
};

export const tag: Happens = (options) => {
  const reading = options.reading("topic", "value_template");
  if (!reading) throw new Error("topic is missing");
  return [
    {
      topic: reading.topic,
      action(message) {
        const value = textIn(reading.read(message));
        return value ? `tag_${value}` : undefined;
      },
    },
  ];
};

function textIn(value: Json | undefined): string | undefined {
  return value === undefined || value === null
    ? undefined
    : typeof value === "object"
      ? JSON.stringify(value)
      : String(value);
}
