// What a cover or a valve is doing, in the words of all, whichever way it says so: by the state that was announced, and by what it
// reports beside it.
import { isObject, type Json } from "../../../../../kit/schema/json.ts";
import type { Message } from "../../../described.ts";
import type { DescribedAttribute, Options, Reading } from "../entity.ts";
import { attributeOf } from "./simple.ts";

const MOVES = ["opening", "closing", "stopped"] as const;

// What motors say, in small letters, under the names that devices have for it.
const MOTOR_NAMES = ["motor_state", "moving", "work_state", "running"];
const MOTOR_WORDS: Readonly<Record<(typeof MOVES)[number], readonly string[]>> = {
  opening: ["opening", "open", "forward", "up", "rising"],
  closing: ["closing", "close", "backward", "back", "reverse", "down", "declining"],
  stopped: ["stopped", "stop", "pause", "paused", "standby", "idle", "blocked"],
};

/** `states`: each brings the state as it was announced. `suffix`: of one of several. `of`: the device's own attribute. */
export function moving(
  options: Options,
  states: readonly Reading[],
  { suffix = "", of }: { suffix?: string; of: string },
): DescribedAttribute {
  const said = saidBy(options);
  const readings = states.map((state): Reading => {
    const end = state.path?.at(-1)?.endsWith(suffix) ? suffix : "";
    const moved = motorOf(end);
    return {
      ...{ topic: state.topic, path: undefined, template: `${state.template ?? ""} moving` },
      read(message) {
        const value = state.read(message);
        const now = value === undefined || value === null ? value : said.get(String(value));
        const motor = moved(message);
        if (now === "opening" || now === "closing" || motor === undefined) return now;
        return isAtEnd(options, message.json, { value, end }) ? "stopped" : motor;
      },
    };
  });
  const one = attributeOf(options, { name: "moving", type: "string", options: MOVES, word: "moving" }, { readings });
  const { class: _class, ...attribute } = one.attribute;
  return { ...one, attribute: { ...attribute, derived: true, of } };
}

function saidBy(options: Options): ReadonlyMap<string, string> {
  const said = new Map(["open", "closed", "stopped"].map((one) => [options.text(`state_${one}`) ?? one, "stopped"]));
  for (const one of ["opening", "closing"]) said.set(options.text(`state_${one}`) ?? one, one);
  return said;
}

/** What a motor says of itself; null where it only says that it runs, and which way is not known yet. */
function motorOf(end: string): (message: Message) => Json | undefined {
  let [last, going]: [number | undefined, Json] = [undefined, null];
  return ({ json }) => {
    if (!isObject(json)) return undefined;
    const values = MOTOR_NAMES.flatMap((name) => {
      const value = json[name + end];
      return typeof value === "string" || typeof value === "boolean" ? [value] : [];
    });
    const value = values.find((one) => typeof one === "string") ?? values[0];
    const at = json[`position${end}`];
    if (value !== true) going = null;
    else if (typeof at === "number" && last !== undefined && at !== last) going = at > last ? "opening" : "closing";
    if (typeof at === "number") last = at;
    if (value === true) return going;
    return value === false ? "stopped" : MOVES.find((one) => MOTOR_WORDS[one].includes(String(value).toLowerCase()));
  };
}

/** What a motor says may be left from before it came to the end. */
function isAtEnd(
  options: Options,
  json: Json | undefined,
  { value, end }: { value: Json | undefined; end: string },
): boolean {
  const at = isObject(json) ? json[`position${end}`] : undefined;
  if (at === 0) return value === (options.text("state_closed") ?? "closed");
  return at === 100 && value === (options.text("state_open") ?? "open");
}
