// One Tasmota device, described from what it announces: its outputs, lights, shutters, inputs and sensors.
import { isObject, type Json, type JsonObject } from "../../../../kit/schema/json.ts";
import type { Attribute, DescribedDevice, Message, Outgoing, Report } from "../../described.ts";
import { macIdentities } from "../../mac.ts";
import { numberIn } from "../../numbers.ts";
import { wrong } from "../../words.ts";
import { type Channel, type Command, READABLE } from "./channel.ts";
import { RELAY, type TasmotaConfig } from "./config.ts";
import { inputsOf } from "./inputs.ts";
import { fade, levelsOf, lightsOf } from "./lights.ts";
import { fanOf, lightOutputs, powerOf, switchedOutputs } from "./outputs.ts";
import { readSensors, type Sensor, sensorsOf, tagsIn } from "./sensors.ts";
import { shuttersOf } from "./shutters.ts";

const ANSWERS_BY_COMMAND = 4;
const RELAYS_ARE_LIGHTS = 30;

export interface TasmotaOptions {
  config: TasmotaConfig;
  /** `sn` of its announcement of sensors. */
  sensors: Json | undefined;
  /** Its retained announcements. */
  announcements: readonly string[];
  /** Reports attributes after so many milliseconds. */
  later(ms: number, attributes: JsonObject): void;
}

export function describeTasmota({ config, sensors: sn, announcements, later }: TasmotaOptions): DescribedDevice {
  const { command, telemetry } = config;
  const inputs = inputsOf(config, later);
  const channels = channelsOf(config);
  const taken = new Set([...channels.map(({ attribute }) => attribute.name), ...inputs.attributes.map(nameOf)]);
  const sensorsIn = (sensor: Json | undefined): Sensor[] =>
    sensorsOf(sensor).filter(({ path, attribute }) => !taken.has(attribute.name) && !inputs.keys.has(String(path[0])));
  const sensors = sensorsIn(sn);
  const attributes = [
    ...channels.map(({ attribute }) => attribute),
    ...inputs.attributes,
    ...sensors.map(({ attribute }) => attribute),
  ];
  const known: JsonObject = {};

  function readState(state: JsonObject): JsonObject {
    const read: JsonObject = {};
    for (const { attribute, decode } of channels) {
      const value = decode?.(state);
      if (value !== undefined) read[attribute.name] = value;
    }
    Object.assign(known, read);
    return read;
  }

  function readMessage(topic: string, json: JsonObject): Report {
    const { StatusSTS: state, StatusSNS: sensor } = json;
    if (isObject(state)) return { attributes: readState(state), actions: [] };
    const isSensor = topic === `${telemetry}SENSOR`;
    if (!isSensor && !isObject(sensor))
      return { attributes: { ...readState(json), ...inputs.readResult(json) }, actions: inputs.readActions(json) };
    const measured = isObject(sensor) ? sensor : json;
    // Without an announcement of sensors, they are those of the message.
    const read = readSensors(sn === undefined ? sensorsIn(measured) : sensors, measured);
    return {
      // Shutters report their position among the sensors.
      attributes: { ...readState(measured), ...inputs.readSensor(measured), ...read },
      actions: isSensor ? tagsIn(measured) : [],
    };
  }

  return {
    identity: config.mac,
    identities: macIdentities(config.mac),
    name: config.name,
    deviceType: typeOf(config, inputs.attributes),
    manufacturer: "Tasmota",
    model: config.model,
    hardware: config.hardware,
    area: undefined,
    parent: undefined,
    attributes,
    topics: topicsOf(config),
    read(topic: string, { text, json }: Message): Report {
      if (topic === `${telemetry}LWT`) return { attributes: {}, actions: [], ...availabilityIn(text, config) };
      return isObject(json) ? readMessage(topic, json) : { attributes: {}, actions: [] };
    },
    write: (wanted) => asMessage(command, commandsFor(wanted, { config, channels, attributes, known })),
    refresh: () => questionsTo(config, "config"),
    forget: () => announcements.map((topic) => ({ topic, payload: "", qos: 0, retain: true })),
  };
}

/** What makes the device report its whole state, or only what its sensors measure. */
export function questionsTo({ command }: TasmotaConfig, about: "config" | "sensors"): Outgoing[] {
  const sensors = asOutgoing(command, ["STATUS", "10"]);
  return about === "sensors" ? [sensors] : [asOutgoing(command, ["STATE", ""]), sensors];
}

function channelsOf(config: TasmotaConfig): Channel[] {
  return [
    ...switchedOutputs(config).map((output) => powerOf(config, output)),
    ...lightsOf(config),
    ...shuttersOf(config),
    ...(config.isFan ? fanOf() : []),
    ...statusOf(config),
  ];
}

function typeOf(config: TasmotaConfig, switches: readonly Attribute[]): string {
  const { relays, isFan, options, buttons } = config;
  if (relays.includes(RELAY.shutter)) return "cover";
  if (isFan) return "fan";
  if (lightOutputs(config).length > 0) return "light";
  if (relays.includes(RELAY.relay)) return options.has(RELAYS_ARE_LIGHTS) ? "light" : "switch";
  if (switches.length > 0) return "binary_sensor";
  return buttons.includes(1) ? "button" : "sensor";
}

function topicsOf(config: TasmotaConfig): string[] {
  const { telemetry, status, options, buttons, switches, sleeps } = config;
  const named = (name: string, list: readonly number[]): string[] => list.map((_, at) => `${name}${at + 1}`);
  // In place of RESULT, each command has a topic of its own.
  const single = ["POWER", "DIMMER", "COLOR", "HSBCOLOR", "CT", "WHITE", "CHANNEL", "SCHEME", "FANSPEED"];
  const answers = options.has(ANSWERS_BY_COMMAND)
    ? [...single, "STATE", "SHUTTER", "SHUTTERPOSITION", ...named("BUTTON", buttons), ...named("SWITCH", switches)]
    : [];
  return [
    // One that sleeps is not gone.
    ...(sleeps ? [] : [`${telemetry}LWT`]),
    ...["STATE", "SENSOR"].map((one) => telemetry + one),
    ...["RESULT", "STATUS8", "STATUS10", "STATUS11", ...answers].map((one) => status + one),
  ];
}

function availabilityIn(text: string, { online, offline }: TasmotaConfig): Pick<Report, "available"> {
  return text === online ? { available: true } : text === offline ? { available: false } : {};
}

function commandsFor(
  wanted: JsonObject,
  device: { config: TasmotaConfig; channels: readonly Channel[]; attributes: readonly Attribute[]; known: JsonObject },
): Command[] {
  const { config, channels, attributes, known } = device;
  const commands = Object.entries(wanted).flatMap(([name, value]) => {
    const channel = channels.find(({ attribute }) => attribute.name === name);
    if (channel?.encode) return channel.encode(value, wanted);
    if (channel?.attribute.writable) return [];
    const isKnown = attributes.some((attribute) => attribute.name === name);
    throw wrong(name, isKnown ? "the device only reports it" : "the device has no such attribute");
  });
  // A light that is switched first would show its old colour for a moment.
  const isPower = ([name]: Command): boolean => name.startsWith("POWER");
  const ordered = [...commands.filter((one) => !isPower(one)), ...commands.filter(isPower)];
  const { transition } = wanted;
  const seconds = channels.some(({ attribute }) => attribute.name === "transition") ? transition : undefined;
  if (seconds === undefined) return ordered;
  const fading = fade(config, seconds, levelsOf(known, wanted));
  if (ordered.length === 0) throw wrong("transition", "goes with what is to change, such as brightness_pct");
  return [...fading, ...ordered];
}

/** Several commands are one message; without NoDelay the device waits between them. */
function asMessage(topic: string, commands: readonly Command[]): Outgoing[] {
  const [first, ...more] = commands;
  if (!first) return [];
  if (more.length === 0) return [asOutgoing(topic, first)];
  const list = commands.map((one) => one.join(" ").trimEnd()).join(";NoDelay;");
  return [asOutgoing(topic, ["Backlog", list])];
}

const asOutgoing = (topic: string, [name, argument]: Command): Outgoing => ({
  ...{ topic: topic + name, payload: argument, qos: 0, retain: false },
});

const nameOf = ({ name }: Attribute): string => name;

function statusOf({ hasBattery }: TasmotaConfig): Channel[] {
  const diagnostic = { ...READABLE, type: "number", category: "diagnostic" } as const;
  const wifi = (state: JsonObject): JsonObject => (isObject(state.Wifi) ? state.Wifi : {});
  const found: Channel[] = [
    {
      attribute: { ...diagnostic, name: "linkquality", unit: "%" },
      decode: (state) => numberIn(wifi(state).RSSI),
    },
    {
      attribute: { ...diagnostic, name: "rssi", unit: "dBm" },
      decode: (state) => numberIn(wifi(state).Signal),
    },
    {
      attribute: { ...diagnostic, name: "wifi_connections", hidden: true },
      decode: (state) => numberIn(wifi(state).LinkCount),
    },
    {
      attribute: { ...diagnostic, name: "mqtt_connections", hidden: true },
      decode: (state) => numberIn(state.MqttCount),
    },
  ];
  if (!hasBattery) return found;
  return [
    ...found,
    {
      attribute: { ...READABLE, name: "battery", type: "number", unit: "%", class: "battery" },
      decode: (state) => numberIn(state.BatteryPercentage),
    },
  ];
}
