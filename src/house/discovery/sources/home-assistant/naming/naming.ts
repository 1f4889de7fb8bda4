// Attributes of all entities of a device, put together: what two entities say of the same value is one attribute, a word that all
// devices share has its name, and what is called the same but is something else gets a name of its own.
import type { Attribute } from "../../../described.ts";
import type { DescribedAttribute, SharedWord } from "../entity.ts";
import { type FoundAttribute, type SharedNames, sharedNames, sourceOf } from "./shared-names.ts";
import { partsOf, partsOfNames } from "./siblings.ts";

/** A shared word with the name that it has in this device. */
export interface NamedWord extends SharedWord {
  name: string;
  part: string | undefined;
  /** The device's own attribute. */
  of: string;
  /** See `Attribute`. */
  ids: readonly string[];
  places: readonly string[];
}

export interface Named {
  attributes: Map<string, FoundAttribute>;
  words: Map<string, NamedWord>;
}

const MAX_NAME_LENGTH = 100;
const MAX_ID_LENGTH = 200;
// Names that mean something else to JavaScript.
const RESERVED: ReadonlySet<string> = new Set(["__proto__", "constructor", "prototype"]);

/** `richest`: components, from what a device rather is. `renames`: of shared words that mean something else to this device. */
export function named(
  found: readonly FoundAttribute[],
  { richest, renames = {} }: { richest: readonly string[]; renames?: Readonly<Record<string, string>> },
): Named {
  const shared = sharedNames(found, richest);
  const wordName = (word: string, part: string | undefined): string =>
    (renames[word] ?? word) + (part === undefined ? "" : `_${part}`);
  const own = inParts(
    found.filter(({ attribute }) => !attribute.derived).map((one) => asWord(usable(one), shared, wordName)),
  );
  const derived = found.filter(({ attribute }) => attribute.derived).map((one) => asWord(one, shared, wordName));
  const made = found.flatMap((one) => (one.also ?? []).map(({ word }) => wordName(word, shared.partOf(one, word))));
  const attributes = new Map<string, FoundAttribute>();
  const places = placeOwn(own, {
    attributes,
    shared: new Set([...made, ...derived.map(({ attribute }) => attribute.name)]),
  });
  const words = new Map<string, NamedWord>();
  /** By what components call them. */
  const finalNames = new Map<string, string>();
  for (const [at, one] of found.filter(({ attribute }) => !attribute.derived).entries()) {
    const of = places[at] ?? one.attribute.name;
    finalNames.set(keyOf(one.entity, one.attribute.name), of);
    for (const word of one.also ?? []) {
      const part = shared.partOf(one, word.word);
      const name = wordName(word.word, part);
      const ids = idsOf(one, `#${word.word}`);
      if (!words.has(name) && !attributes.has(name)) words.set(name, { ...word, name, part, of, ...ids });
    }
  }
  for (const one of derived) {
    const { name, of } = one.attribute;
    if (attributes.has(name) || words.has(name)) continue;
    const final = of === undefined ? undefined : finalNames.get(keyOf(one.entity, of));
    const ids = idsOf(one, `#${one.attribute.word ?? name}`);
    attributes.set(name, {
      ...one,
      attribute: { ...one.attribute, ...ids, ...(final !== undefined && { of: final }) },
    });
  }
  return { attributes: withParts(attributes), words };
}

const keyOf = (entity: string, name: string): string => `${entity}\n${name}`;

/** What `value` of an entity is known by for ever. An id that it shares with another one identifies nothing. */
export function idsOf(
  { entity, place, isShared }: Pick<FoundAttribute, "entity" | "place" | "isShared">,
  value: string,
): { ids: string[]; places: string[] } {
  return {
    ids: isShared ? [] : [idOf(entity, value)],
    places: place === undefined ? [] : [idOf(place, value)],
  };
}

/** The keys of entities may be as long as the announcement. */
function idOf(entity: string, value: string): string {
  const id = keyOf(entity, value);
  return id.length <= MAX_ID_LENGTH ? id : new Bun.CryptoHasher("sha256").update(id).digest("base64url");
}

function usable(one: FoundAttribute): FoundAttribute {
  const { name } = one.attribute;
  const clean = name.replace(/\p{Cc}+/gu, "_").slice(0, MAX_NAME_LENGTH) || one.component;
  const safe = RESERVED.has(clean) ? `${one.component}_${clean}` : clean;
  return safe === name ? one : renamed(one, safe);
}

/** What is a shared word itself has that word's name. */
function asWord(
  one: FoundAttribute,
  shared: SharedNames,
  wordName: (word: string, part: string | undefined) => string,
): FoundAttribute {
  const { word } = one.attribute;
  if (word === undefined) return one;
  const part = shared.partOf(one, word);
  const placed = renamed(one, wordName(word, part));
  return part === undefined ? placed : { ...placed, attribute: { ...placed.attribute, part } };
}

/** What several entities of a kind call the same is each named by its part. */
function inParts(own: readonly FoundAttribute[]): FoundAttribute[] {
  const parts = new Map<FoundAttribute, string>();
  for (const group of Map.groupBy(own, ({ attribute, component }) => keyOf(component, attribute.name)).values()) {
    const kinds = group.filter((one, at) => !group.slice(0, at).some((known) => isSame(known, one)));
    if (new Set(kinds.map(({ entity }) => entity)).size < 2) continue;
    const siblings = kinds.map(({ entity, id }) => ({ key: entity, id, names: new Map<string, string>() }));
    const found = partsOf(siblings);
    for (const one of kinds) parts.set(one, found.get(one.entity) ?? "");
  }
  return own.map((one) => {
    const part = parts.get(one);
    const { name } = one.attribute;
    return part ? renamed({ ...one, attribute: { ...one.attribute, part } }, `${name}_${part}`) : one;
  });
}

interface Placing {
  attributes: Map<string, FoundAttribute>;
  /** Names of what is made of them, in words that all devices share. */
  shared: ReadonlySet<string>;
}

/** The final names, each at the place of its own. Words have theirs first, and what is read rather than what is only commanded. */
function placeOwn(own: readonly FoundAttribute[], { attributes, shared }: Placing): string[] {
  const taken = new Set(own.map(({ attribute }) => attribute.name));
  const wishes = Map.groupBy(own, ({ prefers }) => prefers);
  const rankOf = (one: FoundAttribute): number =>
    one.attribute.word !== undefined ? 0 : one.readings.length > 0 ? 1 : 2;
  const places: string[] = [];
  for (const [at, one] of [...own.entries()].sort(([, a], [, b]) => rankOf(a) - rankOf(b))) {
    const { prefers, attribute } = one;
    // Of several batteries none is the battery.
    const isOnly =
      prefers !== undefined && !taken.has(prefers) && new Set(wishes.get(prefers)?.map(sourceOf)).size === 1;
    const name = freeName(isOnly ? prefers : attribute.name, one, { attributes, shared });
    const known = attributes.get(name);
    const placed = name === attribute.name ? one : renamed(one, name);
    attributes.set(name, known ? merged(known, placed) : placed);
    places[at] = name;
  }
  return places;
}

/** Where the same is, or nothing yet. */
function freeName(wanted: string, one: FoundAttribute, { attributes, shared }: Placing): string {
  const isFree = (name: string): boolean => {
    const known = attributes.get(name);
    return known ? isSame(known, one) : one.attribute.word !== undefined || !shared.has(name);
  };
  if (isFree(wanted)) return wanted;
  const isWord = shared.has(wanted) || attributes.get(wanted)?.attribute.word !== undefined;
  const stem = isWord && one.attribute.word === undefined ? `${wanted}_own` : `${wanted}_${one.component}`;
  for (let number = 1; ; number++) {
    const name = number === 1 ? stem : `${stem}_${number}`;
    if (isFree(name)) return name;
  }
}

function isSame(a: FoundAttribute, b: FoundAttribute): boolean {
  const [first, second] = [sourceOf(a), sourceOf(b)];
  if (first !== undefined && second !== undefined) return first === second;
  // One reads what the other commands.
  return (first ?? second) !== undefined && a.attribute.type === b.attribute.type;
}

/** What can be commanded, and what is a boolean, says more. */
function merged(a: FoundAttribute, b: FoundAttribute): FoundAttribute {
  const richer = rank(b) > rank(a) ? b : a;
  const other = richer === a ? b : a;
  const readings = richer.readings.length > 0 ? richer.readings : other.readings;
  // A light is turned on with its effect: where there is a choice of effects beside it, that one leaves a lamp as it is.
  const both = isChoiceBesideLight(other, richer) ? ([other, richer] as const) : ([richer, other] as const);
  const { commanded, key } =
    richer.commanded && other.commanded ? inOptions(...both) : richer.commanded ? richer : other;
  const { options, reported } = optionsOf(richer, other);
  const expires = richer.expires ?? other.expires;
  return {
    ...richer,
    attribute: {
      ...other.attribute,
      ...richer.attribute,
      ids: [...(a.attribute.ids ?? []), ...(b.attribute.ids ?? [])],
      places: [...(a.attribute.places ?? []), ...(b.attribute.places ?? [])],
      ...(options && { options }),
      ...(reported && reported.length > 0 && { reported }),
      readable: readings.length > 0,
      writable: commanded !== undefined,
    },
    ...{ readings, commanded, key, expires },
    ...(readings.length > 0 && { assumed: undefined }),
  };
}

const isChoiceBesideLight = (one: FoundAttribute, light: FoundAttribute): boolean =>
  one.component === "select" && light.component === "light";

/** What one of them only reports is none of what can be commanded. */
function optionsOf(one: FoundAttribute, other: FoundAttribute): Pick<Attribute, "options" | "reported"> {
  const both = [one, other];
  if (both.some(({ attribute }) => !attribute.options)) return {};
  const taking = both.filter(({ commanded }) => commanded);
  const listed = (all: readonly FoundAttribute[]) => [
    ...new Set(all.flatMap(({ attribute }) => attribute.options ?? [])),
  ];
  const options = listed(taking.length > 0 ? taking : both);
  const said = both.flatMap(({ attribute }) => [...(attribute.options ?? []), ...(attribute.reported ?? [])]);
  return { options, reported: [...new Set(said)].filter((value) => !options.includes(value)) };
}

/** Two entities that command the same take each what it lists: a cover OPEN, a choice beside it `open`. */
function inOptions(one: FoundAttribute, other: FoundAttribute): Pick<FoundAttribute, "commanded" | "key"> {
  const { options = [], name } = one.attribute;
  const [key, otherKey] = [one.key ?? name, other.key ?? other.attribute.name];
  const theirs = new Set(other.attribute.options?.filter((option) => !options.includes(option)));
  if (theirs.size === 0) return one;
  return {
    key,
    commanded: {
      write(wanted) {
        const value = wanted[key] ?? null;
        const isTheirs = typeof value === "string" && theirs.has(value);
        return (isTheirs ? other.commanded?.write({ [otherKey]: value }) : one.commanded?.write(wanted)) ?? [];
      },
    },
  };
}

const rank = ({ attribute, commanded, also = [] }: DescribedAttribute): number =>
  Number(attribute.type === "boolean") * 4 + Number(commanded !== undefined) * 2 + Number(also.length > 0);

/** What its component calls it stays the key of its commands. */
export function renamed<T extends DescribedAttribute>(one: T, name: string): T {
  return { ...one, key: one.key ?? one.attribute.name, attribute: { ...one.attribute, name } };
}

/** Which of several each sensor is: what follows the words that they share. */
function withParts(attributes: Map<string, FoundAttribute>): Map<string, FoundAttribute> {
  const sensors = [...attributes.values()].map(({ attribute }) => attribute).filter(isSensor);
  const alike = Map.groupBy(sensors, ({ class: kind, type, name }) => `${kind} ${type} ${name.split("_")[0]}`);
  for (const group of alike.values()) {
    const names = group.map(({ name }) => name);
    if (names.length < 2) continue;
    for (const [at, part] of partsOfNames(names).entries()) {
      const one = attributes.get(names[at] ?? "");
      if (one && part !== "") attributes.set(one.attribute.name, { ...one, attribute: { ...one.attribute, part } });
    }
  }
  return attributes;
}

const isSensor = ({ class: kind, writable, word, part }: Attribute): boolean =>
  kind !== undefined && !writable && word === undefined && part === undefined;
