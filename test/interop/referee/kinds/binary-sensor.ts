// Binary sensors: what "on" means is Home Assistant's list of device classes (homeassistant/components/binary_sensor/strings.json).
import { type Entity, type HubDevice, namesOfWord, type Seen } from "../entities.ts";
import { type Finding, isUnknown, namesIn } from "./finding.ts";
import { judgeOwn } from "./own.ts";

interface Sense {
  /** Any of these. */
  words: readonly string[];
  /** What the word says where Home Assistant says "on". */
  on: boolean;
}

const OPEN: Sense = { words: ["open"], on: true };
const SENSES: Readonly<Record<string, Sense>> = {
  door: OPEN,
  window: OPEN,
  opening: OPEN,
  garage_door: OPEN,
  motion: { words: ["motion"], on: true },
  occupancy: { words: ["motion", "presence"], on: true },
  presence: { words: ["presence"], on: true },
  moisture: { words: ["leak"], on: true },
  smoke: { words: ["smoke"], on: true },
  gas: { words: ["gas"], on: true },
  carbon_monoxide: { words: ["carbon_monoxide"], on: true },
  vibration: { words: ["vibration"], on: true },
  tamper: { words: ["tamper"], on: true },
  battery: { words: ["battery_low"], on: true },
  lock: { words: ["locked"], on: false },
};

const classOf = ({ config }: Entity): string => String(config.device_class ?? "");
const senseOf = (entity: Entity): Sense | undefined => SENSES[classOf(entity)];

export function judgeBinarySensor(seen: Seen): Finding[] {
  return [...judgeMeaning(seen), ...judgeOwn(seen)];
}

function judgeMeaning({ entity, says, hub }: Seen): Finding[] {
  const sense = senseOf(entity);
  if (sense === undefined || isUnknown(says.state)) return [];
  const isAlone =
    entity.device.filter((one) => one.component === "binary_sensor" && senseOf(one)?.words[0] === sense.words[0])
      .length === 1;
  const from = { entity, property: entity.property, isAlone };
  const names = sense.words.flatMap((word) => namesOfWord(hub, word, from));
  const said = `${says.state} (${classOf(entity)})`;
  if (names.length === 0)
    return [{ what: `no ${sense.words.join(" or ")}`, homeAssistant: said, hub: namesIn(hub.attributes) }];
  const right = (says.state === "on") === sense.on;
  return names
    .filter((name) => isOf(name, entity, hub) && hub.attributes[name] !== right)
    .map((name) => ({
      what: name.split("_")[0] === "open" ? "open" : name,
      homeAssistant: said,
      hub: { [name]: hub.attributes[name] ?? null },
    }));
}

// An own `contact` is as it is reported; only what is a shared word has a meaning to judge.
function isOf(name: string, { device, property }: Entity, hub: Seen["hub"]): boolean {
  const another = device.find(
    (one) => one.property === name && one.component === "binary_sensor" && one.property !== property,
  );
  return another === undefined && name in hub.attributes;
}

const WORDS = new Set(Object.values(SENSES).flatMap(({ words }) => words));
WORDS.delete("locked");

/** A shared word of the hub to which no binary sensor of Home Assistant's has the class. By device. */
export function judgeAloneOn(hub: HubDevice, all: readonly Pick<Seen, "entity">[]): Finding[] {
  const borneOut = new Set(
    all.flatMap(({ entity }) => (entity.component === "binary_sensor" ? (senseOf(entity)?.words ?? []) : [])),
  );
  return Object.entries(hub.attributes).flatMap(([name, value]) => {
    const word = hub.schema?.properties?.[name]?.word ?? name;
    if (typeof value !== "boolean" || !WORDS.has(word) || borneOut.has(word)) return [];
    const { of = name } = hub.schema?.properties?.[name] ?? {};
    const said = all.find(({ entity }) => entity.property === of)?.entity;
    const homeAssistant = said
      ? `${said.component} ${of}, class ${said.config.device_class ?? "none"}`
      : `nothing of ${of}`;
    return [{ what: `${word} of nothing`, homeAssistant, hub: { [name]: value } }];
  });
}
