// What an announcement says of its device and of its entities for people, rather than for reading and commanding them.
import type { Json, JsonObject } from "../../../core/json.ts";
import type { Attribute, Hardware } from "../../described.ts";

const MAX_TEXT = 1024;
const MAX_CONNECTIONS = 20;
const MAX_PRECISION = 20;
const STATE_CLASSES: ReadonlySet<string> = new Set(["measurement", "measurement_angle", "total", "total_increasing"]);
const FORMATS: Readonly<Record<string, Attribute["format"]>> = { date: "date", timestamp: "date-time" };

/** Of the `device` block. */
export function hardwareOf(block: JsonObject | undefined): Hardware {
  const { sw_version: sw, hw_version: hw, serial_number: serial, configuration_url: url, connections } = block ?? {};
  const page = pageOf(url);
  const pairs = (Array.isArray(connections) ? connections : []).filter(isPair).slice(0, MAX_CONNECTIONS);
  const texts = { sw_version: shortText(sw), hw_version: shortText(hw), serial_number: shortText(serial) };
  return {
    ...Object.fromEntries(Object.entries(texts).filter(([, value]) => value !== undefined)),
    ...(page !== undefined && { configuration_url: page }),
    ...(pairs.length > 0 && { connections: pairs }),
  };
}

/** Of an entity, of each of its attributes. */
export function metaOf(config: JsonObject): Partial<Attribute> {
  const { unit_of_measurement: unit, device_class: kind, entity_category: category, name, icon } = config;
  const { suggested_display_precision: precision, state_class: stateClass } = config;
  const format = typeof kind === "string" && Object.hasOwn(FORMATS, kind) ? FORMATS[kind] : undefined;
  return {
    ...(typeof unit === "string" && unit !== "" && { unit }),
    ...(typeof kind === "string" && { class: kind }),
    ...((category === "config" || category === "diagnostic") && { category }),
    ...(typeof name === "string" && name !== "" && { description: name }),
    ...(typeof icon === "string" && /^[\w-]+:[\w-]{1,100}$/.test(icon) && { icon }),
    ...(isPrecision(precision) && { precision }),
    ...(typeof stateClass === "string" && STATE_CLASSES.has(stateClass) && { stateClass }),
    ...(format !== undefined && { format }),
  };
}

const isPrecision = (value: Json | undefined): value is number =>
  typeof value === "number" && Number.isInteger(value) && value >= 0 && value <= MAX_PRECISION;

export function shortText(value: Json | undefined): string | undefined {
  const text = typeof value === "number" ? String(value) : value;
  return typeof text === "string" && text !== "" && text.length <= MAX_TEXT ? text : undefined;
}

const isPair = (one: Json): one is [string, string] =>
  Array.isArray(one) &&
  one.length === 2 &&
  one.every((part) => typeof part === "string" && shortText(part) !== undefined);

/** A page of the device's own, without the password that some put into its address. */
function pageOf(value: Json | undefined): string | undefined {
  const text = shortText(value);
  if (text === undefined || !URL.canParse(text)) return undefined;
  const url = new URL(text);
  if (url.protocol !== "http:" && url.protocol !== "https:") return undefined;
  if (url.username === "" && url.password === "") return text;
  url.username = "";
  url.password = "";
  return url.href;
}
