// Jinja's filters that make markup of texts, or lay them out in lines.
import { type Arguments, type Filter, itemsOf, numberArgument } from "../arguments.ts";
import { isTrue, str, TemplateError, typeName, type Value } from "../values.ts";

const MAX_WIDTH = 1000;
const MAX_TEXT_LENGTH = 65_536;
const MAX_SCHEMES = 20;

const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&#34;",
  "'": "&#39;",
};
const escaped = (value: Value): string => str(value).replace(/[&<>"']/g, (one) => ENTITIES[one] ?? one);

function xmlAttributes(value: Value, args: Arguments): string {
  if (!(value instanceof Map)) throw new TemplateError(`xmlattr needs a dict, not a ${typeName(value)}`);
  const all = [...value].flatMap(([key, one]) => {
    if (one === undefined || one === null) return [];
    const name = str(key);
    if (/[\s/>=]/.test(name)) throw new TemplateError(`xmlattr: "${name.slice(0, 50)}" is no name of an attribute`);
    return [`${escaped(name)}="${escaped(one)}"`];
  });
  const text = bounded(all.join(" "), "xmlattr");
  return text !== "" && (!args.has(0, "autospace") || isTrue(args.get(0, "autospace"))) ? ` ${text}` : text;
}

function bounded(text: string, name: string): string {
  if (text.length > MAX_TEXT_LENGTH) throw new TemplateError(`${name} makes a text that is too long`);
  return text;
}

// As Python's textwrap takes a line apart: spaces, dashes, and words that may end at a hyphen.
const WORDS =
  /\s+|(?<=[\p{L}\p{N}_!"'&.,?])-{2,}(?=[\p{L}\p{N}_])|\S+?(?:-(?:(?<=[\p{L}_]{2}-)|(?<=[\p{L}_]-[\p{L}_]-))(?=[\p{L}_]-?[\p{L}_])|(?=\s|$)|(?<=[\p{L}\p{N}_!"'&.,?])(?=-{2,}[\p{L}\p{N}_]))/gu;

interface Wrapping {
  width: number;
  breaksLong: boolean;
  breaksAtHyphens: boolean;
}

function wrapped(line: string, { width, breaksLong, breaksAtHyphens }: Wrapping): string[] {
  const parts: string[] = line.match(breaksAtHyphens ? WORDS : /\s+|\S+/g) ?? [];
  const lines: string[] = [];
  let at = 0;
  while (at < parts.length) {
    const own: string[] = [];
    let length = 0;
    if (lines.length > 0 && parts[at]?.trim() === "") at++;
    for (let part = parts[at]; part !== undefined && length + part.length <= width; part = parts[++at]) {
      own.push(part);
      length += part.length;
    }
    const long = parts[at];
    if (long !== undefined && long.length > width) {
      const end = breaksLong ? endIn(long, width - length, breaksAtHyphens) : own.length === 0 ? long.length : 0;
      if (breaksLong || end > 0) own.push(long.slice(0, end));
      parts[at] = long.slice(end);
      if (end === long.length) at++;
    }
    if (own.at(-1)?.trim() === "") own.pop();
    if (own.length > 0) lines.push(own.join(""));
  }
  return lines;
}

/** Where a word is broken that is longer than a line. */
function endIn(word: string, room: number, breaksAtHyphens: boolean): number {
  const hyphen = breaksAtHyphens && room > 0 ? word.lastIndexOf("-", room - 1) : -1;
  return hyphen > 0 && /[^-]/.test(word.slice(0, hyphen)) ? hyphen + 1 : room;
}

function wordWrapped(value: Value, args: Arguments): string {
  if (typeof value !== "string") throw new TemplateError(`wordwrap needs a text, not a ${typeName(value)}`);
  const width = args.has(0, "width") ? Math.trunc(numberArgument(args.get(0, "width"), "wordwrap")) : 79;
  if (!(width >= 1 && width <= MAX_WIDTH))
    throw new TemplateError(`wordwrap: the width must be from 1 to ${MAX_WIDTH}`);
  const isOn = (place: number, name: string): boolean => !args.has(place, name) || isTrue(args.get(place, name));
  const given = args.get(2, "wrapstring");
  const end = given === undefined || given === null ? "\n" : str(given).slice(0, MAX_WIDTH);
  const how = { width, breaksLong: isOn(1, "break_long_words"), breaksAtHyphens: isOn(3, "break_on_hyphens") };
  const lines = value.replace(/(\r\n|[\n\r\v\f])$/, "").split(/\r\n|[\n\r\v\f]/);
  const all = lines.map((line) => wrapped(line, how));
  const ends = all.reduce((sum, one) => sum + Math.max(1, one.length), 0);
  if (ends * end.length > MAX_TEXT_LENGTH) throw new TemplateError("wordwrap makes a text that is too long");
  return all.map((one) => one.join(end)).join(end);
}

const ADDRESS =
  /^(?:(?:https?:\/\/|www\.)(?:(?:[\p{L}\p{N}_%-]+\.)+)?(?:[a-z]{2,63}|xn--[\p{L}\p{N}_%]{2,59})|(?:[\p{L}\p{N}_%-]{2,63}\.)+(?:com|net|int|edu|gov|org|info|mil)|https?:\/\/(?:\d{1,3}(?:\.\d{1,3}){3}|\[(?:[\da-f]{0,4}:){2}(?:[\da-f]{0,4}:?){1,6}\]))(?::\d{1,5})?(?:[/?#]\S*)?$/iu;
const MAIL_DOMAIN = /^[\p{L}\p{N}_][\p{L}\p{N}_.-]*\.[\p{L}\p{N}_]+$/u;
const MAX_ADDRESS_LENGTH = 2048;

function isMail(text: string): boolean {
  const at = text.lastIndexOf("@");
  return at > 0 && MAIL_DOMAIN.test(text.slice(at + 1));
}

function urlized(value: Value, args: Arguments): string {
  const limit = args.get(0, "trim_url_limit");
  const most = limit === undefined || limit === null ? MAX_TEXT_LENGTH : numberArgument(limit, "urlize");
  const rel = new Set(
    str(args.get(3, "rel") ?? "")
      .split(/\s+/)
      .filter(Boolean),
  );
  if (isTrue(args.get(1, "nofollow"))) rel.add("nofollow");
  rel.add("noopener");
  const target = args.get(2, "target");
  const attributes = ` rel="${escaped([...rel].sort().join(" "))}"${isTrue(target) ? ` target="${escaped(target)}"` : ""}`;
  const schemes = itemsOf(args.get(4, "extra_schemes"), "urlize").slice(0, MAX_SCHEMES).map(str);
  const shown = (text: string): string => (text.length > most ? `${text.slice(0, Math.max(0, most))}...` : text);
  const linked = (middle: string): string => {
    if (middle.length > MAX_ADDRESS_LENGTH) return middle;
    if (ADDRESS.test(middle)) {
      const href = /^https?:\/\//.test(middle) ? middle : `https://${middle}`;
      return `<a href="${href}"${attributes}>${shown(middle)}</a>`;
    }
    if (middle.startsWith("mailto:") && isMail(middle.slice(7))) return `<a href="${middle}">${middle.slice(7)}</a>`;
    if (!/^(?:www\.|[@:])/.test(middle) && isMail(middle)) return `<a href="mailto:${middle}">${middle}</a>`;
    const isOther = schemes.some((one) => one !== "" && middle !== one && middle.startsWith(one));
    return isOther ? `<a href="${middle}"${attributes}>${middle}</a>` : middle;
  };
  const words = escaped(value).split(/(\s+)/);
  return bounded(words.map((word) => withoutEnds(word, linked)).join(""), "urlize");
}

/** What is around an address, such as brackets and the end of a sentence, is none of it. */
function withoutEnds(word: string, linked: (middle: string) => string): string {
  const head = /^(?:[(<]|&lt;)+/.exec(word)?.[0] ?? "";
  let middle = word.slice(head.length);
  let end = middle.length;
  for (;;) {
    if (end > 0 && ")>.,".includes(middle.charAt(end - 1))) end--;
    else if (middle.startsWith("&gt;", end - 4) && end >= 4) end -= 4;
    else break;
  }
  let tail = middle.slice(end);
  middle = middle.slice(0, end);
  // A bracket that was opened within it is closed within it.
  for (const [open, close] of BRACKETS) {
    for (
      let missing = count(middle, open) - count(middle, close) > 0 ? count(middle, open) : 0;
      missing > 0;
      missing--
    ) {
      const at = tail.indexOf(close);
      if (at < 0) break;
      middle += tail.slice(0, at + close.length);
      tail = tail.slice(at + close.length);
    }
  }
  return head + linked(middle) + tail;
}

const BRACKETS = [
  ["(", ")"],
  ["<", ">"],
  ["&lt;", "&gt;"],
] as const;

const count = (text: string, part: string): number => text.split(part).length - 1;

export const MARKUP_FILTERS: Readonly<Record<string, Filter>> = {
  e: escaped,
  escape: escaped,
  forceescape: escaped,
  urlize: urlized,
  wordwrap: wordWrapped,
  xmlattr: xmlAttributes,
};
