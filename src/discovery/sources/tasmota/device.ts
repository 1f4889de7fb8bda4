// One Tasmota device, described from what it announces under `tasmota/discovery/MAC`: relays, lights, shutters, sensors.
import { isObject, type Json, type JsonObject } from "../../../core/json.ts";
import type { Attribute, DescribedDevice, Message, Outgoing, Report } from "../../described.ts";
import { type Conversion, kelvinOf, percentOf, RGB, wrong } from "../../words.ts";

/** `config`, as far as it is read. */
export interface TasmotaConfig {
  mac: string;
  name: string | undefined;
  friendly: readonly string[];
  model: string | undefined;
  topic: string;
  fullTopic: string;
  prefixes: readonly [command: string, status: string, telemetry: string];
  online: string;
  offline: string;
  states: readonly string[];
  /** 1 a relay, 2 a light, 3 a shutter. */
  relays: readonly number[];
  shutters: number;
  /** 1 dims, 2 also white warmth, 3 colour, 4 colour and white, 5 colour and warmth. */
  lightType: number;
  isFan: boolean;
}

/** Undefined for what is none. */
export function readTasmotaConfig(json: Json | undefined): TasmotaConfig | undefined {
  if (!isObject(json)) return undefined;
  const { mac, t: topic, ft: fullTopic, tp: prefixes, dn, fn, md, onln, ofln, state, rl, sho, lt_st, if: fan } = json;
  if (typeof mac !== "string" || typeof topic !== "string" || typeof fullTopic !== "string") return undefined;
  const [command, status, telemetry] = textsIn(prefixes);
  if (command === undefined || status === undefined || telemetry === undefined || /[+#\0]/.test(topic))
    return undefined;
  return {
    ...{ mac, topic, fullTopic, prefixes: [command, status, telemetry] as const },
    name: typeof dn === "string" && dn !== "" ? dn : textsIn(fn)[0],
    friendly: textsIn(fn),
    model: typeof md === "string" ? md : undefined,
    online: typeof onln === "string" ? onln : "Online",
    offline: typeof ofln === "string" ? ofln : "Offline",
    states: Array.isArray(state) ? textsIn(state) : ["OFF", "ON", "TOGGLE", "HOLD"],
    relays: Array.isArray(rl) ? rl.map(Number) : [],
    shutters: Array.isArray(sho) ? sho.length : 0,
    lightType: typeof lt_st === "number" ? lt_st : 0,
    isFan: fan === 1,
  };
}

const textsIn = (value: Json | undefined): string[] =>
  Array.isArray(value) ? value.filter((one): one is string => typeof one === "string") : [];

interface Channel {
  attribute: Attribute;
  /** Its key in STATE and RESULT; undefined where it is made of another. */
  key: string | undefined;
  decode(value: Json): Json | undefined;
  /** The command's name and payload. Throws HubError `invalid`. */
  encode(value: Json): [command: string, payload: string];
  word?: { name: string; conversion: Conversion };
}

const writable = { readable: true, writable: true } as const;

export function describeTasmota(config: TasmotaConfig, sensors: JsonObject | undefined): DescribedDevice {
  const topicOf = (prefix: string, end: string): string =>
    `${config.fullTopic.replaceAll("%prefix%", prefix).replaceAll("%topic%", config.topic)}/${end}`.replace(
      /\/{2,}/g,
      "/",
    );
  const [commandPrefix, statusPrefix, telemetryPrefix] = config.prefixes;
  const availability = topicOf(telemetryPrefix, "LWT");
  const channels = channelsOf(config);
  const byKey = new Map(
    channels.flatMap((one) => (one.key === undefined ? [] : [[one.key.toUpperCase(), one] as const])),
  );
  const sensorTopic = topicOf(telemetryPrefix, "SENSOR");
  const attributes = [...channels.flatMap(attributesOf), ...sensorAttributes(sensors)];
  const named = new Map(attributes.map((one) => [one.name, one]));

  function readState(state: JsonObject): JsonObject {
    const read: JsonObject = {};
    for (const [key, value] of Object.entries(state)) {
      const channel = byKey.get(key.toUpperCase());
      const decoded = channel?.decode(value as Json);
      if (!channel || decoded === undefined) continue;
      read[channel.attribute.name] = decoded;
      const converted = channel.word?.conversion.from(decoded);
      if (channel.word && converted !== undefined) read[channel.word.name] = converted;
    }
    for (const [key, value] of Object.entries(state)) Object.assign(read, shutterState(key, value as Json));
    const { Wifi: wifi } = state;
    if (isObject(wifi) && typeof wifi.RSSI === "number") read.linkquality = wifi.RSSI;
    return read;
  }

  return {
    identity: config.mac.toLowerCase(),
    identities: [config.mac.toLowerCase(), `mac:${macText(config.mac)}`],
    name: config.name,
    deviceType: typeOf(config),
    manufacturer: "Tasmota",
    model: config.model,
    area: undefined,
    parent: undefined,
    attributes,
    topics: [
      ...[availability, topicOf(telemetryPrefix, "STATE"), topicOf(statusPrefix, "RESULT"), sensorTopic],
      ...[8, 10, 11].map((number) => topicOf(statusPrefix, `STATUS${number}`)),
    ],
    read(topic: string, { text, json }: Message): Report {
      if (topic === availability) {
        const available = text === config.online ? true : text === config.offline ? false : undefined;
        return { attributes: {}, actions: [], ...(available !== undefined && { available }) };
      }
      if (!isObject(json)) return { attributes: {}, actions: [] };
      const { StatusSTS: state, StatusSNS: sensor } = json;
      if (isObject(sensor)) return { attributes: flattened(sensor), actions: [] };
      const isSensor = topic === sensorTopic;
      return {
        attributes: isSensor ? flattened(json) : readState(isObject(state) ? state : json),
        actions: actionsIn(json),
      };
    },
    write(wanted: JsonObject): Outgoing[] {
      return Object.entries(wanted).map(([name, value]) => {
        const channel = channels.find(({ attribute, word }) => attribute.name === name || word?.name === name);
        if (!channel)
          throw wrong(name, named.has(name) ? "the device only reports it" : "the device has no such attribute");
        const own = channel.word?.name === name ? channel.word.conversion.to(value as Json, name) : (value as Json);
        const [command, payload] = channel.encode(own);
        return { topic: topicOf(commandPrefix, command), payload, qos: 0, retain: false };
      });
    },
  };
}

function typeOf({ relays, shutters, isFan }: TasmotaConfig): string {
  if (shutters > 0 || relays.includes(3)) return "cover";
  if (isFan) return "fan";
  return relays.includes(2) ? "light" : relays.includes(1) ? "switch" : "sensor";
}

function attributesOf({ attribute, word }: Channel): Attribute[] {
  if (!word) return [attribute];
  const { readable, writable } = attribute;
  return [
    attribute,
    { type: "number", ...word.conversion.attribute, name: word.name, readable, writable, derived: true },
  ];
}

function channelsOf(config: TasmotaConfig): Channel[] {
  const { relays, states } = config;
  const switched = relays.flatMap((kind, at) => (kind === 1 || kind === 2 ? [at + 1] : []));
  const only = switched.length === 1;
  const found = switched.map((number) => power(number, only, states));
  if (relays.includes(2)) found.push(...lightOf(config));
  for (let number = 1; number <= config.shutters; number++) found.push(shutter(number, config.shutters === 1));
  if (config.isFan) found.push(ranged("speed", "FanSpeed", 0, 3, { name: "speed_pct", conversion: percentOf(0, 3) }));
  return found;
}

function power(number: number, only: boolean, [off = "OFF", on = "ON", toggle = "TOGGLE"]: readonly string[]): Channel {
  const name = only ? "on" : `on_l${number}`;
  return {
    attribute: { ...writable, name, type: "boolean" },
    key: only && number === 1 ? "POWER" : `POWER${number}`,
    decode: (value) => (value === on ? true : value === off ? false : undefined),
    encode(value) {
      if (typeof value !== "boolean" && value !== "toggle") throw wrong(name, 'must be true, false or "toggle"');
      return [`POWER${number}`, value === "toggle" ? toggle : value ? on : off];
    },
  };
}

function ranged(name: string, key: string, min: number, max: number, word?: Channel["word"], unit?: string): Channel {
  return {
    attribute: { ...writable, name, type: "number", min, max, ...(unit !== undefined && { unit }) },
    key,
    decode: (value) => (typeof value === "number" ? value : undefined),
    encode(value) {
      if (typeof value !== "number" || value < min || value > max)
        throw wrong(name, `must be a number from ${min} to ${max}`);
      return [key, String(Math.round(value))];
    },
    ...(word && { word }),
  };
}

function lightOf({ lightType }: TasmotaConfig): Channel[] {
  const found = [
    ranged("brightness", "Dimmer", 0, 100, { name: "brightness_pct", conversion: percentOf(0, 100) }, "%"),
  ];
  if (lightType === 2 || lightType === 5)
    found.push(ranged("color_temp", "CT", 153, 500, { name: "color_temp_k", conversion: kelvinOf(153, 500) }, "mired"));
  if (lightType >= 3)
    found.push({
      attribute: { ...writable, name: "color", type: "object" },
      key: "HSBColor",
      decode(value) {
        const [hue, saturation] = typeof value === "string" ? value.split(",").map(Number) : [];
        return Number.isFinite(hue) && Number.isFinite(saturation)
          ? { hue: hue ?? 0, saturation: saturation ?? 0 }
          : undefined;
      },
      encode(value) {
        const rgb = isObject(value) ? RGB.from(value) : undefined;
        if (typeof rgb !== "string") throw wrong("color", "must be an object such as {hue, saturation}");
        return ["Color", rgb];
      },
      word: { name: "color_rgb", conversion: RGB },
    });
  return found;
}

function shutter(number: number, only: boolean): Channel {
  const name = only ? "position" : `position_l${number}`;
  return {
    attribute: { ...writable, name, type: "number", unit: "%", min: 0, max: 100 },
    key: undefined,
    decode: () => undefined,
    encode(value) {
      if (typeof value !== "number" || value < 0 || value > 100) throw wrong(name, "must be a number from 0 to 100");
      return [`ShutterPosition${number}`, String(Math.round(value))];
    },
  };
}

/** `"Shutter1":{"Position":50,"Direction":0,…}`. */
function shutterState(key: string, value: Json): JsonObject {
  const number = /^Shutter(\d)$/i.exec(key)?.[1];
  if (number === undefined || !isObject(value) || typeof value.Position !== "number") return {};
  const { Position: position, Direction: direction } = value;
  const moving = direction === 1 ? "opening" : direction === -1 ? "closing" : "stopped";
  return number === "1" ? { position, moving } : { [`position_l${number}`]: position, [`moving_l${number}`]: moving };
}

/** `"Button1":{"Action":"SINGLE"}`. */
function actionsIn(json: JsonObject): string[] {
  return Object.entries(json).flatMap(([key, value]) =>
    /^(Button|Switch)\d+$/.test(key) && isObject(value) && typeof value.Action === "string"
      ? [`${key}_${value.Action}`.toLowerCase()]
      : [],
  );
}

const NO_SENSORS = new Set(["Time", "TempUnit", "PressureUnit", "SpeedUnit", "Epoch", "Wifi"]);
// A sensor that is alone of its kind needs no name of its chip in front.
const PLAIN: Readonly<Record<string, string>> = { ENERGY: "", AM2301: "", BME280: "", SI7021: "", DS18B20: "" };

/** `{"AM2301":{"Temperature":21.5}}` is `temperature`; of a second chip, `chip_temperature`. */
function flattened(sensor: JsonObject): JsonObject {
  const read: JsonObject = {};
  for (const [chip, values] of Object.entries(sensor)) {
    if (NO_SENSORS.has(chip)) continue;
    if (!isObject(values)) {
      if (typeof values === "string" || typeof values === "number")
        read[nameOf(chip)] = values === "ON" ? true : values === "OFF" ? false : values;
      continue;
    }
    for (const [key, value] of Object.entries(values)) {
      if (value === undefined || (typeof value === "object" && value !== null)) continue;
      read[(PLAIN[chip] ?? `${nameOf(chip)}_`) + nameOf(key)] = value as Json;
    }
  }
  return read;
}

const nameOf = (text: string): string =>
  text
    .replace(/([a-z0-9])([A-Z])/g, "$1_$2")
    .replace(/[^\w]+/g, "_")
    .toLowerCase();

const UNITS: Readonly<Record<string, string>> = {
  ...{ temperature: "°C", humidity: "%", pressure: "hPa", power: "W", voltage: "V", current: "A", total: "kWh" },
  ...{
    today: "kWh",
    yesterday: "kWh",
    apparent_power: "VA",
    reactive_power: "var",
    illuminance: "lx",
    dew_point: "°C",
  },
};

function sensorAttributes(sensors: JsonObject | undefined): Attribute[] {
  const { sn } = sensors ?? {};
  if (!isObject(sn)) return [];
  return Object.entries(flattened(sn)).map(([name, value]) => {
    const kind = Object.keys(UNITS).find((one) => name === one || name.endsWith(`_${one}`));
    const unit = kind === undefined ? undefined : UNITS[kind];
    const type = typeof value === "number" ? "number" : typeof value === "boolean" ? "boolean" : "string";
    return { name, type, readable: true, writable: false, ...(unit !== undefined && { unit }) };
  });
}

const macText = (mac: string): string => (mac.toLowerCase().match(/../g) ?? []).join(":");
