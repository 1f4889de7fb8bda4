// Covers: what one is doing, in the words of all, however it says so, and what it can be commanded.
import type { Json, JsonObject } from "../../../../../kit/schema/json.ts";
import { wrong } from "../../../words.ts";
import type { Property } from "../exposes.ts";
import { type Derived, derive, endsOf, type Own, originOf, type Part, partsOf, shareOf } from "./derived.ts";

// As devices say it, in small letters.
const MOVES: Readonly<Record<string, readonly string[]>> = {
  opening: ["opening", "open", "forward", "up", "rising"],
  closing: ["closing", "close", "backward", "back", "reverse", "down", "declining"],
  stopped: ["stopped", "stop", "pause", "paused", "standby", "idle", "blocked"],
};
const COMMANDS: Readonly<Record<string, string>> = { open: "OPEN", close: "CLOSE", stop: "STOP" };
/** What reports moving; the first that names its direction counts. */
const REPORTING = ["motor_state", "moving", "work_state", "running"];

export function coverWords(properties: ReadonlyMap<string, Property>): Derived[] {
  return partsOf(properties, "cover").flatMap((part) => [
    ...moving(part),
    ...command(part),
    ...(part.features.has("position") ? scaled(part, "position", "position") : ends(part)),
    ...scaled(part, "tilt", "tilt_pct"),
  ]);
}

function moving(part: Part): Derived[] {
  const reporting = REPORTING.flatMap((name) => part.beside(name) ?? []).filter(({ attribute }) => attribute.readable);
  const reported = reporting.find(({ attribute }) => attribute.type === "string") ?? reporting[0];
  if (!reported || isVocabulary(reported)) return [];
  const { suffix } = part;
  const direction = directionOf(part);
  return [
    {
      attribute: {
        ...{ name: `moving${suffix}`, type: "string", options: Object.keys(MOVES), readable: true, writable: false },
        ...originOf(reported, "moving", suffix),
      },
      read(own) {
        const value = own[reported.property];
        const going = direction(own, value === true);
        if (value === undefined || value === null) return value;
        if (isAtEnd(part, own)) return "stopped";
        return typeof value === "boolean" ? (value ? going : "stopped") : moveIn(value as Json);
      },
      write: () => ({}),
    },
  ];
}

/** Its own `moving` is the word already. */
function isVocabulary({ feature, attribute: { options = [] } }: Property): boolean {
  return feature === "moving" && options.length > 0 && options.every((one) => Object.hasOwn(MOVES, one));
}

/** `123`, which one device says, is none. */
function moveIn(value: Json): string | undefined {
  const said = String(value).toLowerCase();
  return Object.keys(MOVES).find((one) => MOVES[one]?.includes(said));
}

/** What a motor says may be left from before it came to the end. */
function isAtEnd({ features }: Part, own: Own): boolean {
  const [state, position] = ["state", "position"].map((one) => own[features.get(one)?.property ?? ""]);
  return (position === 0 && state === "CLOSE") || (position === 100 && state === "OPEN");
}

/** Of covers that only say that they move: which way, by where they were. Null until that is known. */
function directionOf({ features }: Part): (own: Own, isMoving: boolean) => string | null {
  const property = features.get("position")?.property ?? "";
  let [last, going]: [number | undefined, string | null] = [undefined, null];
  return (own, isMoving) => {
    const at = own[property];
    if (!isMoving) going = null;
    else if (typeof at === "number" && last !== undefined && at !== last) going = at > last ? "opening" : "closing";
    if (typeof at === "number") last = at;
    return going;
  };
}

function command({ features, suffix }: Part): Derived[] {
  const state = features.get("state");
  const known = Object.keys(COMMANDS).filter((one) => state?.attribute.options?.includes(COMMANDS[one] ?? ""));
  if (!state?.attribute.writable || known.length === 0) return [];
  const name = `command${suffix}`;
  return [
    {
      attribute: {
        ...{ name, type: "string", options: known, readable: false, writable: true },
        ...originOf(state, "command", suffix),
      },
      read: () => undefined,
      write(value): JsonObject {
        const reported = known.find((one) => one === value);
        if (reported === undefined) throw wrong(name, `must be one of ${known.join(", ")}`);
        return { [state.property]: state.encode(COMMANDS[reported] as Json) };
      },
    },
  ];
}

/** Of one that knows no position: at its ends, by its state. Stopped on its way, it is nobody knows where. */
function ends({ features, suffix }: Part): Derived[] {
  const state = features.get("state");
  return state ? [endsOf(state, { suffix, open: "OPEN", close: "CLOSE" })] : [];
}

/** Of another scale than 0 to 100. */
function scaled({ features, suffix }: Part, feature: string, word: string): Derived[] {
  const own = features.get(feature);
  if (!own || own.attribute.word !== undefined) return [];
  return [derive(own, { word, suffix, conversion: shareOf(own.attribute) })];
}
