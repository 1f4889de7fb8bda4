// What a property is in the words of the house: said by its id, or that of its node, and only where its datatype and unit agree.
import type { Attribute } from "../../described.ts";
import type { HomieNode, HomieProperty } from "./description.ts";

/** Ids that any property could have. */
const SAYS_NOTHING = /^(?:val(?:ue)?|state|status|output|out|data|reading|measurement|level|raw|\w|\d+)$/i;

const NUMBERS: readonly [kind: string, said: RegExp, units: RegExp][] = [
  ["temperature", /(?:^|_)(?:temp|temperature|temperatur)(?:_|$)/, /^(?:°[CF]|K)$/],
  ["humidity", /(?:^|_)(?:humidity|hum)(?:_|$)/, /^%$/],
  ["battery", /(?:^|_)(?:battery|batt)(?:_|$)/, /^%$/],
  ["power", /(?:^|_)(?:power|watts?)(?:_|$)/, /^[mkM]?W$/],
  ["energy", /(?:^|_)(?:energy|consumption)(?:_|$)/, /^(?:[kM]?Wh|[MG]J)$/],
  ["voltage", /(?:^|_)(?:voltage|volts?)(?:_|$)/, /^[mk]?V$/],
  ["current", /(?:^|_)(?:current|amps?|amperage)(?:_|$)/, /^m?A$/],
  ["pressure", /(?:^|_)pressure(?:_|$)/, /^(?:[hk]?Pa|m?bar|psi)$/],
  ["illuminance", /(?:^|_)(?:illuminance|light|lux|brightness)(?:_|$)/, /^(?:lx|lux)$/],
  ["carbon_dioxide", /(?:^|_)co2(?:_|$)/, /^ppm$/],
];
const NOTICED: Readonly<Record<string, string>> = {
  motion: "motion",
  occupancy: "occupancy",
  presence: "presence",
  smoke: "smoke",
  leak: "moisture",
  water_leak: "moisture",
  vibration: "vibration",
  tamper: "tamper",
  battery_low: "battery",
  low_battery: "battery",
};
const OPENINGS: Readonly<Record<string, string>> = {
  door: "door",
  window: "window",
  gate: "opening",
  opening: "opening",
};

export const asName = (id: string): string =>
  id
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "_")
    .replace(/^_+|_+$/g, "");

/** Whether the id says nothing of what the property is. */
export const isUnsaid = (id: string): boolean => SAYS_NOTHING.test(id);

/** What it is called by, as far as it says something: its own id, else that of its node. */
const saidBy = ({ id }: HomieProperty, node: HomieNode): string[] =>
  isUnsaid(id) ? [asName(node.id), asName(node.type)] : [asName(id)];

/** Its unit as everybody writes it. */
export function unitOf({ unit, id }: HomieProperty, node: HomieNode): string | undefined {
  if (unit === undefined || unit === "" || unit === "#" || unit.length > 20) return undefined;
  if (/^(?:MK⁻¹|mireds?)$/.test(unit)) return "mired";
  const isTemperature = /temp|setpoint/i.test(`${id} ${node.id}`);
  const [, degrees] = /^[°º˚]?\s?([CF])$/.exec(unit.replace("℃", "°C").replace("℉", "°F")) ?? [];
  return degrees !== undefined && (isTemperature || unit.length > 1) ? `°${degrees}` : unit;
}

/** Home Assistant's device class of what it measures or notices. */
export function classOf(property: HomieProperty, node: HomieNode, unit: string | undefined): string | undefined {
  const said = saidBy(property, node);
  if (property.settable) return undefined;
  if (property.datatype === "integer" || property.datatype === "float")
    return NUMBERS.find(([, words, units]) => units.test(unit ?? "") && said.some((one) => words.test(one)))?.[0];
  if (property.datatype !== "boolean") return undefined;
  const labels = property.format.toLowerCase();
  const opening = /^closed?,open(?:ed)?$/.test(labels) ? said.map((one) => OPENINGS[one]).find(Boolean) : undefined;
  return opening ?? said.map((one) => (Object.hasOwn(NOTICED, one) ? NOTICED[one] : undefined)).find(Boolean);
}

const LIGHTS = /(?:^|_)(?:light|lights|lamp|bulb|led|dimmer)(?:_|$)/;
const SWITCHES = /(?:^|_)(?:switch|switches|relay|relays|outlet|plug|socket|power_switch)(?:_|$)/;

export const isOfLight = ({ id, type }: Pick<HomieNode, "id" | "type">): boolean =>
  LIGHTS.test(asName(id)) || LIGHTS.test(asName(type));

const isOfSwitch = (node: HomieNode): boolean => SWITCHES.test(asName(node.id)) || SWITCHES.test(asName(node.type));

/** The shared word that a property is which can be commanded; `type` and `unit` as the hub has them. */
export function wordOf(
  { id, datatype, settable }: HomieProperty,
  node: HomieNode,
  { type, unit, min, max }: Pick<Attribute, "type" | "unit" | "min" | "max">,
): string | undefined {
  if (!settable) return undefined;
  const name = asName(id);
  if (type === "boolean") {
    if (name === "locked") return "locked";
    const isSwitch = /^(?:on|on_?off|power|switch|relay|switched_on)$/.test(name);
    return isSwitch || (isUnsaid(id) && (isOfLight(node) || isOfSwitch(node))) ? "on" : undefined;
  }
  if (datatype === "color") return "color_rgb";
  if (type !== "number" || min === undefined || max === undefined) return undefined;
  const isBright = /^(?:brightness|dim|dimmer|dimming|intensity)$/.test(name) || (isUnsaid(id) && isOfLight(node));
  if (isBright && min === 0 && (unit === undefined || unit === "%")) return "brightness_pct";
  if (/^colou?r_?temp(?:erature)?$|^ct$/.test(name) && min > 0 && (unit === "K" || unit === "mired"))
    return "color_temp_k";
  return /^(?:target_temp(?:erature)?|set_?point|temperature_(?:target|setpoint))$/.test(name) &&
    (unit === "°C" || unit === "°F")
    ? "target_temperature"
    : undefined;
}
