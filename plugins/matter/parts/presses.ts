// What a device calls a press, in parts: which button, and whether it was pressed (how often), held or let go. `1_double`, `hold_left`,
// `button_2_release` and `on_press_release` are such; `brightness_move_up` is a button of that name.

export interface Press {
  button: string;
  kind: "pressed" | "held" | "let go";
  /** How often; 1 for what is held or let go. */
  times: number;
}

const PRESSED: Readonly<Record<string, number>> = {
  ...{
    single: 1,
    press: 1,
    pressed: 1,
    click: 1,
    clicked: 1,
    push: 1,
    pushed: 1,
    tap: 1,
    tapped: 1,
    short: 1,
    initial: 1,
  },
  ...{ double: 2, triple: 3, treble: 3, quadruple: 4, quintuple: 5 },
};
const ENDINGS = ["press", "pressed", "click", "clicked", "push", "tap", "tapped"];
const HELD = ["hold", "held", "long", "long_press", "long_click", "long_pressed", "long_push", "press_and_hold"];
const LET_GO = ["release", "released", "hold_release", "long_release", "long_press_release", "hold_released"];
/** The end of a short press. */
const SHORT_RELEASE = ["press_release", "short_release"];

type Kind = Omit<Press, "button">;
const KINDS = new Map<string, Kind | "end of press">([
  ...Object.entries(PRESSED).flatMap(([word, times]): [string, Kind][] =>
    [word, ...ENDINGS.map((ending) => `${word}_${ending}`)].map((one) => [one, { kind: "pressed", times }]),
  ),
  ...[2, 3, 4, 5].map((times): [string, Kind] => [`multi_press_${times}`, { kind: "pressed", times }]),
  ...HELD.map((word): [string, Kind] => [word, { kind: "held", times: 1 }]),
  ...LET_GO.map((word): [string, Kind] => [word, { kind: "let go", times: 1 }]),
  ...SHORT_RELEASE.map((word): [string, "end of press"] => [word, "end of press"]),
]);
// `left_hold_release` is no release of `left_hold`.
const MAX_FIRST = [...KINDS.keys()].sort((a, b) => b.length - a.length);
/** Where it has one button, or one without a name. */
const ONLY = "button";

/** `known`: all that the device reports. Undefined for what reports nothing more than another of them does. */
export function pressIn(action: string, known: readonly string[]): Press | undefined {
  const { button, kind } = split(action);
  if (kind === undefined) return { button, kind: "pressed", times: 1 };
  if (kind !== "end of press" && kind.kind !== "pressed") return { button, ...kind };
  // Whoever reports the end of a short press reports its beginning also where it becomes a long one.
  const ends = known.some((one) => {
    const other = split(one);
    return other.button === button && other.kind === "end of press";
  });
  if (kind === "end of press") return { button, kind: "pressed", times: 1 };
  return ends && kind.times === 1 ? undefined : { button, ...kind };
}

function split(action: string): { button: string; kind: Kind | "end of press" | undefined } {
  const word = action
    .trim()
    .toLowerCase()
    .replace(/[\s-]+/g, "_");
  const whole = KINDS.get(word);
  if (whole !== undefined) return { button: ONLY, kind: whole };
  for (const end of MAX_FIRST) {
    const rest = word.endsWith(`_${end}`)
      ? word.slice(0, -end.length - 1)
      : word.startsWith(`${end}_`)
        ? word.slice(end.length + 1)
        : "";
    const button = rest.replace(/^button_?/, "");
    if (button !== "") return { button, kind: KINDS.get(end) };
  }
  return { button: word, kind: undefined };
}
