// Names of what no key says: an entity that picks `value`, or that is the whole payload of its topic, is called by its device class
// where the device has one of it and that says what it is, else by its own id without what the device is called; the first thing to
// switch is `on`. What Home Assistant calls otherwise than others do is called as others do.
import { readableName } from "../../../readable-name.ts";
import { SINGLE } from "../components/index.ts";
import type { DescribedAttribute } from "../entity.ts";
import type { Entity } from "../payload.ts";
import { inOwnWord } from "./names.ts";
import { renamed } from "./naming.ts";
import { type FoundAttribute, sourceOf } from "./shared-names.ts";

/** Keys that every entity could have. */
const SAYS_NOTHING =
  /^(?:val(?:ue)?|output|out|data|payload|result|raw|reading|content|msg|message|percent(?:age)?|used|free|available|total|utc|\w|\d+)$/i;
/** `e3b0c44298fc`, `00158d0001a2b3c4`: numbers of things. */
const IS_NUMBER_OF_THING = /^(?=.*\d)[0-9a-f]{6,}$|^0x[0-9a-f]+$/i;
const IS_NAME = /^[a-z][a-z0-9_]{1,40}$/;
const SAYS = /\p{L}{3}/u;
const SAYS_AS_KEY = /\p{L}{2}/u;
/** Words with which programs begin every id. */
const ANY: ReadonlySet<string> = new Set(["entity"]);

/** Classes that say in what something is counted, or how it is shown, rather than what it is. */
const VAGUE: ReadonlySet<string> = new Set([
  ...["connectivity", "current", "data_rate", "data_size", "date", "distance", "duration", "enum", "frequency"],
  ...["monetary", "plug", "power_factor", "problem", "running", "speed", "timestamp", "update", "voltage", "volume"],
]);
/** One word for one thing, whatever brings it. */
const WORD_OF_CLASS: Readonly<Record<string, string>> = {
  ...{ atmospheric_pressure: "pressure", carbon_dioxide: "co2", signal_strength: "rssi" },
};
/** As every other source calls them. */
const OF_UPDATES: Readonly<Record<string, string>> = {
  ...{ in_progress: "update_in_progress", update_percentage: "update_progress" },
};

/** `device`: what it is called, and known by. */
export function readable(given: readonly FoundAttribute[], device: readonly string[]): FoundAttribute[] {
  const own = device.map(wordsIn);
  const found = given.map((one) => asOthersDo(one, own));
  const unsaid = new Set(found.filter((one) => one.isUnsaid && !isWord(one, "on")));
  if (unsaid.size === 0) return found;
  const said = new Set(found.filter((one) => !unsaid.has(one)).map(({ attribute }) => attribute.name));
  const classes = Map.groupBy(unsaid, ({ attribute }) => attribute.class);
  const isOnly = ({ attribute }: FoundAttribute): boolean =>
    new Set(classes.get(attribute.class)?.map((one) => sourceOf(one) ?? one.entity)).size === 1;
  let isOn = found.some((one) => !unsaid.has(one) && isWord(one, "on"));
  return found.map((one) => {
    if (!unsaid.has(one)) return one;
    const label = labelOf(one, own);
    if (one.component === "switch" && one.attribute.category === undefined) {
      const switched = { ...one, ...inOwnWord(renamed(one, isOn ? `on_${label ?? otherwise(one)}` : "on")) };
      isOn = true;
      return switched;
    }
    const kind = isOnly(one) ? wordOfClass(one, label) : undefined;
    return renamed(one, kind !== undefined && !said.has(kind) ? kind : (label ?? otherwise(one)));
  });
}

/** No key or topic of it says what it is. */
export function isUnsaid({ attribute, readings }: DescribedAttribute, { component, config }: Entity): boolean {
  if (!SINGLE.has(component)) return false;
  const picked = readings[0]?.path?.at(-1);
  if (picked !== undefined) return SAYS_NOTHING.test(picked);
  return typeof config.command_topic !== "string" || !config.command_topic.endsWith(`/set/${attribute.name}`);
}

const isWord = ({ attribute, also = [] }: FoundAttribute, word: string): boolean =>
  attribute.word === word || also.some((one) => one.word === word);

function asOthersDo(one: FoundAttribute, device: readonly string[][]): FoundAttribute {
  const { component, attribute } = one;
  const isPlace = component === "device_tracker" && attribute.type === "string";
  const name = isPlace ? placeOf(one, device) : component === "update" ? OF_UPDATES[attribute.name] : undefined;
  return name === undefined ? one : renamed(one, name);
}

function placeOf({ id, component }: FoundAttribute, device: readonly string[][]): string {
  const label = labelIn(id, component, device);
  return label === undefined || device.some((words) => words.join("_") === label) ? "location" : label;
}

/** Undefined where it has none, or where the `label` says more. */
function wordOfClass({ component, attribute }: FoundAttribute, label: string | undefined): string | undefined {
  const { class: kind } = attribute;
  if (kind === undefined || !IS_NAME.test(kind)) return undefined;
  // `volt` of a voltage.
  if (VAGUE.has(kind) && label !== undefined && !kind.startsWith(label)) return undefined;
  return kind === "battery" && component === "binary_sensor" ? "battery_low" : (WORD_OF_CLASS[kind] ?? kind);
}

/** Its id, else what it picks, else its name, without the words that are the device's. */
function labelOf(
  { id, component, attribute, readings }: FoundAttribute,
  device: readonly string[][],
): string | undefined {
  const { picked = "" } = readings[0] ?? {};
  return (
    labelIn(id, component, device) ??
    (SAYS_AS_KEY.test(picked) && !SAYS_NOTHING.test(picked) ? readableName(picked) : undefined) ??
    labelIn(attribute.description ?? "", component, device)
  );
}

function labelIn(text: string, component: string, device: readonly string[][]): string | undefined {
  const words = withoutDevice(wordsIn(text), [[component], ...device, [component]]).filter((word) => !ANY.has(word));
  const name = readableName(saidOnce(words).join("_"));
  return SAYS.test(name) && !SAYS_NOTHING.test(name) ? name : undefined;
}

/** What it is where nothing says it. */
function otherwise({ component, attribute }: FoundAttribute): string {
  const { name } = attribute;
  return name.length > 1 && SAYS_NOTHING.test(name) ? component : name;
}

const wordsIn = (text: string): string[] =>
  text
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== "" && !IS_NUMBER_OF_THING.test(word));

function withoutDevice(words: readonly string[], names: readonly string[][]): string[] {
  let rest = [...words];
  for (const name of names)
    if (name.length > 0 && rest.length > name.length && name.every((word, at) => rest[at] === word))
      rest = rest.slice(name.length);
  return rest;
}

/** `hostname_hostname`, `operatingsystem_operating_system`: the second half says it. */
function saidOnce(words: readonly string[]): readonly string[] {
  const half = words.findIndex((_, at) => at > 0 && words.slice(0, at).join("") === words.slice(at).join(""));
  return half < 0 ? words : words.slice(half);
}
