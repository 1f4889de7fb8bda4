// `button_event`: a button is pressed, held, released, and so on. Zigbee bridges report an attribute `action` with one word,
// which may also name the button: `single`, `1_double`, `left_hold`, `button_2_release`. Others report {button, event}, or
// one attribute per button: `action_left`, or one per event with the button's number: {pushed: 1}. Many clear the attribute
// afterwards; that is not a press.
import { Type } from "@sinclair/typebox";
import { isObject, type Json } from "../../kit/schema/json.ts";
import type { Envelope } from "../../server/events/feed.ts";
import { changeContext } from "../model/changes.ts";
import { defineTrigger } from "../model/define.ts";
import {
  DEVICE_CONTEXT_KEYS,
  deviceContext,
  deviceEventOf,
  deviceInterests,
  type EventOfType,
} from "../model/devices.ts";
import { attribute, someDevices, text } from "../model/fields.ts";
import type { HouseReads } from "../model/host.ts";
import { requireDevices, type SomeDevices, whichDevices } from "../model/targets.ts";

export const buttonEvent = defineTrigger({
  type: "button_event",
  doc: "A button is used: the device's attribute `action`, `event`, `button_event` or `click` (or one such as `action_left`) takes a value such as `single`, `1_double` or {button, event}, `pushed`, `held`, `double_tapped` or `released` takes the number of a button, or a plugin sends the custom event `button_event` with these fields. The same press twice in a row is noticed of devices that announce themselves and through a custom event; else only if the attribute is cleared in between.",
  fields: {
    ...someDevices,
    button: Type.Optional(
      Type.Union([text("A name"), Type.Integer()], {
        description: "Which button of the device, such as 1 or left; without it, any",
        expected: "a name or a whole number",
      }),
    ),
    event: Type.Optional(
      text("`pressed`, `double`, `triple`, `held`, `released`, or the device's own word; without it, any"),
    ),
    attribute: Type.Optional({
      ...attribute,
      description: "The attribute that reports presses, if it has another name",
    }),
  },
  label: (spec) =>
    [whichDevices(spec), spec.button === undefined ? "button" : `button ${spec.button}`, spec.event ?? "used"].join(
      " ",
    ),
  check: requireDevices,
  contextKeys: [...DEVICE_CONTEXT_KEYS, "event", "button", "change"],
  interests: (spec) => [
    ...deviceInterests("device_state_changed", spec),
    ...deviceInterests("device_action", spec),
    ...deviceInterests("custom_button_event", spec),
  ],
  match(spec, envelope, host: Pick<HouseReads, "device">) {
    const changed = deviceEventOf("device_state_changed", envelope, { spec, host });
    const press = changed
      ? pressInChange(changed, (press) => isWanted(spec, press), spec.attribute)
      : pressInEvent(envelope, { spec, host });
    if (!press || envelope.deviceId === undefined || !isWanted(spec, press)) return undefined;
    const { button, event, attribute, value } = press;
    const context = { ...deviceContext(host, envelope.deviceId), attribute, value, event, button: button ?? null };
    return { ...context, ...changeContext(changed?.change) };
  },
  example: { device_id: "remote", button: 1, event: "double", attribute: "action" },
});

interface Press {
  /** Undefined if the device has only one, or does not report which. */
  button: string | undefined;
  /** A key of SPELLINGS, or the device's own word. */
  event: string;
  attribute: string;
  value: Json;
}

const ATTRIBUTES = ["action", "event", "button_event", "click"] as const;
const ATTRIBUTE_OF_ONE_BUTTON = /^(?:action|event|click|button)_(.+)$/;

const SPELLINGS: Record<string, readonly string[]> = {
  double: ["double", "double_press", "double_click", "double_tap", "double_pressed", "double_tapped", "multi_press_2"],
  triple: ["triple", "triple_press", "triple_click", "triple_tap", "triple_pressed", "treble", "multi_press_3"],
  held: ["held", "hold", "long", "long_press", "long_click", "long_pressed", "press_and_hold"],
  released: ["released", "release", "hold_release", "long_release", "long_press_release", "short_release"],
  pressed: [
    ...["pressed", "press", "single", "push", "pushed", "click", "clicked", "tap", "tapped"],
    ...["short_press", "single_press", "single_click", "single_tap", "initial_press"],
  ],
};
const EVENT_OF_SPELLING = new Map(
  Object.entries(SPELLINGS).flatMap(([event, spellings]) => spellings.map((one): [string, string] => [one, event])),
);
// The longest first: `left_hold_release` is a release.
const MAX_FIRST = [...EVENT_OF_SPELLING.keys()].sort((a, b) => b.length - a.length);
/** Attributes that hold the number of the button. */
const NUMBERED = ["pushed", "held", "double_tapped", "released"];
const CLEARED = new Set(["", "none", "idle", "null", "unknown"]);

function isWanted(
  { button, event }: { button?: string | number | undefined; event?: string | undefined },
  press: Press,
) {
  if (button !== undefined && String(button).toLowerCase() !== press.button?.toLowerCase()) return false;
  return event === undefined || eventOfWord(event) === press.event || event === press.value;
}

/** An unknown word is an event of its own. */
function eventOfWord(text: string): string {
  const word = snakeCase(text);
  return EVENT_OF_SPELLING.get(word) ?? word;
}

function snakeCase(text: string): string {
  return text
    .trim()
    .toLowerCase()
    .replace(/[\s-]+/g, "_");
}

function pressInEvent(
  envelope: Envelope,
  { spec, host }: { spec: SomeDevices & { attribute?: string | undefined }; host: Pick<HouseReads, "device"> },
): Press | undefined {
  const sent = deviceEventOf("custom_button_event", envelope, { spec, host });
  if (sent) return pressInCustomEvent(sent);
  const action = deviceEventOf("device_action", envelope, { spec, host })?.action;
  return [undefined, "action"].includes(spec.attribute) ? readPress("action", action) : undefined;
}

/** Of several presses in one change the first wanted one, else the first. */
function pressInChange(
  { changed, current, change }: Pick<EventOfType<"device_state_changed">, "changed" | "current" | "change">,
  isWanted: (press: Press) => boolean,
  attribute?: string,
): Press | undefined {
  // An event `device_action` reports it as well.
  if (change?.kind === "device_action") return undefined;
  const names = changed.filter((name) => (attribute === undefined ? reportsPresses(name) : name === attribute));
  const presses = names.flatMap((name) => readPress(name, current[name] as Json | undefined) ?? []);
  return presses.find(isWanted) ?? presses[0];
}

function reportsPresses(name: string): boolean {
  return [...ATTRIBUTES, ...NUMBERED].includes(name) || ATTRIBUTE_OF_ONE_BUTTON.test(name);
}

function pressInCustomEvent({ button, event }: Readonly<Record<string, unknown>>): Press | undefined {
  return readPress("event", { button: (button ?? null) as Json, event: (event ?? "pressed") as Json });
}

function readPress(attribute: string, value: Json | undefined): Press | undefined {
  if (isObject(value)) {
    const event = value.event ?? value.action ?? value.type;
    const press = typeof event === "string" ? readPress(attribute, event) : undefined;
    return press && { ...press, value, button: buttonOf(value.button) ?? press.button };
  }
  if (NUMBERED.includes(attribute)) {
    const isNumber = typeof value === "number";
    return isNumber ? { attribute, value, button: String(value), event: eventOfWord(attribute) } : undefined;
  }
  if (typeof value !== "string" || CLEARED.has(snakeCase(value))) return undefined;
  const word = snakeCase(value);
  const named = (ATTRIBUTES as readonly string[]).includes(attribute)
    ? undefined
    : ATTRIBUTE_OF_ONE_BUTTON.exec(attribute)?.[1];
  const split = EVENT_OF_SPELLING.has(word) ? undefined : splitWord(word);
  return { attribute, value, button: named ?? split?.button, event: eventOfWord(split?.event ?? word) };
}

/** `left_hold`, `hold_left`, `button_1_hold` → the button and the event. */
function splitWord(word: string): { button: string; event: string } | undefined {
  for (const event of MAX_FIRST) {
    const rest = word.endsWith(`_${event}`)
      ? word.slice(0, -event.length - 1)
      : word.startsWith(`${event}_`)
        ? word.slice(event.length + 1)
        : "";
    const button = rest.replace(/^button_?/, "");
    if (button !== "") return { button, event };
  }
  return undefined;
}

function buttonOf(button: Json | undefined): string | undefined {
  return typeof button === "string" || typeof button === "number" ? String(button) : undefined;
}
