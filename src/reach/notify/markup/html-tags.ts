// The tags that an author may write in a message.
const MARKS = "b strong i em cite u ins s strike del code kbd samp tt tg-spoiler";
const LINES = "address article aside center dd div dl dt footer header main nav ol section table tr ul";
const OTHERS = "a p li pre blockquote span h1 h2 h3 h4 h5 h6";
const NEUTRAL = "abbr big body font head html mark small sub sup tbody td tfoot th thead tg-emoji tg-time";
const HIDDEN = "script style title template noscript textarea iframe";
const VOID = "br hr img";

/** They begin and end a line. */
export const LINE_TAGS: ReadonlySet<string> = new Set(LINES.split(" "));
/** What they hold is not shown. */
export const HIDDEN_TAGS: ReadonlySet<string> = new Set(HIDDEN.split(" "));
export const VOID_TAGS: ReadonlySet<string> = new Set(VOID.split(" "));
const ALL: ReadonlySet<string> = new Set([MARKS, LINES, OTHERS, NEUTRAL, HIDDEN, VOID].join(" ").split(" "));

const TAG = /<(\/?)([a-z][\w-]*)(?:\s[^<>]*)?\/?>/gi;
const ENTITY = /&(?:lt|gt|amp|quot|apos|nbsp|#\d{1,7}|#x[0-9a-f]{1,6});/i;

/** Whether it is a tag, and not text in angle brackets. */
export function isTag(name: string): boolean {
  return ALL.has(name);
}

/** Whether a text can only be meant as HTML: it has tags, all of them known, closed and in order; or entities. */
export function looksLikeHtml(source: string): boolean {
  const open: string[] = [];
  let tags = 0;
  for (const [, closing, name = ""] of source.matchAll(TAG)) {
    const word = name.toLowerCase();
    if (!isTag(word)) return false;
    tags++;
    if (VOID_TAGS.has(word)) continue;
    if (closing === "") open.push(word);
    else if (open.pop() !== word) return false;
  }
  return open.length === 0 && (tags > 0 || ENTITY.test(source));
}
