// What an attribute is called, for ever. A source proposes names by what is announced now; which of them an attribute gets is decided
// once, and kept: whatever is announced later, in whatever order, taken back or read from elsewhere, a name means the same thing.
import { HubError } from "../../kit/schema/errors.ts";
import type { Json, JsonObject } from "../../kit/schema/json.ts";
import { hasWildcard, matchesFilter } from "../../kit/text/topic-filter.ts";
import type { Attribute, DescribedDevice, Report } from "./described.ts";
import { readableName } from "./readable-name.ts";
import { wrong } from "./words.ts";

export interface GivenNames {
  device: DescribedDevice;
  /** What is known without a message, in these names. */
  given(report: Report): Report;
  /** By what an attribute is called, what a new house would call it: those only that it would call otherwise, by names that are nobody's here. */
  better(): ReadonlyMap<string, string>;
  /** What is new, by what it is of. */
  fresh: ReadonlyMap<string, string>;
  /** Undefined where every attribute has a name. */
  problem: string | undefined;
}

/** Of one device, also of what is announced no more. */
const MAX_KEPT = 5000;
/** Of one name: who gets another id each time is known by its place. */
const MAX_IDS = 10;
/** Keys that nothing announces. */
const MAX_REST = 500;

/**
 * The device in the names that its attributes were given first, and what has none yet in a name that nothing else ever had. `kept`: by
 * what they are of, in the order in which they were given; asked again where a message needs them, as hundreds of devices would hold
 * theirs for nothing. `keep`: further ones. `isOfBefore`: it has names of before names were kept.
 */
export function giveNames(
  device: DescribedDevice,
  {
    kept,
    keep,
    isOfBefore,
  }: { kept: () => ReadonlyMap<string, string>; keep: (id: string, name: string) => void; isOfBefore: boolean },
): GivenNames {
  // What reports all on one topic keeps the keys of its messages.
  const wish = device.isOfSeveralTopics && !isOfBefore ? readableName : (name: string): string => name;
  const { names, fresh } = placed(device.attributes, kept(), wish);
  // Those of a device of before are kept later.
  const unkept = isOfBefore ? fresh : [];
  let found: { kept: ReadonlyMap<string, string>; holders: Map<string, string> } | undefined;
  const known = () => {
    if (found) return found;
    const now = kept();
    found = { kept: now, holders: holdersIn([...now, ...unkept]) };
    return found;
  };
  const all = new Set(device.attributes.map(({ name }) => name));
  const proposed: { has(name: string): boolean } = names.size < all.size ? all : names;
  const problem =
    names.size < all.size ? `more than ${MAX_KEPT} attributes were announced: the last are left out` : undefined;
  const isSame = [...names].every(([name, given]) => name === given);
  const proposals = isSame ? names : new Map([...names].map(([name, given]) => [given, name]));
  const rest = new Map<string, string>();
  const filters = device.topics.filter(hasWildcard);

  /** Keys that nothing announces are attributes as they are, of several topics each by itself. */
  const nameOfRest = (key: string, topic: string): string => {
    const announced = filters.find((filter) => matchesFilter(filter, topic)) ?? topic;
    const id = device.isOfSeveralTopics ? `${announced} ${key}` : key;
    const named = rest.get(id);
    if (named !== undefined) return named;
    const { kept, holders } = known();
    const before = kept.get(id);
    if (before !== undefined) {
      if (rest.size < MAX_REST) rest.set(id, before);
      return before;
    }
    const isFree = (name: string): boolean => !proposals.has(name) && (holders.get(name) ?? id) === id;
    const wanted = wish(key);
    const name = isFree(wanted) ? wanted : freeName(`${wanted}_own`, isFree);
    if (rest.size >= MAX_REST) return name;
    rest.set(id, name);
    if (!device.isOfSeveralTopics && name === key) return name;
    holders.set(name, id);
    keep(id, name);
    return name;
  };
  const givenOf = (name: string, topic: string): string | undefined =>
    names.get(name) ?? (proposed.has(name) ? undefined : nameOfRest(name, topic));
  // Each report passes here: nothing is copied where nothing is called otherwise.
  const inGiven = (attributes: JsonObject, topic = ""): JsonObject => {
    let isSame = true;
    for (const name in attributes) if (givenOf(name, topic) !== name) isSame = false;
    if (isSame) return attributes;
    const read: JsonObject = {};
    for (const name in attributes) {
      const given = givenOf(name, topic);
      if (given !== undefined) read[given] = attributes[name] as Json;
    }
    return read;
  };
  const inProposed = (wanted: JsonObject): JsonObject => {
    const all = Object.entries(wanted).map(([given, value]) => {
      const name = proposals.get(given) ?? (proposed.has(given) || known().holders.has(given) ? undefined : given);
      if (name === undefined) throw wrong(given, "the device has no such attribute now");
      return [name, value] as const;
    });
    return Object.fromEntries(all);
  };
  const better = (): Map<string, string> => {
    const anew = device.isOfSeveralTopics ? readableName : (name: string): string => name;
    const { kept, holders } = known();
    const { names: wanted } = placed(device.attributes, new Map(), anew);
    const announced = [...names].map(([name, given]) => [given, wanted.get(name) ?? given] as const);
    const others = [...kept, ...rest].flatMap(([id, name]) => {
      const topic = device.topics.find((one) => id.startsWith(`${one} `));
      return topic === undefined ? [] : [[name, anew(id.slice(topic.length + 1))] as const];
    });
    return new Map([...announced, ...others].filter(([given, name]) => name !== given && !holders.has(name)));
  };
  const { assume } = device;
  return {
    device: {
      ...device,
      attributes: device.attributes.flatMap((one) => renamed(one, names)),
      read(topic, message) {
        const report = device.read(topic, message);
        const attributes = inGiven(report.attributes, topic);
        if (attributes === report.attributes && !report.unavailable) return report;
        const unavailable = report.unavailable?.flatMap((name) => names.get(name) ?? []);
        return { ...report, attributes, ...(unavailable && { unavailable }) };
      },
      write: (wanted) => withNames(names, () => device.write(inProposed(wanted))),
      ...(assume && { assume: (wanted: JsonObject) => inGiven(assume(inProposed(wanted))) }),
    },
    given: (report) => ({ ...report, attributes: inGiven(report.attributes) }),
    ...{ better, fresh, problem },
  };
}

function renamed(one: Attribute, names: ReadonlyMap<string, string>): Attribute[] {
  const name = names.get(one.name);
  if (name === undefined) return [];
  const of = one.of === undefined ? undefined : (names.get(one.of) ?? one.of);
  if (name === one.name && of === one.of) return [one];
  return [{ ...one, name, ...(of !== undefined && { of }) }];
}

/** A refusal speaks of the attribute as the person calls it. */
function withNames<T>(names: ReadonlyMap<string, string>, write: () => T): T {
  try {
    return write();
  } catch (error) {
    if (!(error instanceof HubError) || error.code !== "invalid") throw error;
    const [, name = "", what] = /^(.*?): (.*)$/s.exec(error.message) ?? [];
    const given = names.get(name);
    throw given === undefined || what === undefined ? error : wrong(given, what);
  }
}

interface Placed {
  /** Given, by proposed. */
  names: Map<string, string>;
  fresh: Map<string, string>;
}

/** By name: what it was given to first. */
function holdersIn(kept: Iterable<readonly [id: string, name: string]>): Map<string, string> {
  const holders = new Map<string, string>();
  for (const [id, name] of kept) if (!holders.has(name)) holders.set(name, id);
  return holders;
}

function placed(
  attributes: readonly Attribute[],
  kept: ReadonlyMap<string, string>,
  wish: (name: string) => string,
): Placed {
  const holders = holdersIn(kept);
  const all = withIds(attributes);
  const used = new Set<string>();
  const names = new Map<string, string>();
  const use = (one: Identified, name: string | undefined): void => {
    if (name === undefined || used.has(name) || names.has(one.name)) return;
    used.add(name);
    names.set(one.name, name);
  };
  const keptNames = ({ ids, places }: Identified): string[] => [...ids, ...places].flatMap((id) => kept.get(id) ?? []);
  // Ids say nothing of whoever got its name by its place alone: another one had the same.
  for (const one of all)
    use(
      one,
      one.places.map((place) => kept.get(place)).find((name) => one.places.includes(holders.get(name ?? "") ?? "")),
    );
  // Whoever was called so first, before those that were the same as it once.
  for (const one of all)
    use(
      one,
      keptNames(one).find((name) => !used.has(name) && one.ids.includes(holders.get(name) ?? "")),
    );
  for (const one of all)
    use(
      one,
      keptNames(one).find((name) => !used.has(name)),
    );
  const fresh = new Map<string, string>();
  const isFree = (name: string): boolean => !used.has(name) && !holders.has(name);
  const numbers = new Map<string, number>();
  const counts = countsOf(kept);
  for (const one of all) {
    const isFull = counts.size >= MAX_KEPT;
    if (!names.has(one.name) && !isFull) use(one, freeName(wish(one.name), isFree, numbers));
    const name = names.get(one.name);
    if (name === undefined) continue;
    for (const id of [...one.ids, ...one.places]) {
      const count = counts.get(name) ?? 0;
      if (kept.has(id) || count >= MAX_IDS) continue;
      fresh.set(id, name);
      counts.set(name, count + 1);
    }
  }
  return { names, fresh };
}

/** By name, how many ids it has. */
function countsOf(kept: ReadonlyMap<string, string>): Map<string, number> {
  const counts = new Map<string, number>();
  for (const name of kept.values()) counts.set(name, (counts.get(name) ?? 0) + 1);
  return counts;
}

/** `numbers`: where to go on, so that thousands of one name do not each begin at 2. */
function freeName(wanted: string, isFree: (name: string) => boolean, numbers: Map<string, number> = new Map()): string {
  if (isFree(wanted)) return wanted;
  for (let number = numbers.get(wanted) ?? 2; ; number++) {
    const name = `${wanted}_${number}`;
    if (!isFree(name)) continue;
    numbers.set(wanted, number + 1);
    return name;
  }
}

interface Identified {
  name: string;
  ids: readonly string[];
  places: readonly string[];
}

/** Each id belongs to one attribute, the first; what is left without one goes by its name. */
function withIds(attributes: readonly Attribute[]): Identified[] {
  const taken = new Set<string>();
  const free = (ids: readonly string[]): string[] => {
    const own = ids.filter((id) => !taken.has(id));
    for (const id of own) taken.add(id);
    return own;
  };
  return attributes.map(({ name, ids = [], places = [] }) => {
    const one = { name, ids: free(ids), places: free(places) };
    return one.ids.length + one.places.length > 0 ? one : { ...one, ids: [name] };
  });
}
