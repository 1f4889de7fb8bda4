// The tool that finds devices: short, so that a whole house fits into a question; get_device has the rest.
import { type Static, Type } from "@sinclair/typebox";
import { type Device, isMinor } from "../../../house/state/device.ts";
import { HubError } from "../../../kit/schema/errors.ts";
import { spelled } from "../../../kit/text/called.ts";
import { isoSeconds } from "../../../kit/time/clock.ts";
import type { SeenHouse } from "../house.ts";
import { PageInput, pageOf } from "../page.ts";
import { defineTool } from "../tool.ts";
import { saidOtherwise, UNITS } from "../words.ts";

/** Type → words for it, in one number; see `isWordFor`. */
const TYPES: Readonly<Record<string, string>> = {
  light: "light lamp bulb licht lichter lampe leuchte",
  switch: "switch plug socket outlet schalter steckdose",
  cover: "cover blind shutter curtain awning shade rollladen rollo jalousie vorhang markise",
  climate: "climate thermostat heating heater radiator heizung heizkörper klima klimaanlage",
  lock: "lock schloss schlösser",
  fan: "fan ventilator lüfter",
  vacuum: "vacuum robot staubsauger saugroboter",
  siren: "siren sirene",
  valve: "valve ventil",
  media: "media speaker tv television player lautsprecher fernseher",
  alarm: "alarm alarmanlage",
  sensor: "sensor fühler",
  binary_sensor: "sensor fühler",
  timer: "timer zeituhr",
  mode: "mode modus modi",
  schedule: "schedule plan zeitplan wochenplan",
  calendar: "calendar kalender",
  group: "group gruppe",
  button: "button remote taster fernbedienung",
};

/** Attribute → words for what senses it. */
const SENSES: Readonly<Record<string, string>> = {
  open: "door window tür fenster",
  motion: "motion movement bewegung bewegungsmelder",
  presence: "presence occupancy anwesenheit präsenz",
  leak: "leak water wasser wassermelder",
  smoke: "smoke rauch rauchmelder",
  temperature: "temperature thermometer temperatur",
  humidity: "humidity feuchte feuchtigkeit luftfeuchtigkeit",
  illuminance: "illuminance brightness helligkeit",
  power: "power leistung",
  energy: "energy meter energie zähler",
  battery: "battery batterie",
};

/** Endings of several of them. */
const ENDINGS = ["", "s", "es", "n", "en", "e"];

const Field = Type.Union(
  ["area", "type", "state", "available", "tags", "last_seen", "manufacturer", "model"].map((one) => Type.Literal(one)),
);
const SHORT = ["area", "type", "state"];

export const listDevices = defineTool({
  name: "list_devices",
  title: "List devices",
  description: `Devices of the house with their present values, such as lamps, sensors and thermostats. Narrow it down by area, type, or words. \`available\` stands where a device cannot be reached. ${UNITS}`,
  input: Type.Object(
    {
      area: Type.Optional(Type.String({ maxLength: 200, description: "Id or name of an area" })),
      type: Type.Optional(
        Type.String({ maxLength: 200, description: "Such as light, switch, sensor, climate, cover" }),
      ),
      query: Type.Optional(
        Type.String({
          maxLength: 200,
          description: "Words in the name, the id, the area or the tags, or for the kind of device, such as lamp",
        }),
      ),
      fields: Type.Optional(
        Type.Array(Field, { maxItems: 8, description: "What to say of each; area, type and state where absent" }),
      ),
      ...PageInput,
    },
    { additionalProperties: false },
  ),
  run({ area, type, query = "", fields = SHORT, ...page }, { house, deps }) {
    const names = new Map(deps.areas.list().map(({ id, name }) => [id, name]));
    const inArea = area === undefined ? undefined : house.area(area);
    const ofType = type === undefined ? undefined : typeIn(house, type);
    const words = query.toLowerCase().split(/\s+/).filter(Boolean);
    const found = house
      .devices()
      .filter((device) => inArea === undefined || device.area === inArea)
      .filter(({ deviceType }) => ofType === undefined || deviceType?.toLowerCase() === ofType)
      .filter((device) => hasWords(device, words, names));
    const { items, next } = pageOf(found, page, (device) => listed(device, fields));
    const areas = [...new Set(items.map(({ area }) => area))].flatMap((id) => {
      const name = typeof id === "string" ? names.get(id) : undefined;
      return name === undefined || name === id ? [] : [[String(id), name] as const];
    });
    return {
      devices: items,
      ...(areas.length > 0 && { area_names: Object.fromEntries(areas) }),
      ...(next !== undefined && { next }),
    };
  },
});

function hasWords(device: Device, words: readonly string[], names: ReadonlyMap<string, string>): boolean {
  if (words.length === 0) return true;
  const { id, name, area = "", tags } = device;
  const text = [name, id, area, names.get(area) ?? "", ...tags].join(" ").toLowerCase();
  const kinds = wordsFor(device);
  return words.every((word) => text.includes(word) || isWordFor(word, kinds));
}

/** The type, in lower case, by that or by a word for it. Throws HubError `not_found`, which names those that there are. */
function typeIn(house: SeenHouse, asked: string): string {
  const there = new Set(house.devices().flatMap(({ deviceType }) => deviceType?.toLowerCase() ?? []));
  if (there.has(asked.toLowerCase())) return asked.toLowerCase();
  const meant = typeCalled(asked);
  if (meant !== undefined) return meant;
  throw new HubError(
    "not_found",
    `there is no device of the type "${asked}": there are ${[...there].sort().join(", ")}`,
  );
}

function listed(device: Device, fields: readonly Static<typeof Field>[]) {
  const { id, name, area, deviceType, available, tags, lastSeen, details } = device;
  const { manufacturer, model } = details;
  const has = (field: string): boolean => fields.includes(field);
  const more = { ...(has("manufacturer") && { manufacturer }), ...(has("model") && { model }) };
  return {
    id,
    name,
    ...(has("area") && area !== undefined && { area }),
    ...(has("type") && deviceType !== undefined && { type: deviceType }),
    ...((has("available") || !available) && { available }),
    ...(has("tags") && { tags }),
    ...(has("last_seen") && lastSeen !== undefined && { last_seen: isoSeconds(lastSeen) }),
    ...more,
    ...(has("state") && { state: mainState(device) }),
  };
}

/** Without settings, diagnostics, and what a word beside it says as well. */
function mainState(device: Device): Record<string, unknown> {
  const said = saidOtherwise(device);
  const main = Object.entries(device.attributes).filter(([name]) => !isMinor(device, name) && !said.has(name));
  return Object.fromEntries(main);
}

// What people call devices of a kind, in English and German, so that "lamp" finds lights. Names and ids are found without this.

/** All words by which a device is found besides its name: those of its type and of what it senses. */
function wordsFor({ deviceType, attributes }: Pick<Device, "deviceType" | "attributes">): readonly string[] {
  const own = deviceType === undefined ? [] : [spelled(deviceType), ...wordsIn(TYPES[deviceType.toLowerCase()])];
  const sensed = Object.keys(attributes).flatMap((name) => [name, ...wordsIn(SENSES[name])]);
  return [...own, ...sensed];
}

/** Whether a word of a question, in lower case, is one of these or several of it: "lamps" of "lamp". */
function isWordFor(asked: string, words: readonly string[]): boolean {
  return words.some((word) => ENDINGS.some((ending) => asked === word + ending));
}

/** The type that is meant by a word for it; undefined where it is none. */
function typeCalled(asked: string): string | undefined {
  const wanted = asked.toLowerCase();
  if (Object.hasOwn(TYPES, wanted)) return wanted;
  return Object.keys(TYPES).find((type) => isWordFor(wanted, wordsIn(TYPES[type])));
}

function wordsIn(text = ""): string[] {
  return text.split(" ").filter(Boolean);
}
