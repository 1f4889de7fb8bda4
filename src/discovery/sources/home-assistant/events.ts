// Components that report what happens, rather than how things are: triggers of remotes, events, scanned tags; and trackers, updates.
import { isObject, type Json } from "../../../core/json.ts";
import type { Message } from "../../described.ts";
import type { DescribedAttribute, Options } from "./entity.ts";
import { ownId } from "./names.ts";
import { attributeOf, type Component } from "./simple.ts";

/** Something that a message says has happened. */
export interface Happening {
  topic: string;
  /** Undefined where this message says nothing of it. Throws TemplateError. */
  action(message: Message): string | undefined;
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
        if (payload === undefined) return `${subtype}_${type}`;
        return value === payload ? payload : undefined;
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
        const type = isObject(value) ? value.event_type : undefined;
        return typeof type === "string" && types.includes(type) ? type : undefined;
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

function jsonIn(value: Json | undefined): Json | undefined {
  if (typeof value !== "string") return value;
  try {
    return JSON.parse(value) as Json;
  } catch {
    return undefined;
  }
}

export const deviceTracker: Component = (options) => {
  const state = options.reading("state_topic", "value_template");
  const [home, away] = [options.text("payload_home") ?? "home", options.text("payload_not_home") ?? "not_home"];
  const reading = state && {
    ...state,
    read(message: Message): Json | undefined {
      const value = textIn(state.read(message));
      return value === home ? "home" : value === away ? "not_home" : value;
    },
  };
  return [attributeOf(options, { name: ownId(options), type: "string" }, { readings: [reading] })];
};

/** The version there is, the one that could be, and a command that installs it. */
export const update: Component = (options) => {
  const state = options.reading("state_topic", "value_template");
  const keys = ["installed_version", "latest_version", "in_progress", "update_percentage"];
  const found: DescribedAttribute[] = keys.flatMap((key) =>
    state
      ? [
          attributeOf(
            options,
            {
              name: key,
              type: key.endsWith("version") ? "string" : key === "in_progress" ? "boolean" : "number",
              category: "diagnostic",
            },
            {
              readings: [
                {
                  topic: state.topic,
                  path: undefined,
                  read(message: Message): Json | undefined {
                    const value = jsonIn(state.read(message));
                    if (!isObject(value))
                      return key === "installed_version" && typeof value === "string" ? value : undefined;
                    return value[key] as Json | undefined;
                  },
                },
              ],
            },
          ),
        ]
      : [],
  );
  const payload = options.text("payload_install");
  if (payload === undefined || options.topic("command_topic") === undefined) return found;
  const commanded = options.commanded("install_update", { topic: "command_topic", template: "" }, () => payload);
  return [
    ...found,
    attributeOf(options, { name: "install_update", type: "boolean", category: "config" }, { commanded }),
  ];
};
