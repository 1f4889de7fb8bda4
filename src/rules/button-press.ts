// How devices tell that a button was used. Zigbee bridges report an attribute `action` with one word, in which the button
// may be named too: `single`, `1_double`, `left_hold`, `button_2_release`. Others report {button, event}, or an attribute a
// button: `action_left`. Many clear it right afterwards; that is no press.
import { isObject, type Json } from "../core/json.ts";

export interface Press {
  /** Undefined where the device has but one, or does not say. */
  button: string | undefined;
  /** One of the words below, or the device's own. */
  event: string;
  attribute: string;
  value: Json;
}

const ATTRIBUTES = ["action", "event", "button_event", "click"] as const;
const OF_A_BUTTON = /^(?:action|event|click|button)_(.+)$/;

const WORDS: Record<string, readonly string[]> = {
  double: ["double", "double_press", "double_click", "double_tap", "double_pressed", "double_tapped", "multi_press_2"],
  triple: ["triple", "triple_press", "triple_click", "triple_tap", "triple_pressed", "treble", "multi_press_3"],
  held: ["held", "hold", "long", "long_press", "long_click", "long_pressed", "press_and_hold"],
  released: ["released", "release", "hold_release", "long_release", "long_press_release", "short_release"],
  pressed: ["pressed", "press", "single", "push", "pushed", "click", "clicked", "tap", "tapped"],
};
const SHORT = ["short_press", "single_press", "single_click", "single_tap", "initial_press"];
const KNOWN = new Map(
  [...Object.entries(WORDS), ["pressed", SHORT] as const].flatMap(([word, spellings]) =>
    spellings.map((spelling): [string, string] => [spelling, word]),
  ),
);
// The longest first: `left_hold_release` is a release.
const LONGEST_FIRST = [...KNOWN.keys()].sort((a, b) => b.length - a.length);
const AT_REST = new Set(["", "none", "idle", "null", "unknown"]);

/** The common word for a way to use a button; one that is not known stands for itself. */
export function wordOf(text: string): string {
  const plain = plainOf(text);
  return KNOWN.get(plain) ?? plain;
}

function plainOf(text: string): string {
  return text
    .trim()
    .toLowerCase()
    .replace(/[\s-]+/g, "_");
}

/** The press that a change tells: the first that is wanted, else any. */
export function pressIn(
  { changed, current }: { changed: readonly string[]; current: Readonly<Record<string, unknown>> },
  isWanted: (press: Press) => boolean,
  attribute?: string,
): Press | undefined {
  const names = changed.filter((name) => (attribute === undefined ? tellsPresses(name) : name === attribute));
  const presses = names.flatMap((name) => readPress(name, current[name] as Json | undefined) ?? []);
  return presses.find(isWanted) ?? presses[0];
}

function tellsPresses(name: string): boolean {
  return (ATTRIBUTES as readonly string[]).includes(name) || OF_A_BUTTON.test(name);
}

/** The press in a custom event {device_id, button, event}. */
export function pressOf({ button, event }: Readonly<Record<string, unknown>>): Press | undefined {
  return readPress("event", { button: (button ?? null) as Json, event: (event ?? "pressed") as Json });
}

function readPress(attribute: string, value: Json | undefined): Press | undefined {
  if (isObject(value)) {
    const event = value.event ?? value.action ?? value.type;
    const press = typeof event === "string" ? readPress(attribute, event) : undefined;
    return press && { ...press, value, button: buttonOf(value.button) ?? press.button };
  }
  if (typeof value !== "string" || AT_REST.has(plainOf(value))) return undefined;
  const plain = plainOf(value);
  const named = (ATTRIBUTES as readonly string[]).includes(attribute) ? undefined : OF_A_BUTTON.exec(attribute)?.[1];
  const split = KNOWN.has(plain) ? undefined : splitWord(plain);
  return { attribute, value, button: named ?? split?.button, event: wordOf(split?.word ?? plain) };
}

/** `left_hold`, `hold_left`, `button_1_hold` → the button and the word. */
function splitWord(plain: string): { button: string; word: string } | undefined {
  for (const word of LONGEST_FIRST) {
    const rest = plain.endsWith(`_${word}`)
      ? plain.slice(0, -word.length - 1)
      : plain.startsWith(`${word}_`)
        ? plain.slice(word.length + 1)
        : "";
    const button = rest.replace(/^button_?/, "");
    if (button !== "") return { button, word };
  }
  return undefined;
}

function buttonOf(button: Json | undefined): string | undefined {
  return typeof button === "string" || typeof button === "number" ? String(button) : undefined;
}
