// The shared words of what a device senses, beside what it calls its values itself: of every device, whatever brought it. A word
// wins its name: a pressure in kPa is `pressure_kpa`, and `pressure` beside it is in hPa.
import { isObject, type Json, type JsonObject } from "../../../kit/schema/json.ts";
import type { DeviceDetails } from "../device.ts";
import { isSensorWord, type Property, propertiesIn, type Sense, senseOf, UNDESCRIBED } from "./senses.ts";
import { DEVICE_KINDS } from "./vocabulary.ts";

/** What becomes of one value that a device reports. */
interface Rule {
  /** As the device calls it. */
  from: string;
  /** As the hub does. */
  own: string;
  /** The derived attribute; undefined where only the name is another's. */
  word: string | undefined;
  convert: NonNullable<Sense["convert"]>;
}

/** Word → what it is of, as its device calls that: given once, for what the device describes now and for what it did before. */
type Given = Readonly<Record<string, string>>;

export interface SensorWords {
  /** What the device describes, with what is derived. */
  details: DeviceDetails;
  /** A report with its words: the same object where it has none. */
  translate(report: JsonObject): JsonObject;
  /** All words of what is known of the device, by name. */
  rules: readonly Rule[];
}

type Described = "schema" | "capabilities";
type Properties = Record<string, Property>;

const MAX_WORDS = 300;
const MAX_GIVEN = 1000;
const UNIT_OF_WORD = new Map(
  DEVICE_KINDS.find(({ kind }) => kind === "sensor")?.words.map(({ name, unit }) => [name, unit]),
);

/**
 * `details` may be of a device as it describes itself, or as it was kept with its words. `before`: as it was kept until now, whose words
 * mean the same from now on.
 */
export function sensorWordsOf(details: DeviceDetails, before: DeviceDetails = details): SensorWords {
  const key = keyOf(details);
  const described = propertiesIn(details[key]);
  if (!described) return { details, translate: (report) => undescribed(report, UNDESCRIBED), rules: [] };
  const { rules, marked, given } = wordsOf(withoutWords(described), givenIn(before[keyOf(before)]));
  const extended = { ...details[key], properties: marked, ...(Object.keys(given).length > 0 && { words: given }) };
  const isSame = JSON.stringify(extended) === JSON.stringify(details[key]);
  // Each report passes here: what can be known before is not looked for in it.
  const passwords = Object.keys(marked).filter((name) => marked[name]?.format === "password");
  const others = othersThan(marked);
  return {
    details: { ...details, [key]: isSame ? details[key] : extended } as DeviceDetails,
    translate: (report) => undescribed(translated(withoutPasswords(report, passwords), rules), others),
    rules,
  };
}

/** What a device reports of its passwords is kept nowhere. */
function withoutPasswords(report: JsonObject, passwords: readonly string[]): JsonObject {
  if (passwords.length === 0) return report;
  const isShown = ([name]: [string, unknown]): boolean => !passwords.includes(name);
  return Object.fromEntries(Object.entries(report).filter(isShown));
}

const keyOf = ({ schema }: DeviceDetails): Described => (propertiesIn(schema) ? "schema" : "capabilities");

function givenIn(described: JsonObject | undefined): Given {
  const kept = isObject(described?.words) ? described.words : {};
  const given = Object.entries(kept).filter((one): one is [string, string] => typeof one[1] === "string");
  // As an earlier version of the hub kept it.
  const properties = propertiesIn(described) ?? {};
  const made = Object.entries(properties).flatMap(([name, { sensed, of, word }]): [string, string][] => {
    if (sensed !== true) return typeof word === "string" && isSensorWord(word) ? [[name, name]] : [];
    const { reported_as: reportedAs } = properties[String(of)] ?? {};
    return [[name, String(reportedAs ?? of)]];
  });
  return Object.fromEntries([...given, ...made.filter(([name]) => !Object.hasOwn(kept, name))]);
}

/** As the device describes itself. */
function withoutWords(properties: Readonly<Properties>): Properties {
  const found: Properties = {};
  for (const [name, property] of Object.entries(properties)) {
    const { sensed, reported_as: reportedAs, ...own } = property;
    if (sensed === true) continue;
    if (own.derived !== true && typeof own.word === "string" && isSensorWord(own.word)) delete own.word;
    found[typeof reportedAs === "string" ? reportedAs : name] = own;
  }
  return found;
}

function wordsOf(properties: Readonly<Properties>, before: Given): { rules: Rule[]; marked: Properties; given: Given } {
  const rules: Rule[] = [];
  const own = new Map<string, [string, Property]>();
  const made: [string, Property][] = [];
  const senses = namedSenses(properties, before).slice(0, MAX_WORDS);
  const given = givenWith(before, senses);
  for (const [name, property] of Object.entries(properties)) {
    const kept = moved(name, senses, given) ? ownName(property, name, properties) : name;
    if (kept !== name) own.set(name, [kept, { ...property, reported_as: name }]);
    if (kept !== name && !senses.some((one) => one.name === name))
      rules.push({ from: name, own: kept, word: undefined, convert: (value) => value });
  }
  for (const { name, word, part, target, convert } of senses) {
    const property = properties[name] ?? {};
    const shared = { word, ...(part !== undefined && { part }) };
    const [kept] = own.get(name) ?? [name];
    if (target === kept) {
      own.set(name, [name, { ...property, ...shared }]);
      continue;
    }
    made.push([
      target,
      { ...derived(property, word), ...shared, readOnly: true, derived: true, sensed: true, of: kept },
    ]);
    rules.push({ from: name, own: kept, word: target, convert: convert ?? ((value) => value) });
  }
  const kept = Object.entries(properties).map(([name, property]) => own.get(name) ?? [name, property]);
  return { rules, marked: Object.fromEntries([...kept, ...made]), given };
}

/** Its name is that of a word: of what it is converted into, or of another attribute's. */
function moved(name: string, senses: readonly Named[], given: Given): boolean {
  const isConverted = senses.some((one) => one.target === name && one.name === name && one.convert !== undefined);
  return isConverted || (Object.hasOwn(given, name) && given[name] !== name);
}

function givenWith(before: Given, senses: readonly Named[]): Given {
  const given = { ...before };
  for (const { name, target } of senses) given[target] ??= name;
  // A device may describe what it likes, again and again.
  return Object.keys(given).length <= MAX_GIVEN ? given : before;
}

type Named = Sense & { target: string };

/** Which attribute each sense is; those for which there is no name are left out. */
function namedSenses(properties: Readonly<Properties>, before: Given): Named[] {
  // What its source has made a word of has it.
  const used = new Set(Object.values(properties).map(({ of }) => of));
  const senses = Object.entries(properties).flatMap(([name, property]) => {
    if (property.word !== undefined || property.derived === true || used.has(name)) return [];
    const sense = senseOf(name, property);
    return sense ? [sense] : [];
  });
  const groups = Map.groupBy(senses, ({ word }) => word);
  const taken = new Set(Object.keys(properties));
  // A thermostat has the temperature of its room; any other is that of something else.
  if (taken.has("current_temperature")) groups.set("temperature", (groups.get("temperature") ?? []).filter(isNamedSo));
  const isKept = ({ name, word }: Sense): boolean => keptTarget(name, word, before) !== undefined;
  const kept = senses.filter(isKept);
  return [
    ...kept.map((one) => ({ ...one, target: keptTarget(one.name, one.word, before) ?? one.word })),
    ...[...groups.values()].flatMap((group) =>
      inGroup(group.filter((one) => !isKept(one))).flatMap((one) => freed(one, before)),
    ),
  ].flatMap((one): Named[] => {
    const isOthers = taken.has(one.target) && (before[one.target] ?? one.target) !== one.name;
    if (one.target !== one.name && isOthers) return [];
    taken.add(one.target);
    return [one];
  });
}

const keptTarget = (name: string, word: string, before: Given): string | undefined =>
  Object.keys(before).find((target) => before[target] === name && wordIn(target) === word);

/** Where the word was given to another of its values, it is named as one of several. */
function freed(one: Named, before: Given): Named[] {
  const isFree = (target: string): boolean => (before[target] ?? one.name) === one.name;
  if (isFree(one.target)) return [one];
  const target = `${one.word}_${one.part ?? restOf(one)}`;
  return isMeasured(one) || !isFree(target) ? [] : [{ ...one, target }];
}

/** `open_front` is the word `open`. */
const wordIn = (target: string): string => {
  const words = target.split("_");
  const lengths = words.map((_, at) => words.length - at);
  return lengths.map((length) => words.slice(0, length).join("_")).find(isSensorWord) ?? target;
};

/** What comes once is the whole, or is called so in short; what comes several times is each named by its part, and the whole gets none of them. */
function inGroup(group: readonly Sense[]): Named[] {
  const wholes = group.filter(({ part }) => part === undefined);
  const exact = wholes.find(({ name, word }) => name === word);
  const short = wholes.filter(({ name, word }) => name.length > 2 && word.startsWith(name));
  const [only, ...others] = short.length > 0 ? short : wholes;
  const whole = exact ?? (others.length === 0 ? only : undefined);
  return group.flatMap((one): Named[] => {
    if (one === whole) return [{ ...one, target: one.word }];
    const part = one.part ?? restOf(one);
    // Beside the temperature of a device, its others keep their names.
    if (one.part === undefined && (whole !== undefined || part === "") && isMeasured(one)) return [];
    return [{ ...one, part, target: one.name.startsWith(`${one.word}_`) ? one.name : `${one.word}_${part}` }];
  });
}

const isNamedSo = ({ name, word }: Sense): boolean => name === word || name.startsWith(`${word}_`);
const isMeasured = ({ word }: Sense): boolean => UNIT_OF_WORD.get(word) !== undefined;

/** `outdoor_temperature` → `outdoor`. */
function restOf({ name, word }: Sense): string {
  const rest = name.split("_").filter((one) => !word.split("_").includes(one));
  return rest.length > 0 ? rest.join("_") : name;
}

/** `pressure_kpa` of a pressure in kPa. */
function ownName({ unit }: Property, name: string, taken: Readonly<Properties>): string {
  const slug = String(unit ?? "")
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "");
  const wanted = `${name}_${slug || "own"}`;
  return Object.hasOwn(taken, wanted) ? `${wanted}_own` : wanted;
}

function derived({ type, category, hidden, class: kind }: Property, word: string): Property {
  const unit = UNIT_OF_WORD.get(word);
  return {
    type: type ?? "boolean",
    ...(unit !== undefined && { unit }),
    ...(category !== undefined && { category }),
    ...(hidden !== undefined && { hidden }),
    ...(kind !== undefined && { class: kind }),
  };
}

function translated(report: JsonObject, rules: readonly Rule[]): JsonObject {
  let read: JsonObject | undefined;
  for (const { from, own, word, convert } of rules) {
    if (!Object.hasOwn(report, from)) continue;
    read ??= { ...report };
    const value = report[from] as Json;
    if (own !== from) {
      delete read[from];
      read[own] = value;
    }
    const converted = value === null ? null : convert(value);
    if (word !== undefined && converted !== undefined) read[word] = converted;
  }
  return read ?? report;
}

/** Of the values that no schema speaks of, those that this one does not speak of. Nearly all devices share the whole list. */
function othersThan(described: Readonly<Properties>): typeof UNDESCRIBED {
  const all = [...UNDESCRIBED];
  const others = all.filter(([name, { word }]) => !Object.hasOwn(described, name) && !Object.hasOwn(described, word));
  return others.length === all.length ? UNDESCRIBED : new Map(others);
}

/** Values that no schema speaks of: those of `words` that the device does not describe. */
function undescribed(report: JsonObject, words: typeof UNDESCRIBED): JsonObject {
  let read: JsonObject | undefined;
  for (const [name, { word, convert }] of words) {
    const value = Object.hasOwn(report, name) ? report[name] : undefined;
    if (value === undefined) continue;
    if (Object.hasOwn(report, word) || (typeof value !== "boolean" && value !== null)) continue;
    read ??= { ...report };
    read[word] = value === null ? null : (convert?.(value) ?? value);
  }
  return read ?? report;
}
