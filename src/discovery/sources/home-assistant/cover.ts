// Covers: by command and by position, also of several in one device.
import { isObject } from "../../../core/json.ts";
import { percentOf, wrong } from "../../words.ts";
import { type Commanded, type DescribedAttribute, type Options, type Reading, textOf } from "./entity.ts";
import { renamed } from "./naming.ts";
import { keysOf } from "./parts.ts";
import { valueAs } from "./several.ts";
import { attributeOf, type Component } from "./simple.ts";

const STATES = ["open", "opening", "closed", "closing", "stopped"] as const;

export const cover: Component = (options) => {
  const { suffix, readings } = keysOf(options);
  const state = options.reading("state_topic", "value_template");
  const isMade = options.text("value_template") !== undefined && !state?.path;
  const key = state?.path?.at(-1) ?? "state";
  const name = key + suffix;
  const commanded = moves(options, name);
  const [open, closed] = [options.number("position_open") ?? 100, options.number("position_closed") ?? 0];
  const found: DescribedAttribute[] = [];
  if (state || commanded) {
    const read = state && !isMade && suffix !== "" ? readings(key) : [state];
    found.push(...stateOf(options, { name, isMade, commanded, readings: read }));
  }
  if (state) found.push(moving(options, state, suffix));
  const [tiltMin, tiltMax] = [options.number("tilt_min") ?? 0, options.number("tilt_max") ?? 100];
  const values = [
    ...position(options, { open, closed }),
    ...valueAs(options, {
      ...{ word: "tilt", type: "number", min: tiltMin, max: tiltMax },
      state: ["tilt_status_topic", "tilt_status_template"],
      command: { topic: "tilt_command_topic", template: "tilt_command_template", also: "tilt_position" },
    }),
  ];
  return [...found, ...values.map((one) => inPart(one, { suffix, readings }))];
};

/** What a template makes of several values is not the value that the device names `state`, which it can be sent all the same. */
function stateOf(
  options: Options,
  {
    name,
    isMade,
    commanded,
    readings,
  }: { name: string; isMade: boolean; commanded: Commanded | undefined; readings: readonly (Reading | undefined)[] },
): DescribedAttribute[] {
  const listed = STATES.flatMap((one) => options.text(`state_${one}`) ?? []);
  const attribute = { type: "string", ...(listed.length > 0 && { options: listed }) } as const;
  const read = readings.map((one) => one && textOf(one));
  const made = { ...attribute, name: isMade ? `cover_${name}` : name };
  const whole = attributeOf(options, made, { readings: read, commanded });
  if (!isMade) return [{ ...whole, momentary: true }];
  const sent = attributeOf(options, { type: "string", name }, { commanded });
  return [
    { ...whole, attribute: { ...whole.attribute, writable: false }, commanded: undefined },
    { ...sent, momentary: true },
  ];
}

function moves(options: Options, name: string): Commanded | undefined {
  const payloads: Record<string, string> = {
    ...(options.config.payload_open !== null && { open: options.text("payload_open") ?? "OPEN" }),
    ...(options.config.payload_close !== null && { close: options.text("payload_close") ?? "CLOSE" }),
    ...(options.config.payload_stop !== null && { stop: options.text("payload_stop") ?? "STOP" }),
  };
  return options.commanded(name, { topic: "command_topic", template: "command_template" }, (value) => {
    const known = Object.values(payloads);
    const payload = payloads[String(value)] ?? known.find((one) => one === value);
    if (payload === undefined) throw wrong(name, `must be one of ${known.join(", ")}`);
    return payload;
  });
}

/** Whether it moves. A device that says so itself, under the same name, is left its own. */
export function moving(options: Options, state: Reading, suffix = ""): DescribedAttribute {
  const moves = ["opening", "closing"].map((one) => options.text(`state_${one}`) ?? one);
  const rests = ["open", "closed", "stopped"].map((one) => options.text(`state_${one}`) ?? one);
  const name = `moving${suffix}`;
  const reading: Reading = {
    ...{ topic: state.topic, path: undefined, template: `${state.template ?? ""} moving` },
    read(message) {
      const own = isObject(message.json) ? message.json[name] : undefined;
      if (own !== undefined) return own;
      const value = state.read(message);
      return moves.includes(String(value)) ? true : rests.includes(String(value)) ? false : undefined;
    },
  };
  const one = attributeOf(options, { name, type: "boolean" }, { readings: [reading] });
  return { ...one, attribute: { ...one.attribute, derived: true } };
}

function position(options: Options, { open, closed }: { open: number; closed: number }): DescribedAttribute[] {
  if (open === closed) throw new Error("position_open: must differ from position_closed");
  const [min, max] = [Math.min(open, closed), Math.max(open, closed)];
  const found = valueAs(options, {
    ...{ word: "position", type: "number", min, max },
    state: ["position_topic", "position_template"],
    command: { topic: "set_position_topic", template: "set_position_template", also: "position" },
  });
  return found.map((one) => inPercent(one, { open, closed }));
}

/** Where it is on a scale of its own, or upside down. */
export function inPercent(
  one: DescribedAttribute,
  { open, closed }: { open: number; closed: number },
): DescribedAttribute {
  if (open === 100 && closed === 0) return one;
  const own = one.attribute.name === "position" ? renamed(one, "position_raw") : one;
  return { ...own, also: { name: "position", conversion: percentOf(closed, open) } };
}

/** Named after its part, and read from what the whole device reports, too. */
function inPart(one: DescribedAttribute, { suffix, readings }: ReturnType<typeof keysOf>): DescribedAttribute {
  if (suffix === "") return one;
  const [reading] = one.readings;
  const key = reading?.path?.at(-1);
  const { name } = one.attribute;
  const more = key === undefined ? one.readings : readings(key);
  const also = one.also && { ...one.also, name: one.also.name + suffix };
  return { ...renamed(one, name.endsWith(suffix) ? name : name + suffix), readings: more, ...(also && { also }) };
}
