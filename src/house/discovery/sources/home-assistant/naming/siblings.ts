// Which part each of several of a kind is: by what its values are called (`local_temperature_th1`), else by its entity's own id.
// Neither their order nor their alphabet matters.

export interface Sibling {
  /** Of its entity. */
  key: string;
  /** See `Entity`. */
  id: string;
  /** What each shared word is made of: its own name of it. */
  names: ReadonlyMap<string, string>;
}

/** By the keys of entities; empty for the one that bears no part's name, which is the whole. */
export function partsOf(siblings: readonly Sibling[]): Map<string, string> {
  const [first] = siblings;
  for (const word of first?.names.keys() ?? []) {
    const names = siblings.map(({ names }) => names.get(word));
    const found = names.every((name) => name !== undefined)
      ? distinguished(siblings, restsOf(names, { begins: true, ends: false }))
      : undefined;
    if (found) return found;
  }
  const ids = siblings.map(({ id }) => id);
  return (
    distinguished(siblings, restsOf(ids, { begins: true, ends: true })) ??
    distinguished(siblings, ids) ??
    distinguished(
      siblings,
      siblings.map(({ key }) => key),
    ) ??
    new Map()
  );
}

/** Undefined where they do not distinguish each from all others. */
function distinguished(siblings: readonly Sibling[], given: readonly string[]): Map<string, string> | undefined {
  const parts = given.map((one) => one.replace(/[^\p{L}\p{N}]+/gu, "_").replace(/^_+|_+$/g, ""));
  if (new Set(parts).size < siblings.length) return undefined;
  return new Map(siblings.map(({ key }, at) => [key, parts[at] ?? ""]));
}

/** Of names that begin alike. What distinguishes them stands before the words with which all end, else behind those with which all begin. */
export function partsOfNames(names: readonly string[]): string[] {
  const ending = restsOf(names, { begins: false, ends: true });
  return ending.every((part, at) => part === names[at]) ? restsOf(names, { begins: true, ends: false }) : ending;
}

/** What is left of names without the words with which all begin, or with which all end. */
function restsOf(names: readonly string[], { begins, ends }: { begins: boolean; ends: boolean }): string[] {
  const all = names.map((name) => name.split(/[_\s-]+/).filter((one) => one !== ""));
  const [first = []] = all;
  const shortest = Math.min(...all.map(({ length }) => length));
  let begin = 0;
  while (begins && begin < shortest && all.every((one) => one[begin] === first[begin])) begin++;
  let end = 0;
  while (ends && begin + end < shortest && all.every((one) => one.at(-1 - end) === first.at(-1 - end))) end++;
  return all.map((one) => one.slice(begin, one.length - end).join("_"));
}
