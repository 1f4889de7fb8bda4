// A device as its parts see it: by the words that all devices share, whatever its own attributes are called. A device that has things
// several times is seen once for each of them, and once for what belongs to the whole.
import { type JsonObject, WORDS } from "../../sdk/index.ts";
import type { HubDevice } from "../hub.ts";
import { propertiesOf } from "./part.ts";

export interface View {
  /** Which of several; undefined for the whole. */
  part: string | undefined;
  /** With words for names. */
  device: HubDevice;
  /** Attributes of the device, as this view names them. */
  read(attributes: JsonObject): JsonObject;
  /** A command of this view, as the device takes it. */
  write(command: JsonObject): JsonObject;
}

interface Named {
  word: string;
  part: string | undefined;
  name: string;
  described: JsonObject | undefined;
}

/** A value of a word's name in another unit is something else. */
const UNITS = new Map(
  Object.values(WORDS).flatMap((words) =>
    Object.entries(words).map(([word, schema]): [string, unknown] => [word, (schema as { unit?: unknown }).unit]),
  ),
);

export function viewsOf(device: HubDevice): View[] {
  const views = new Map<string | undefined, Map<string, Named>>([[undefined, new Map()]]);
  for (const named of namedIn(device)) {
    const names = views.get(named.part) ?? new Map<string, Named>();
    views.set(named.part, names);
    // An attribute that is called by the word goes before others that are the same.
    if (!names.has(named.word) || named.name === named.word) names.set(named.word, named);
  }
  return [...views].map(([part, names]) => viewOf(device, part, names));
}

function namedIn(device: HubDevice): Named[] {
  const properties = propertiesOf(device);
  return [...new Set([...Object.keys(properties), ...Object.keys(device.attributes)])].flatMap((name): Named[] => {
    const described = properties[name];
    if (described?.word !== undefined) {
      const { word, part } = described;
      return [
        { word: String(word), part: typeof part === "string" && part !== "" ? part : undefined, name, described },
      ];
    }
    const unit = described?.unit;
    const isOther = typeof unit === "string" && UNITS.get(name) !== undefined && unit !== UNITS.get(name);
    return isOther ? [] : [{ word: name, part: undefined, name, described }];
  });
}

function viewOf(device: HubDevice, part: string | undefined, names: ReadonlyMap<string, Named>): View {
  const read = (attributes: JsonObject): JsonObject =>
    Object.fromEntries(
      [...names].flatMap(([word, { name }]) => {
        const value = attributes[name];
        return value === undefined ? [] : [[word, value]];
      }),
    );
  const properties = Object.fromEntries(
    [...names].flatMap(([word, { described }]) => (described ? [[word, described]] : [])),
  );
  const type = part === undefined ? device.device_type : typeOfPart(device, part, names);
  return {
    part,
    device: {
      ...device,
      device_type: type,
      attributes: read(device.attributes),
      capabilities: null,
      schema: { properties },
    },
    read,
    write: (command) =>
      Object.fromEntries(Object.entries(command).map(([word, value]) => [names.get(word)?.name ?? word, value])),
  };
}

const OF_LIGHTS = ["brightness_pct", "color_temp_k", "color_rgb"];

/** The light of a fan is a light, and what has no speed beside it is a switch. */
function typeOfPart({ device_type: type }: HubDevice, part: string, names: ReadonlyMap<string, Named>): string | null {
  if (OF_LIGHTS.some((word) => names.has(word))) return "light";
  if (type !== "fan" || names.has("speed_pct")) return type;
  return part.includes("light") ? "light" : "switch";
}
