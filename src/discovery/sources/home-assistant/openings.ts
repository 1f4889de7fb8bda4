// Valves and locks.
import { isObject, type Json } from "../../../core/json.ts";
import { wrong } from "../../words.ts";
import { inPercent, moving } from "./cover.ts";
import { booleanOf, type DescribedAttribute, type Options, onOff, type Reading } from "./entity.ts";
import { jsonIn, nameOf, switchName } from "./names.ts";
import { valueAs } from "./several.ts";
import { attributeOf, type Component } from "./simple.ts";

const COMMAND = { topic: "command_topic", template: "command_template" };

export const valve: Component = (options) => {
  const state = options.reading("state_topic", "value_template");
  const found = options.is("reports_position") ? positioned(options) : openOrNot(options, state);
  return state ? [...found, moving(options, keyOr(state, "state"))] : found;
};

function openOrNot(options: Options, state: Reading | undefined): DescribedAttribute[] {
  const name = switchName(nameOf(options, state));
  const [open, close] = [options.text("payload_open") ?? "OPEN", options.text("payload_close") ?? "CLOSE"];
  const [isOpen, isClosed] = [options.text("state_open") ?? "open", options.text("state_closed") ?? "closed"];
  const commanded = options.commanded(name, COMMAND, onOff(name, open, close));
  const readings = [state && booleanOf(keyOr(state, "state"), isOpen, isClosed)];
  return [attributeOf(options, { name, type: "boolean" }, { readings, commanded }), ...stop(options)];
}

function positioned(options: Options): DescribedAttribute[] {
  const [open, closed] = [options.number("position_open") ?? 100, options.number("position_closed") ?? 0];
  const found = valueAs(options, {
    ...{ word: "position", type: "number", min: Math.min(open, closed), max: Math.max(open, closed), unit: "%" },
    state: ["state_topic", "value_template"],
    command: COMMAND,
  });
  return found
    .map((one) => ({ ...one, readings: one.readings.map((read) => keyOr(read, "position")) }))
    .map((one) => inPercent(one, { open, closed }));
}

/** Of a JSON object, `{"state": "opening", "position": 10}`, or the whole. */
function keyOr(reading: Reading, key: string): Reading {
  return {
    ...reading,
    read(message) {
      const json = isObject(message.json) && reading.template === undefined ? message.json : undefined;
      const value = json ? undefined : reading.read(message);
      const object = json ?? jsonIn(value);
      if (!isObject(object)) return value;
      const held = Object.hasOwn(object, key) ? (object[key] as Json) : undefined;
      const number = key === "position" && typeof held === "string" ? Number(held) : held;
      return typeof number === "number" && Number.isNaN(number) ? undefined : number;
    },
  };
}

function stop(options: Options): DescribedAttribute[] {
  const payload = options.text("payload_stop");
  if (payload === undefined) return [];
  const commanded = options.commanded("stop", COMMAND, (value) => {
    if (value !== true) throw wrong("stop", "must be true");
    return payload;
  });
  return [{ ...attributeOf(options, { name: "stop", type: "boolean" }, { commanded }), momentary: true }];
}

/** `true` locks it; `"open"` opens the door itself, where it can. */
export const lock: Component = (options) => {
  options.needsTopic("command_topic");
  const state = options.reading("state_topic", "value_template");
  const name = switchName(state?.path?.at(-1) ?? "state", "locked");
  const [on, off] = [options.text("payload_lock") ?? "LOCK", options.text("payload_unlock") ?? "UNLOCK"];
  const [locked, unlocked] = [options.text("state_locked") ?? "LOCKED", options.text("state_unlocked") ?? "UNLOCKED"];
  const jammed = options.text("state_jammed") ?? "JAMMED";
  const template = options.template("command_template");
  const topic = options.needsTopic("command_topic");
  const send = (payload: Json, code: Json | undefined) =>
    options.outgoing(topic, template ? template.write({ value: payload, code: code ?? null }) : String(payload));
  const open = options.text("payload_open");
  const commanded = {
    write(wanted: Record<string, Json>) {
      const { [name]: wantedState, open: wantedOpen, code } = wanted;
      if (wantedOpen !== undefined && wantedOpen !== true) throw wrong("open", "must be true");
      if (wantedOpen === true) return [send(open ?? "OPEN", code)];
      if (wantedState === undefined) throw wrong("code", `needs ${name} beside it`);
      return [send(onOff(name, on, off)(wantedState), code)];
    },
  };
  const momentary = { momentary: true as const };
  return [
    attributeOf(
      options,
      { name, type: "boolean" },
      { readings: [state && booleanOf(state, locked, unlocked)], commanded },
    ),
    ...(state && !state.path
      ? [
          attributeOf(
            options,
            { name: "jammed", type: "boolean" },
            { readings: [jam(state, { locked, unlocked, jammed })] },
          ),
        ]
      : []),
    ...(open === undefined
      ? []
      : [{ ...attributeOf(options, { name: "open", type: "boolean" }, { commanded }), ...momentary }]),
    ...(options.text("code_format") === undefined
      ? []
      : [{ ...attributeOf(options, { name: "code", type: "string" }, { commanded }), ...momentary }]),
  ];
};

function jam(state: Reading, { locked, unlocked, jammed }: Readonly<Record<string, string>>): Reading {
  return {
    ...{ topic: state.topic, path: undefined, template: `${state.template ?? ""} jammed` },
    read(message) {
      const value = String(state.read(message));
      return value === jammed ? true : value === locked || value === unlocked ? false : undefined;
    },
  };
}
