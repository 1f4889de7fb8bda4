// Finds the thing that a person means: by its id, its name, or another word for it, such as the name of a rule's file.
import { didYouMean } from "../../kit/schema/did-you-mean.ts";
import { HubError } from "../../kit/schema/errors.ts";
import { printable } from "../../kit/text/printable.ts";

export interface Findable {
  readonly id: string;
  readonly name: string;
}

/** What kind of things are searched, for messages and for how they may be called. */
export interface Searched<T> {
  /** `device` */
  noun: string;
  /** The command that lists all: `hub devices`. */
  listedBy: string;
  /** What distinguishes two of the same name: `id`. */
  distinguishedBy: string;
  /** Other words for one. */
  also?(thing: T): readonly string[];
  /** Whether a part of a name is enough, if only one has it. */
  byPart?: boolean;
}

const MAX_SHOWN = 10;

/** Throws HubError: `not_found` with the nearest name, or `conflict` with all that are meant. */
export function findNamed<T extends Findable>(things: readonly T[], wanted: string, searched: Searched<T>): T {
  const { noun, listedBy, also = () => [], byPart = false } = searched;
  for (const isMeant of waysToName(wanted, also, byPart)) {
    const found = things.filter(isMeant);
    const [only] = found;
    if (only && found.length === 1) return only;
    if (only) throw ambiguous(found, wanted, searched);
  }
  const words = things.flatMap((thing) => [thing.name, thing.id, ...also(thing)]);
  throw new HubError(
    "not_found",
    `there is no ${noun} "${printable(wanted)}"${didYouMean(wanted, words.map(printable))}; \`${listedBy}\` has all`,
  );
}

/** The strictest first. */
function waysToName<T extends Findable>(
  wanted: string,
  also: (thing: T) => readonly string[],
  byPart: boolean,
): ((thing: T) => boolean)[] {
  const lower = wanted.toLowerCase();
  const ways = [
    (thing: T) => thing.id === wanted,
    (thing: T) => also(thing).includes(wanted),
    (thing: T) => thing.name === wanted,
    (thing: T) => [thing.name, thing.id, ...also(thing)].some((word) => word.toLowerCase() === lower),
  ];
  return byPart && wanted.length > 2 ? [...ways, ({ name }) => name.toLowerCase().includes(lower)] : ways;
}

function ambiguous<T extends Findable>(
  found: readonly T[],
  wanted: string,
  { noun, distinguishedBy, also = () => [] }: Searched<T>,
): HubError {
  const lines = found
    .slice(0, MAX_SHOWN)
    .map(
      (thing) => `\n  ${printable(thing.name)}  (${[...also(thing).slice(0, 1), thing.id].map(printable).join(", ")})`,
    );
  const more = found.length > MAX_SHOWN ? `\n  … and ${found.length - MAX_SHOWN} more` : "";
  return new HubError(
    "conflict",
    `"${printable(wanted)}" is the name of ${found.length} ${noun}s; say which by its ${distinguishedBy}:${lines.join("")}${more}`,
  );
}
