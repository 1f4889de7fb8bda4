// Why a service would refuse a text in its HTML, before it is sent: said to the author when the rule is saved.
const TAG = /<(\/?)([a-z][\w-]*)?((?:\s+[a-z][\w-]*(?:\s*=\s*(?:"[^"]*"|'[^']*'|[\w.-]+))?)*)\s*>|</gi;

// Surrogates, in decimal and hexadecimal.
const HALF_CHARACTER =
  /&#(?:0*(?:5529[6-9]|55[3-9]\d\d|56\d{3}|57[0-2]\d\d|573[0-3]\d|5734[0-3])|x0*d[89a-f][0-9a-f]{2});/i;

/** Of Telegram's HTML. */
export const TELEGRAM_TAGS: ReadonlySet<string> = new Set(
  "b strong i em u ins s strike del a code pre tg-spoiler blockquote span tg-emoji tg-time".split(" "),
);
export const PUSHOVER_TAGS: ReadonlySet<string> = new Set(["b", "i", "u", "a", "font"]);

/** Undefined where every tag is one of these, and is closed in order. */
export function htmlProblem(source: string, tags: ReadonlySet<string>): string | undefined {
  const half = HALF_CHARACTER.exec(source)?.[0];
  if (half !== undefined) return `${half} is no character`;
  const open: string[] = [];
  for (const [tag, closing, name = "", attributes = ""] of source.matchAll(TAG)) {
    const word = name.toLowerCase();
    if (tag === "<") return "a < that begins no tag is written &lt;";
    if (closing === "/") {
      const last = open.pop();
      if (last === undefined) return `${tag} closes nothing`;
      if (word !== "" && word !== last) return `<${last}> is not closed before ${tag}`;
    } else if (word === "" || !tags.has(word))
      return `there is no tag <${word}> there; there are ${[...tags].join(", ")}`;
    else if (word === "span" && !/class\s*=\s*["']?tg-spoiler\b/.test(attributes))
      return '<span> needs class="tg-spoiler"';
    else open.push(word);
  }
  const [first] = open;
  return first === undefined ? undefined : `<${first}> is not closed`;
}
