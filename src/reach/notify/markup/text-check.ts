// What is wrong with the text of a rule for the channels it goes to, as far as that is known before it is sent.
import { fillTemplate, type Piece } from "../../../kit/text/template.ts";
import type { Dialect, OwnMarkup } from "./dialect.ts";
import { isTag, VOID_TAGS } from "./html-tags.ts";
import type { AuthorsMarkup } from "./read.ts";
import { readForeign } from "./written-for.ts";

export interface AuthorsText {
  /** Its placeholders not filled in. */
  readonly message: string;
  readonly markup?: AuthorsMarkup | undefined;
  /** Names as the rule has them; `all` is every channel. */
  readonly channels: readonly string[];
}

/** By the names of channels. */
export type Dialects = ReadonlyMap<string, Dialect>;

const MENDED = "it is mended before it is sent";

export function createTextCheck(dialects: Dialects) {
  const spoken: ReadonlySet<OwnMarkup> = new Set([...dialects.values()].flatMap(({ own }) => own ?? []));

  /** In words for the author; empty where nothing is known to be wrong. */
  return function problemsOf({ message, markup, channels }: AuthorsText): string[] {
    const pieces = piecesOf(message);
    if (markup === "html") return unknownTags(pieces);
    if (markup !== undefined) return [];
    const isShared = channels.length > 1 || channels.includes("all") || channels.some((name) => name.includes(":"));
    const names = channels.includes("all") ? [...dialects.keys()] : channels;
    const found = new Map<string, string[]>();
    for (const name of names) {
      const dialect = dialects.get(name);
      if (!dialect?.problem || readForeign(dialect, pieces, isShared ? spoken : undefined)) continue;
      const problem = dialect.problem(dialect.compose(pieces));
      if (problem === undefined) continue;
      const text = `${dialect.own}: ${problem}`;
      found.set(text, [...(found.get(text) ?? []), name]);
    }
    return [...found].map(([problem, where]) => `${where.join(", ")} shows ${problem}; ${MENDED}`);
  };
}

function piecesOf(message: string): Piece[] {
  return fillTemplate(message, () => "x", { onUnknown() {} });
}

const TAG = /<(\/?)([a-z][\w-]*)(?:\s[^<>]*)?\/?>/gi;

/** Where the author says that it is HTML, whatever is known of HTML is right in every channel. */
function unknownTags(pieces: readonly Piece[]): string[] {
  const source = pieces.map((piece) => ("markup" in piece ? piece.markup : piece.value)).join("");
  const open: string[] = [];
  for (const [tag, closing, name = ""] of source.matchAll(TAG)) {
    const word = name.toLowerCase();
    if (!isTag(word)) return [`HTML has no ${tag} for messages: it is shown as text`];
    if (VOID_TAGS.has(word)) continue;
    if (closing === "") open.push(word);
    else if (open.at(-1) === word) open.pop();
    else return [`${tag} closes ${open.length === 0 ? "nothing" : `before <${open.at(-1)}> is closed`}; ${MENDED}`];
  }
  const [first] = open.filter((word) => word !== "p" && word !== "li");
  return first === undefined ? [] : [`<${first}> is not closed; ${MENDED}`];
}
