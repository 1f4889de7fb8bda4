// What plays, and what sends codes: media players in both forms that programs announce them in (Home Assistant's own MQTT integration
// has none), infrared emitters and receivers, remotes.
import { isObject, type Json, type JsonObject } from "../../../../../kit/schema/json.ts";
import { wrong } from "../../../words.ts";
import { type DescribedAttribute, numberOf, type Options, onOff, type Reading, within } from "../entity.ts";
import { inOwnWord, jsonIn, nameOf, ownId } from "../naming/names.ts";
import { type Value, valueAs } from "../several.ts";
import { actions } from "./appliances.ts";
import { attributeOf, type Component } from "./simple.ts";
import { booleanIn, twoWords } from "./two-words.ts";

/** Topics by what they bring or take; the first that is announced counts. */
type Topics = readonly string[];

const STATES: readonly (Omit<Value, "state" | "command"> & { reads: Topics; writes?: Topics })[] = [
  { word: "state", type: "string", reads: ["state_state_topic", "state_topic"] },
  { word: "title", type: "string", reads: ["state_title_topic", "media_title_topic"] },
  { word: "artist", type: "string", reads: ["state_artist_topic", "media_artist_topic"] },
  { word: "album", type: "string", reads: ["state_album_topic", "media_album_name_topic"] },
  { word: "media_type", type: "string", reads: ["state_mediatype_topic", "media_content_type_topic"] },
  { word: "duration", type: "number", unit: "s", reads: ["state_duration_topic", "media_duration_topic"] },
  {
    ...{ word: "media_position", type: "number", unit: "s", min: 0 },
    ...{
      reads: ["state_position_topic", "media_position_topic"],
      writes: ["command_seek_position_topic", "seek_topic"],
    },
  },
  { word: "source", type: "string", reads: ["state_source_topic", "source_topic"], writes: ["select_source_topic"] },
  { word: "sound_mode", type: "string", reads: ["sound_mode_topic"], writes: ["select_sound_mode_topic"] },
  { word: "repeat", type: "string", reads: ["repeat_topic"], writes: ["repeat_set_topic"] },
];
const COMMANDS: Readonly<Record<string, Topics>> = {
  play: ["command_play_topic", "play_topic"],
  pause: ["command_pause_topic", "pause_topic"],
  play_pause: ["command_playpause_topic"],
  stop: ["command_stop_topic", "stop_topic"],
  next: ["command_next_topic", "next_topic"],
  previous: ["command_previous_topic", "previous_topic"],
  turn_on: ["command_turnon_topic", "turn_on_topic"],
  turn_off: ["command_turnoff_topic", "turn_off_topic"],
  clear_playlist: ["clear_playlist_topic"],
};

/** What it plays, how loud, and `command`: `play`, `pause`, `next`, … */
export const mediaPlayer: Component = (options) => {
  const first = (topics: Topics = []): string | undefined => topics.find((topic) => options.topic(topic) !== undefined);
  const states = STATES.flatMap(({ reads, writes, ...value }) => {
    const [read, write] = [first(reads), first(writes)];
    return valueAs(options, {
      ...value,
      ...(read !== undefined && { state: [read, templateOf(read)] }),
      ...(write !== undefined && { command: { topic: write, template: "" } }),
    });
  });
  const commands = Object.entries(COMMANDS).flatMap(([name, topics]) => {
    const topic = first(topics);
    if (topic === undefined) return [];
    return [[name, { topic, payload: options.text(topic.replace(/topic$/, "payload")) ?? name }] as const];
  });
  const found = [
    ...states,
    ...volume(options, first),
    ...switched(options, "muted", {
      read: first(["state_mute_topic", "is_volume_muted_topic"]),
      write: first(["mute_topic"]),
    }),
    ...switched(options, "shuffle", { read: first(["shuffle_topic"]), write: first(["shuffle_set_topic"]) }),
    ...actions(options, Object.fromEntries(commands)),
    ...said(options, "play_media", first(["command_playmedia_topic", "play_media_topic"])),
  ];
  if (found.length === 0)
    throw new Error("none of its topics is known: state_topic, play_topic, volume_level_topic, …");
  return found;
};

const templateOf = (topic: string): string =>
  topic === "state_topic" ? "value_template" : topic.replace(/topic$/, "template");

/** Of 0–1 as of 0–100, as each of both forms has it. */
function volume(options: Options, first: (topics: Topics) => string | undefined): DescribedAttribute[] {
  const isShare = first(["volume_level_topic", "volume_set_topic"]) !== undefined;
  const [read, write] = [
    first(["state_volume_topic", "volume_level_topic"]),
    first(["command_volume_topic", "volume_set_topic"]),
  ];
  if (read === undefined && write === undefined) return [];
  const name = "volume_pct";
  const all = isShare ? 1 : 100;
  const state = read === undefined ? undefined : options.reading(read, templateOf(read));
  const own = state && numberOf(state);
  const reading: Reading | undefined = own && {
    ...own,
    path: undefined,
    read(message) {
      const value = own.read(message);
      return typeof value === "number" ? Math.round((value * 10_000) / all) / 100 : value;
    },
  };
  const check = within(name, 0, 100, "%");
  const commanded =
    write === undefined
      ? undefined
      : options.commanded(name, { topic: write, template: "" }, (value) => ((check(value) as number) * all) / 100);
  const attribute = { name, type: "number", unit: "%", min: 0, max: 100 } as const;
  return [attributeOf(options, attribute, { readings: [reading], commanded })];
}

function switched(
  options: Options,
  name: string,
  { read, write }: { read: string | undefined; write: string | undefined },
): DescribedAttribute[] {
  if (read === undefined && write === undefined) return [];
  const state = read === undefined ? undefined : options.reading(read, templateOf(read));
  const reading: Reading | undefined = state && {
    ...state,
    read(message) {
      const text = String(state.read(message) ?? "").toLowerCase();
      return ["true", "on", "1"].includes(text) ? true : ["false", "off", "0"].includes(text) ? false : undefined;
    },
  };
  const commanded =
    write === undefined ? undefined : options.commanded(name, { topic: write, template: "" }, onOff(name, "ON", "OFF"));
  return [attributeOf(options, { name, type: "boolean" }, { readings: [reading], commanded })];
}

/** A text or an object that it is sent as it is, and that is no state of it. */
function said(options: Options, name: string, topic: string | undefined): DescribedAttribute[] {
  if (topic === undefined) return [];
  const commanded = options.commanded(name, { topic, template: "" }, (value) => {
    if (typeof value !== "string" && !isObject(value)) throw wrong(name, "must be a text, or an object");
    return typeof value === "string" ? value : JSON.stringify(value);
  });
  return [{ ...attributeOf(options, { name, type: "string" }, { commanded }), momentary: true }];
}

/** A code to send, or one that was received: `{"timings": [9000, -4500, …], "modulation": 38000}`, times in µs. */
export const infrared: Component = (options) => {
  const schema = options.text("schema") ?? (options.topic("command_topic") === undefined ? "receiver" : "emitter");
  if (schema !== "emitter" && schema !== "receiver") throw new Error("schema: must be emitter or receiver");
  if (schema === "receiver") {
    const state = options.reading("state_topic", "value_template");
    if (!state) throw new Error("state_topic is missing");
    const name = state.path?.at(-1) ?? ownId(options);
    return [attributeOf(options, { name, type: "object" }, { readings: [receivedCode(state)] })];
  }
  options.needsTopic("command_topic");
  const name = nameOf(options, undefined);
  const template = options.template("command_template");
  const commanded = {
    write(wanted: JsonObject) {
      const code = codeOf(name, wanted[name] ?? null);
      const value = JSON.stringify(code);
      return [
        options.outgoing(options.needsTopic("command_topic"), template ? template.write({ value, ...code }) : value),
      ];
    },
  };
  return [{ ...attributeOf(options, { name, type: "object" }, { commanded }), momentary: true }];
};

const MAX_TIMINGS = 2000;

const areTimings = (value: Json | undefined): boolean =>
  Array.isArray(value) && value.length > 0 && value.length <= MAX_TIMINGS && value.every(Number.isInteger);

function receivedCode(state: Reading): Reading {
  return {
    ...state,
    read(message) {
      const value = jsonIn(state.read(message));
      return isObject(value) && areTimings(value.timings as Json) ? value : undefined;
    },
  };
}

/** Home Assistant's emitters are given all three. */
function codeOf(name: string, value: Json): JsonObject {
  const given = Array.isArray(value) ? { timings: value } : jsonIn(value);
  if (!isObject(given) || !areTimings(given.timings as Json))
    throw wrong(name, `must be {"timings": [9000, -4500, …], "modulation": 38000}: whole µs, at most ${MAX_TIMINGS}`);
  const { timings, modulation = 38_000, repeat_count = 0 } = given;
  return { timings, modulation, repeat_count } as JsonObject;
}

/** `on`, and `command`: the names of its codes, or any text where none are announced. */
export const remote: Component = (options) => {
  options.needsTopic("command_topic");
  const { commands } = options.config;
  const codes = new Map(
    Object.entries(isObject(commands) ? commands : {}).map(([name, one]) => [
      name,
      String(isObject(one) ? (one.command ?? name) : one),
    ]),
  );
  const names = [...codes.keys()];
  const commanded = options.commanded("command", COMMAND, (value) => {
    const isKnown = typeof value === "string" && value !== "" && (names.length === 0 || codes.has(value));
    if (!isKnown) throw wrong("command", names.length > 0 ? `must be one of ${names.join(", ")}` : "must be a text");
    return codes.get(value) ?? value;
  });
  const attribute = { name: "command", type: "string", ...(names.length > 0 && { options: names }) } as const;
  return [...remoteSwitch(options), { ...attributeOf(options, attribute, { commanded }), momentary: true }];
};

const COMMAND = { topic: "command_topic", template: "command_template" };

/** Only of one that says so: a bare emitter of codes is neither on nor off. */
function remoteSwitch(options: Options): DescribedAttribute[] {
  const state = options.reading("state_topic", "value_template");
  const isSwitched = state !== undefined || options.config.payload_on !== undefined;
  if (!isSwitched) return [];
  const [on, off] = [options.text("payload_on") ?? "ON", options.text("payload_off") ?? "OFF"];
  const words = twoWords({ on, off, name: "on", kind: undefined });
  const commanded = options.commanded("on", COMMAND, onOff("on", on, off));
  const readings = [state && booleanIn(state, words)];
  return [inOwnWord(attributeOf(options, { name: "on", type: "boolean" }, { readings, commanded }))];
}
