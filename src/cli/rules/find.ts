// Finds the rule that a person means: by its id, its name, or the name of its file.

import { didYouMean } from "../../core/did-you-mean.ts";
import { HubError } from "../../core/errors.ts";
import { printable } from "../../core/printable.ts";

export interface Findable {
  readonly id: string;
  readonly name: string;
  readonly file: string;
}

const MOST_SHOWN = 10;

/** Throws HubError: `not_found` with the nearest name, or `conflict` with all that are meant. */
export function findRule<T extends Findable>(rules: readonly T[], wanted: string): T {
  for (const isMeant of WAYS) {
    const found = rules.filter((rule) => isMeant(rule, wanted));
    const [only] = found;
    if (only && found.length === 1) return only;
    if (only) throw ambiguous(found, wanted);
  }
  const names = rules.flatMap(({ name, file }) => [name, stem(file)]);
  throw new HubError(
    "not_found",
    `there is no rule "${wanted}"${didYouMean(wanted, names)}; \`hub rules list\` has all`,
  );
}

type Way = (rule: Findable, wanted: string) => boolean;

const same = (text: string, wanted: string): boolean => text.toLowerCase() === wanted.toLowerCase();
const stem = (file: string): string => file.replace(/\.(?:ron|toml)$/i, "");

/** The strictest first. */
const WAYS: readonly Way[] = [
  ({ id }, wanted) => id === wanted,
  ({ file }, wanted) => file === wanted || stem(file) === wanted,
  ({ name }, wanted) => name === wanted,
  ({ name, file }, wanted) => same(name, wanted) || same(stem(file), wanted),
  ({ name }, wanted) => wanted.length > 2 && name.toLowerCase().includes(wanted.toLowerCase()),
];

function ambiguous(found: readonly Findable[], wanted: string): HubError {
  const lines = found.slice(0, MOST_SHOWN).map(({ id, name, file }) => `\n  ${printable(name)}  (${file}, ${id})`);
  const more = found.length > MOST_SHOWN ? `\n  … and ${found.length - MOST_SHOWN} more` : "";
  return new HubError(
    "conflict",
    `"${wanted}" is the name of ${found.length} rules; say which by its file or id:${lines.join("")}${more}`,
  );
}
