// Sensors: a shared word has one unit, so what Home Assistant says in its unit must be the same quantity. Units by their definition.
import { type Entity, type HubDevice, namesOfWord, propertiesOf, type Seen } from "../entities.ts";
import { type Finding, isUnknown, namesIn } from "./finding.ts";
import { judgeOwn } from "./own.ts";

type Convert = (value: number) => number;
const same: Convert = (value) => value;
const times =
  (factor: number): Convert =>
  (value) =>
    value * factor;

interface Quantity {
  word: string;
  units: Readonly<Record<string, Convert>>;
}

const PRESSURE: Quantity = {
  word: "pressure",
  units: {
    hPa: same,
    mbar: same,
    Pa: times(0.01),
    kPa: times(10),
    bar: times(1000),
    cbar: times(10),
    mmHg: times(1.333224),
    inHg: times(33.8639),
    psi: times(68.94757),
  },
};
const QUANTITIES: Readonly<Record<string, Quantity>> = {
  temperature: {
    word: "temperature",
    units: { "°C": same, "°F": (value) => ((value - 32) * 5) / 9, K: (value) => value - 273.15 },
  },
  humidity: { word: "humidity", units: { "%": same } },
  illuminance: { word: "illuminance", units: { lx: same } },
  pressure: PRESSURE,
  atmospheric_pressure: PRESSURE,
  carbon_dioxide: { word: "co2", units: { ppm: same } },
  pm25: { word: "pm25", units: { "µg/m³": same } },
  power: { word: "power", units: { W: same, kW: times(1000) } },
  energy: {
    word: "energy",
    units: { kWh: same, Wh: times(0.001), MWh: times(1000), GJ: times(277.7778), MJ: times(0.2777778) },
  },
  voltage: { word: "voltage", units: { V: same, mV: times(0.001) } },
  current: { word: "current", units: { A: same, mA: times(0.001) } },
  battery: { word: "battery", units: { "%": same } },
};

const quantityOf = ({ config }: Entity): Quantity | undefined => QUANTITIES[String(config.device_class ?? "")];
const isOf = (word: string) => (one: Entity) => one.component === "sensor" && quantityOf(one)?.word === word;

/** In the word's unit; undefined where the unit is none of the quantity. */
function measured({ entity, says }: Pick<Seen, "entity" | "says">): number | undefined {
  const unit = String(says.attributes.unit_of_measurement ?? entity.config.unit_of_measurement ?? "");
  const convert = quantityOf(entity)?.units[unit];
  const value = Number(says.state);
  return convert && says.state !== "" && Number.isFinite(value) ? convert(value) : undefined;
}

const isAlike = (one: unknown, other: number): boolean =>
  typeof one === "number" && Math.abs(one - other) <= Math.max(0.0051, Math.abs(other) * 0.0006);

export function judgeSensor(seen: Seen): Finding[] {
  return [...judgeQuantity(seen), ...judgeOwn(seen)];
}

function judgeQuantity(seen: Seen): Finding[] {
  const { entity, says, hub } = seen;
  const quantity = quantityOf(entity);
  const value = measured(seen);
  if (quantity === undefined || value === undefined || isUnknown(says.state)) return [];
  const isAlone = entity.device.filter(isOf(quantity.word)).length === 1;
  const from = { entity, property: entity.property, isAlone };
  const names = namesOfWord(hub, quantity.word, from);
  const said = `${says.state} ${says.attributes.unit_of_measurement}`;
  const [name] = names;
  // Of what is measured beside the room or the device itself the own name is enough.
  if (name === undefined)
    return isNamed(entity, quantity.word)
      ? [{ what: `no ${quantity.word}`, homeAssistant: said, hub: namesIn(hub.attributes) }]
      : [];
  return isAlike(toShared(hub, name, quantity), value)
    ? []
    : [{ what: quantity.word, homeAssistant: said, hub: { [name]: hub.attributes[name] ?? null } }];
}

/** The hub's value in the shared word's unit. What has no word is the device's own, in the unit that its schema names. */
function toShared(hub: HubDevice, name: string, { units }: Quantity): unknown {
  const { unit = "", word } = propertiesOf(hub)[name] ?? {};
  const value = hub.attributes[name];
  return word === undefined && typeof value === "number" ? (units[unit] ?? same)(value) : value;
}

/** Whether it is the device's own, in another unit than the word's: nobody may take it for the word. */
function isOwn(hub: HubDevice, name: string): boolean {
  const { unit, word } = propertiesOf(hub)[name] ?? {};
  const quantities = Object.values(QUANTITIES).filter((one) => one.word === name);
  return word === undefined && unit !== undefined && quantities.every(({ units }) => units[unit] !== same);
}

const isNamed = ({ property = "" }: Entity, word: string): boolean =>
  property === word || property.startsWith(`${word}_`);

/** A share of a hundred that is none, whoever says it. By device. */
export function judgeShares({ attributes }: HubDevice): Finding[] {
  return Object.entries(attributes)
    .filter(([name, value]) => /_pct(_|$)/.test(name) && typeof value === "number" && (value < 0 || value > 100))
    .map(([name, value]) => ({ what: "share", homeAssistant: "0 to 100 %", hub: { [name]: value } }));
}

/** A shared word of the hub that no sensor of Home Assistant's bears out. By device. */
export function judgeAlone(hub: HubDevice, all: readonly Pick<Seen, "entity" | "says">[]): Finding[] {
  const words = new Set(Object.values(QUANTITIES).map(({ word }) => word));
  return [...words].flatMap((word) => {
    const value = hub.attributes[word];
    const sensors = all.filter(({ entity }) => isOf(word)(entity));
    if (typeof value !== "number" || isOwn(hub, word)) return [];
    const values = sensors.map(measured);
    if (values.some((one) => one !== undefined && isAlike(value, one))) return [];
    const says = Object.fromEntries(
      sensors.map(({ entity, says: one }) => [entity.property, `${one.state} ${one.attributes.unit_of_measurement}`]),
    );
    const unit = hub.schema?.properties?.[word]?.unit;
    return [{ what: `${word} of nothing`, homeAssistant: says, hub: { [word]: value, unit } }];
  });
}
