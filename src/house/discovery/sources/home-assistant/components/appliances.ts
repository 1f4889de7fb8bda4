// Sirens, vacuums, mowers, alarm panels.
import { isObject, type Json, type JsonObject } from "../../../../../kit/schema/json.ts";
import { type Conversion, SAME, wrong } from "../../../words.ts";
import { booleanOf, type Commanded, type DescribedAttribute, type Options, oneOf, onOff, within } from "../entity.ts";
import { inOwnWord, jsonIn, switchName } from "../naming/names.ts";
import { valueAs } from "../several.ts";
import { attributeOf, type Component } from "./simple.ts";

/** Sounds with a tone, loudness and duration, all in one message. */
export const siren: Component = (options) => {
  const topic = options.needsTopic("command_topic");
  const state = options.reading("state_topic", "state_value_template");
  const [on, off] = [options.text("payload_on") ?? "ON", options.text("payload_off") ?? "OFF"];
  const [template, offTemplate] = [options.template("command_template"), options.template("command_off_template")];
  const [stateOn, stateOff] = [options.text("state_on") ?? on, options.text("state_off") ?? off];
  const name = switchName(state?.path?.at(-1) ?? "state");
  const tones = options.texts("available_tones");
  const hows: Record<string, DescribedAttribute["attribute"]> = {};
  const checks: Record<string, (value: Json) => Json> = {};
  const how = (
    key: string,
    attribute: Omit<Parameters<typeof attributeOf>[1], "name">,
    check: (value: Json) => Json,
  ) => {
    hows[key] = { name: key, readable: false, writable: true, ...attribute };
    checks[key] = check;
  };
  if (tones) how("tone", { type: "string", options: tones }, oneOf("tone", tones));
  if (options.config.support_volume_set !== false)
    how("volume_level", { type: "number", min: 0, max: 1 }, within("volume_level", 0, 1));
  if (options.config.support_duration !== false)
    how("duration", { type: "number", unit: "s" }, within("duration", 0, undefined, "s"));
  const commanded: Commanded = {
    write({ [name]: isOn = true, ...more }) {
      const value = onOff(name, on, off)(isOn);
      const used = isOn === false ? (offTemplate ?? template) : template;
      const values: JsonObject = {};
      if (isOn !== false)
        for (const [key, one] of Object.entries(more)) values[key] = checks[key]?.(one as Json) ?? null;
      return [
        options.outgoing(topic, used ? used.write({ value, ...values }) : JSON.stringify({ state: value, ...values })),
      ];
    },
  };
  // As a text, or within a JSON object.
  const reading = state && {
    ...state,
    read(message: Parameters<typeof state.read>[0]): Json | undefined {
      const value = state.read(message);
      const json = jsonIn(value);
      return isObject(json) ? (json.state as Json | undefined) : value;
    },
  };
  return [
    inOwnWord(
      attributeOf(
        options,
        { name, type: "boolean" },
        { readings: [reading && booleanOf(reading, stateOn, stateOff)], commanded },
      ),
    ),
    ...Object.values(hows).map((attribute) => ({
      ...attributeOf(options, attribute, { commanded }),
      momentary: true as const,
    })),
  ];
};

const VACUUM_COMMANDS = ["start", "pause", "stop", "return_to_base", "clean_spot", "locate"] as const;
// What Home Assistant calls them among the features.
const VACUUM_FEATURES: Readonly<Record<string, string>> = { return_to_base: "return_home" };

/** What starts, stops and goes back: commands by name. */
export const vacuum: Component = (options) => {
  const features = options.texts("supported_features");
  const commands = VACUUM_COMMANDS.filter((one) => features?.includes(VACUUM_FEATURES[one] ?? one) !== false);
  return [
    ...actions(options, Object.fromEntries(commands.map((one) => [one, { topic: "command_topic", payload: one }]))),
    ...valueAs(options, {
      ...{ word: "fan_speed", type: "string", options: options.texts("fan_speed_list") },
      command: { topic: "set_fan_speed_topic", template: "" },
    }),
    ...["state", "fan_speed", "battery_level"].flatMap((key) => keyOfState(options, key)),
    ...spoken(options),
  ];
};

/** `send_command`: what the maker's own app sends, as it is. */
function spoken(options: Options): DescribedAttribute[] {
  const name = "send_command";
  const commanded = options.commanded(name, { topic: "send_command_topic", template: "" }, (value) => {
    if (typeof value !== "string" || value === "") throw wrong(name, "must be a text");
    return value;
  });
  return commanded ? [{ ...attributeOf(options, { name, type: "string" }, { commanded }), momentary: true }] : [];
}

function keyOfState(options: Options, key: string): DescribedAttribute[] {
  const topic = options.topic("state_topic");
  if (topic === undefined) return [];
  const read = ({ json }: { json: Json | undefined }): Json | undefined =>
    isObject(json) && Object.hasOwn(json, key) ? (json[key] as Json) : undefined;
  const isBattery = key === "battery_level";
  const attribute = isBattery
    ? ({ name: key, type: "number", unit: "%", class: "battery" } as const)
    : ({ name: key, type: "string" } as const);
  const one = attributeOf(options, attribute, { readings: [{ topic, path: [key], read }] });
  return [isBattery ? { ...one, prefers: "battery" } : one];
}

export const lawnMower: Component = (options) => [
  ...valueAs(options, { word: "activity", type: "string", state: ["activity_state_topic", "activity_value_template"] }),
  ...actions(
    options,
    Object.fromEntries(
      ["start_mowing", "pause", "dock"].map((one) => [
        one,
        { topic: `${one}_command_topic`, template: `${one}_command_template`, payload: one },
      ]),
    ),
  ),
];

const ALARM_COMMANDS = ["arm_home", "arm_away", "arm_night", "arm_vacation", "arm_custom_bypass", "trigger"] as const;
const ALARM_STATES = [
  ...["disarmed", "armed_home", "armed_away", "armed_night", "armed_vacation", "armed_custom_bypass"],
  ...["pending", "arming", "disarming", "triggered"],
];
const ALARM: Conversion = {
  ...SAME,
  attribute: { type: "string", options: ALARM_STATES },
  from: (value) => (ALARM_STATES.includes(String(value)) ? value : undefined),
};
const REMOTE_CODES = ["REMOTE_CODE", "REMOTE_CODE_TEXT"];

/** With a code where it needs one: `{"command": "disarm", "code": "1234"}`. */
export const alarm: Component = (options) => {
  const topic = options.needsTopic("command_topic");
  const template = options.template("command_template");
  const features = options.texts("supported_features");
  const names = ["disarm", ...ALARM_COMMANDS.filter((one) => features?.includes(one) !== false)];
  const code = options.text("code");
  const isNeeded = (name: string): boolean =>
    code !== undefined && options.config[`code_${name.startsWith("arm_") ? "arm" : name}_required`] !== false;
  const commanded: Commanded = {
    write({ command, code: given }) {
      if (command === undefined) throw wrong("code", "needs a command beside it");
      const name = oneOf("command", names)(command) as string;
      if (isNeeded(name)) checkCode(code ?? "", given);
      const payload = options.text(`payload_${name}`) ?? name.toUpperCase();
      const values = { value: payload, action: payload, code: given ?? null };
      return [options.outgoing(topic, template ? template.write(values) : payload)];
    },
  };
  const command = attributeOf(options, { name: "command", type: "string", options: names }, { commanded });
  const codes = code === undefined ? [] : [attributeOf(options, { name: "code", type: "string" }, { commanded })];
  return [
    ...valueAs(options, {
      ...{ word: "alarm", type: "string", conversion: ALARM, isMade: true },
      state: ["state_topic", "value_template"],
    }),
    ...[command, ...codes].map((one) => ({ ...one, momentary: true as const })),
  ];
};

function checkCode(code: string, given: Json | undefined): void {
  if (typeof given !== "string" || given === "") throw wrong("code", "this command needs the code of the alarm panel");
  if (!REMOTE_CODES.includes(code) && given !== code) throw wrong("code", "is not the code of the alarm panel");
}

/** One attribute `command`, whose values are the names of what can be done; only those that have a topic. */
export function actions(
  options: Options,
  all: Readonly<Record<string, { topic: string; template?: string; payload: string }>>,
): DescribedAttribute[] {
  const names = Object.keys(all).filter((name) => options.topic(all[name]?.topic ?? "") !== undefined);
  if (names.length === 0) return [];
  const writers = new Map(
    names.map((name) => {
      const { topic = "", template = "", payload = name } = all[name] ?? {};
      const value = options.text(`payload_${name}`) ?? payload;
      return [name, options.commanded("command", { topic, template }, () => value)];
    }),
  );
  const commanded: Commanded = {
    write: (wanted) => writers.get(oneOf("command", names)(wanted.command ?? null) as string)?.write(wanted) ?? [],
  };
  const attribute = { name: "command", type: "string", options: names } as const;
  return [{ ...attributeOf(options, attribute, { commanded }), momentary: true }];
}
