// What people call devices of a kind, in English and German, so that "lamp" finds lights. Names and ids are found without this.
import type { Device } from "../../house/state/device.ts";
import { spelled } from "../../kit/text/called.ts";

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

/** All words by which a device is found besides its name: those of its type and of what it senses. */
export function wordsFor({ deviceType, attributes }: Pick<Device, "deviceType" | "attributes">): readonly string[] {
  const own = deviceType === undefined ? [] : [spelled(deviceType), ...wordsIn(TYPES[deviceType.toLowerCase()])];
  const sensed = Object.keys(attributes).flatMap((name) => [name, ...wordsIn(SENSES[name])]);
  return [...own, ...sensed];
}

/** Whether a word of a question, in lower case, is one of these or several of it: "lamps" of "lamp". */
export function isWordFor(asked: string, words: readonly string[]): boolean {
  return words.some((word) => ENDINGS.some((ending) => asked === word + ending));
}

/** The type that is meant by a word for it; undefined where it is none. */
export function typeCalled(asked: string): string | undefined {
  const wanted = asked.toLowerCase();
  if (Object.hasOwn(TYPES, wanted)) return wanted;
  return Object.keys(TYPES).find((type) => isWordFor(wanted, wordsIn(TYPES[type])));
}

function wordsIn(text = ""): string[] {
  return text.split(" ").filter(Boolean);
}
