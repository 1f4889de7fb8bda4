// Makes of a catalogue, ICU MessageFormat in JSON, what the page reads at a glance. Of the build and of tests: no browser has the parser.
import { type MessageFormatElement, parse, TYPE } from "@formatjs/icu-messageformat-parser";
import type { Message, Texts } from "./message.ts";

/**
 * What the first view says, and comes with it; all other texts are loaded later. A key, or what it begins with where the line ends
 * with a dot; `*` is one part of it. Each of these makes the first view larger.
 */
const FIRST_TEXTS = [
  ..."app. attribute. control. home. level. live. nav. not_found. page. part. range. sign_in. sign_out. state. tile. undo".split(
    " ",
  ),
  ..."value. kind.*.true kind.*.false wall.enter wall.leave scene.idle scene.done scene.failed search.title".split(" "),
  ..."device.offline device.offline_since device.silent error.unreachable error.no_answer error.unknown".split(" "),
];

const IS_FIRST = new RegExp(
  `^(?:${FIRST_TEXTS.map((one) => one.replaceAll(".", "\\.").replace("*", "\\w+").replace(/\.$/, "..*")).join("|")})$`,
);

export interface Catalogue {
  /** What the language is called in itself. */
  name: string;
  first: Texts;
  later: Texts;
}

/** Its texts; those that it lacks are English. */
export function compileCatalogue(
  own: Readonly<Record<string, string>>,
  english: Readonly<Record<string, string>>,
): Catalogue {
  const unknown = Object.keys(own).filter((key) => !Object.hasOwn(english, key));
  if (unknown.length > 0) throw new Error(`there is no text ${unknown.join(", ")} in en.json`);
  const { "language.name": name } = own;
  if (name === undefined) throw new Error('a language needs its own name: "language.name"');
  const { "language.name": _, ...texts } = { ...english, ...own };
  const compiled = Object.entries(texts).map(([key, text]) => [key, compileMessage(key, text)] as const);
  return {
    name,
    first: Object.fromEntries(compiled.filter(([key]) => IS_FIRST.test(key))),
    later: Object.fromEntries(compiled.filter(([key]) => !IS_FIRST.test(key))),
  };
}

/** Throws what is wrong with it. */
export function compileMessage(key: string, text: string): Message {
  try {
    return messageOf(parse(text, { ignoreTag: true, requiresOtherClause: true, shouldParseSkeletons: false }));
  } catch (error) {
    throw new Error(`the text ${key}: ${(error as Error).message}: ${text}`);
  }
}

/** The names of the values that it is given. */
export function argumentsOf(message: Message): string[] {
  if (typeof message === "string") return [...message.matchAll(/\{#?(\w+)\}/g)].map(([, name = ""]) => name);
  const [name, forms] = message;
  return [name, ...Object.values(forms).flatMap(argumentsOf)];
}

/** What is around a choice goes into each of its forms, so that a message is a text or a choice, never a list. */
function messageOf(elements: readonly MessageFormatElement[], counted?: string): Message {
  const at = elements.findIndex(({ type }) => type === TYPE.plural || type === TYPE.select);
  const choice = elements[at];
  if (choice?.type !== TYPE.plural && choice?.type !== TYPE.select)
    return elements.map((element) => textOf(element, counted)).join("");
  const isPlural = choice.type === TYPE.plural;
  if (isPlural && (choice.offset !== 0 || choice.pluralType === "ordinal"))
    throw new Error("the page knows plurals without an offset, and no ordinals");
  const forms = Object.entries(choice.options).map(([form, { value }]) => {
    const inside = [...elements.slice(0, at), ...value, ...elements.slice(at + 1)];
    // A word is found as an exact number is: `=word`.
    const name = isPlural || form === "other" ? form : `=${form}`;
    return [name, messageOf(inside, isPlural ? choice.value : counted)];
  });
  return [choice.value, Object.fromEntries(forms)];
}

function textOf(element: MessageFormatElement, counted: string | undefined): string {
  switch (element.type) {
    case TYPE.literal:
      return element.value;
    case TYPE.argument:
      return `{${element.value}}`;
    case TYPE.number:
      return `{#${element.value}}`;
    case TYPE.pound:
      return `{#${counted}}`;
    default:
      throw new Error("the page knows {name}, {name, number}, plural and select");
  }
}
