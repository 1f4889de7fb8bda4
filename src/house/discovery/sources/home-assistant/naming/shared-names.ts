// Who gets a shared word where several entities of a device would: what the device mainly is has it, others have it with what they
// are behind it (`on_light`), and of several of a kind each has its part (`mode_th1`).
import type { Availability } from "../availability.ts";
import type { DescribedAttribute } from "../entity.ts";
import { partsOf, type Sibling } from "./siblings.ts";

/** As a component describes it. */
export interface FoundAttribute extends DescribedAttribute {
  component: string;
  /** The key of its entity. */
  entity: string;
  /** Of its entity; see `Entity`. */
  place: string | undefined;
  isShared: true | undefined;
  /** The id of its entity. */
  id: string;
  /** Of its entity, where that has one. */
  availability: Availability | undefined;
  /** See readable.ts. */
  isUnsaid: boolean;
}

/** A shared word that an attribute is, or is to be made into. */
interface Claim {
  word: string;
  one: FoundAttribute;
}

export interface SharedNames {
  /** The part that the word of an attribute is of; undefined for the whole. */
  partOf(one: FoundAttribute, word: string): string | undefined;
}

/** `richest`: components, from what a device rather is. */
export function sharedNames(found: readonly FoundAttribute[], richest: readonly string[]): SharedNames {
  const claims = found.flatMap((one) => wordsIn(one).map((word) => ({ word, one })));
  const several = new Map<string, Set<string>>();
  const aside = new Set<string>();
  for (const [word, wanting] of Map.groupBy(claims.filter(isWhole), ({ word }) => word)) {
    const kinds = Map.groupBy(distinct(wanting), ({ one }) => one.component);
    for (const [component, of] of kinds) if (of.length > 1) addTo(several, component, of);
    const [first, ...others] = [...kinds.keys()].sort((a, b) => rankIn(richest, a) - rankIn(richest, b));
    if (first !== undefined) for (const component of others) aside.add(`${component} ${word}`);
  }
  const parts = new Map(
    [...several.values()].flatMap((keys) => [...partsOf([...keys].map((key) => siblingOf(key, claims)))]),
  );
  return {
    partOf(one, word) {
      const named = partNamedOf(one, word);
      if (named !== undefined) return named;
      const kind = aside.has(`${one.component} ${word}`) ? (KINDS[one.component] ?? one.component) : "";
      return [parts.get(one.entity) ?? "", kind].filter((part) => part !== "").join("_") || undefined;
    },
  };
}

const KINDS: Readonly<Record<string, string>> = { alarm_control_panel: "alarm" };

const wordsIn = ({ attribute, also = [] }: FoundAttribute): string[] => [
  ...(attribute.word === undefined ? [] : [attribute.word]),
  ...also.map(({ word }) => word),
];

function partNamedOf({ attribute, also = [] }: FoundAttribute, word: string): string | undefined {
  return also.find((one) => one.word === word)?.part ?? attribute.part;
}

const isWhole = ({ one, word }: Claim): boolean => partNamedOf(one, word) === undefined;

/** One of those that are made of the very same, and one of each entity. */
function distinct(claims: readonly Claim[]): Claim[] {
  const found = new Map<string, Claim>();
  for (const claim of claims) {
    const key = sourceOf(claim.one) ?? claim.one.entity;
    if (![...found.values()].some(({ one }) => one.entity === claim.one.entity)) found.set(key, claim);
  }
  return [...found.values()];
}

/** What it is read from; undefined for what is only commanded. */
export function sourceOf({ readings: [reading] }: DescribedAttribute): string | undefined {
  if (!reading) return undefined;
  return `${reading.topic}\n${reading.path ? JSON.stringify(reading.path) : (reading.template ?? "")}`;
}

function addTo(several: Map<string, Set<string>>, component: string, claims: readonly Claim[]): void {
  const keys = several.get(component) ?? new Set();
  for (const { one } of claims) keys.add(one.entity);
  several.set(component, keys);
}

const rankIn = (richest: readonly string[], component: string): number => {
  const at = richest.indexOf(component);
  return at < 0 ? richest.length : at;
};

function siblingOf(key: string, claims: readonly Claim[]): Sibling {
  const own = claims.filter(({ one }) => one.entity === key);
  return {
    ...{ key, id: own[0]?.one.id ?? key },
    names: new Map(own.map(({ word, one }) => [word, one.attribute.name])),
  };
}
