// Finds placeholders in texts: `{{device.temperature}}`, and expressions such as `{{= device_state("hall").t * 2 | number:1}}`.
import { FORMATS, type FormatName } from "./formats.ts";

/** How its value is shown. */
export interface Format {
  readonly name: FormatName;
  /** Digits of `number`. */
  readonly digits?: number;
}

export interface Placeholder {
  /** As written, without the braces. */
  readonly source: string;
  /** Behind `=`: an expression; otherwise a dotted path. */
  readonly expression: boolean;
  /** The expression or path alone. */
  readonly text: string;
  readonly format?: Format;
  /** Where it begins and ends in the text, braces included. */
  readonly start: number;
  readonly end: number;
  /** What is wrong with its form, whatever it is about. */
  readonly problem?: string;
  /** It has no end, so that it is a part of the text. */
  readonly unclosed?: true;
  /** What is wrong with the format, if what stands behind the bar is one and not a part of a name. */
  readonly doubt?: string;
}

const MAX_PATH = 500;
const OPEN = "{{";

/** In the order of the text. */
export function placeholdersIn(text: string): Placeholder[] {
  const found: Placeholder[] = [];
  for (let at = text.indexOf(OPEN); at >= 0; ) {
    const one = text.startsWith("{{=", at) ? expressionAt(text, at) : pathAt(text, at);
    if (one) found.push(one);
    at = text.indexOf(OPEN, one?.end ?? at + 1);
  }
  return found;
}

/** The beginnings of paths whose braces do not close, each with up to 40 characters. */
export function unclosedIn(text: string): string[] {
  return [...text.matchAll(UNCLOSED)].map(([, beginning = ""]) => beginning.trim());
}

const UNCLOSED = /\{\{(?!=)([^{}\n]{0,40})(?![^{}]*\}\})/g;

/** Nothing where the braces hold something else, such as other braces. */
function pathAt(text: string, start: number): Placeholder | undefined {
  const ahead = text.slice(start + OPEN.length, start + OPEN.length + MAX_PATH + 2);
  const inside = ahead.slice(0, Math.max(0, ahead.indexOf("}}")));
  const end = start + OPEN.length + inside.length;
  // `{{{x}}` begins with a brace of the text.
  if (inside === "" || /[{}]/.test(inside)) return undefined;
  const { text: path, format, problem } = withoutFormat(inside.trim());
  // A bar may be a part of a name: only a format that there is makes it one.
  const parts =
    format && problem === undefined
      ? { text: path, format }
      : { text: inside.trim(), ...(problem !== undefined && { doubt: problem }) };
  return { source: inside.trim(), expression: false, ...parts, start, end: end + 2 };
}

/** To the braces that close it: those in texts and maps of the expression do not. */
function expressionAt(text: string, start: number): Placeholder {
  let depth = 0;
  let quote = "";
  for (let at = start + 3; at < text.length; at++) {
    const character = text[at] ?? "";
    if (quote !== "") {
      if (character === "\\") at++;
      else if (character === quote) quote = "";
    } else if (character === '"' || character === "'") quote = character;
    else if (character === "{") depth++;
    else if (character === "}" && depth > 0) depth--;
    else if (text.startsWith("}}", at)) {
      const source = text.slice(start + 3, at).trim();
      return { source: `= ${source}`, expression: true, ...withoutFormat(source), start, end: at + 2 };
    }
  }
  const source = text.slice(start + 3).trim();
  return {
    ...{ source: `= ${source}`, expression: true, text: source, start, end: text.length },
    ...{ problem: "is not closed: write }} behind it", unclosed: true },
  };
}

/** Splits off what stands behind a single bar, which is not in a text and no `||`. */
function withoutFormat(source: string): Pick<Placeholder, "text" | "format" | "problem"> {
  const bar = lastBar(source);
  if (bar < 0) return { text: source };
  const [name = "", digits, ...more] = source
    .slice(bar + 1)
    .split(":")
    .map((part) => part.trim());
  const text = source.slice(0, bar).trim();
  if (!isFormatName(name)) return { text, problem: `there is no format "${name}"; there are ${FORMATS.join(", ")}` };
  if (digits === undefined) return { text, format: { name } };
  if (name !== "number" || more.length > 0 || !/^[0-9]$/.test(digits))
    return { text, problem: `the format ${name} is written ${name === "number" ? "number:0 to number:9" : name}` };
  return { text, format: { name, digits: Number(digits) } };
}

function lastBar(source: string): number {
  let quote = "";
  let found = -1;
  for (let at = 0; at < source.length; at++) {
    const character = source[at] ?? "";
    if (quote !== "") {
      if (character === "\\") at++;
      else if (character === quote) quote = "";
    } else if (character === '"' || character === "'") quote = character;
    else if (character === "|") {
      if (source[at + 1] === "|") at++;
      else found = at;
    }
  }
  return found;
}

function isFormatName(name: string): name is FormatName {
  return (FORMATS as readonly string[]).includes(name);
}
