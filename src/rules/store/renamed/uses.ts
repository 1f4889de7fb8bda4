// Finds the attributes that texts of rules speak of: expressions (CEL, and the Rhai of homeCore's rules, which reads devices in
// the same way) and messages with placeholders. Only what is an attribute there: words in texts and comments are not.
import { placeholdersIn } from "../../../kit/text/placeholders.ts";

/** Whose attribute: of the device of this name or id, of the one that triggered the rule, or of any. */
export type About = { device: string } | "trigger" | "any";

/** An attribute's name in a text. */
export interface Use {
  start: number;
  end: number;
  name: string;
  about: About;
}

interface Token {
  kind: "text" | "name" | "sign";
  text: string;
  start: number;
  end: number;
}

const TOKEN =
  /\/\/[^\n]*|\/\*[\s\S]*?\*\/|"(?:[^"\\]|\\[\s\S])*"|'(?:[^'\\]|\\[\s\S])*'|[\p{L}_][\p{L}\p{N}_]*|[=!<>]=|\S/gu;

function tokensOf(text: string): Token[] {
  return [...text.matchAll(TOKEN)].flatMap(({ 0: found, index }): Token[] => {
    if (/^\/[/*]/.test(found)) return [];
    const kind = /^["']./s.test(found) ? "text" : /^[\p{L}_]/u.test(found) ? "name" : "sign";
    return [{ kind, text: found, start: index, end: index + found.length }];
  });
}

/** Functions whose argument is a device and whose result has its attributes. */
const OF_DEVICE: readonly string[] = ["device", "device_state", "attributes"];
/** Roots of what is no device. */
const NO_DEVICE: readonly string[] = ["vars", "trigger", "hub_var", "rule_var"];
/** Behind these, a bracket begins a list. */
const BEFORE_LIST: readonly string[] = ["in", "return", "let", "if", "else", "while"];

export function usesInExpression(text: string, names: ReadonlySet<string>): Use[] {
  const tokens = tokensOf(text);
  return tokens.flatMap((token, at): Use[] => {
    const name = token.kind === "text" ? token.text.slice(1, -1) : token.text;
    if (token.kind === "sign" || !names.has(name)) return [];
    const about = aboutOf(tokens, at);
    if (about === undefined) return [];
    const inner = token.kind === "text" ? 1 : 0;
    return [{ start: token.start + inner, end: token.end - inner, name, about }];
  });
}

/** Undefined where the token is no attribute. */
function aboutOf(tokens: readonly Token[], at: number): About | undefined {
  const [before, token, following] = [tokens[at - 1]?.text, tokens[at], tokens[at + 1]?.text];
  if (token?.kind === "name") return before === "." && following !== "(" ? ownerAt(tokens, at - 2) : undefined;
  const container = tokens[at - 2];
  const isKey = before === "[" && following === "]" && container !== undefined;
  if (isKey && container.kind !== "sign" && !BEFORE_LIST.includes(container.text)) return ownerAt(tokens, at - 2);
  if (isKey && [")", "]"].includes(container.text)) return ownerAt(tokens, at - 2);
  if (before === "," && following === ")") return ofArgument(tokens, at);
  if (following === "in") return ownerAt(tokens, endOfCall(tokens, at + 2));
  return isComparedWithTrigger(tokens, at) ? "trigger" : undefined;
}

/** `attribute("door", "contact")` and `get(door, "contact")`, which Rhai becomes. */
function ofArgument(tokens: readonly Token[], at: number): About | undefined {
  const open = openingOf(tokens, at + 1);
  const callee = tokens[open - 1]?.text;
  if (callee === "attribute") return ofCall("device_state", tokens.slice(open + 1, at - 1));
  return callee === "get" ? ownerAt(tokens, at - 2) : undefined;
}

/** `trigger.attribute == "contact"`, either way round. */
function isComparedWithTrigger(tokens: readonly Token[], at: number): boolean {
  const words = (from: number, to: number): string =>
    tokens
      .slice(Math.max(0, from), to)
      .map(({ text }) => text)
      .join("");
  return /^trigger\.attribute[!=]=$/.test(words(at - 4, at)) || /^[!=]=trigger\.attribute$/.test(words(at + 1, at + 5));
}

/** The last token of a call that begins here, such as `device_state("x")`; where none does, the token itself. */
function endOfCall(tokens: readonly Token[], at: number): number {
  if (tokens[at + 1]?.text !== "(") return at;
  for (let depth = 0, end = at + 1; end < tokens.length; end++) {
    if (tokens[end]?.text === "(") depth++;
    else if (tokens[end]?.text === ")" && --depth === 0) return end;
  }
  return at;
}

/** What the value is of that ends with this token. */
function ownerAt(tokens: readonly Token[], end: number): About | undefined {
  let at = end;
  for (;;) {
    const token = tokens[at];
    if (token === undefined) return undefined;
    if (token.text === "]") at = openingOf(tokens, at) - 1;
    else if (token.text === ")") {
      const open = openingOf(tokens, at);
      const callee = tokens[open - 1];
      if (callee?.kind !== "name") return undefined;
      // A method's result is of what it is called on.
      if (tokens[open - 2]?.text !== ".") return ofCall(callee.text, tokens.slice(open + 1, at));
      at = open - 3;
    } else if (token.kind !== "name") return undefined;
    else if (tokens[at - 1]?.text === ".") at -= 2;
    else return NO_DEVICE.includes(token.text) ? undefined : ofVariable(tokens);
  }
}

function openingOf(tokens: readonly Token[], end: number): number {
  const [open, close] = tokens[end]?.text === ")" ? ["(", ")"] : ["[", "]"];
  for (let depth = 0, at = end; at >= 0; at--) {
    if (tokens[at]?.text === close) depth++;
    else if (tokens[at]?.text === open && --depth === 0) return at;
  }
  return -1;
}

function ofCall(name: string, given: readonly Token[]): About | undefined {
  if (name === "devices") return "any";
  if (!OF_DEVICE.includes(name)) return undefined;
  const [only, another] = given;
  if (only?.kind === "text" && another === undefined) return { device: only.text.slice(1, -1) };
  return given.map(({ text }) => text).join("") === "trigger.device_id" ? "trigger" : "any";
}

/** A name that the expression itself gives: to each of the devices it goes through, or to the only one that it reads. */
function ofVariable(tokens: readonly Token[]): About | undefined {
  const isCalled = (name: string): boolean =>
    tokens.some(({ text }, at) => text === name && tokens[at + 1]?.text === "(");
  if (isCalled("devices")) return "any";
  const named = tokens.flatMap(({ text }, at) => {
    if (!OF_DEVICE.includes(text) || tokens[at + 1]?.text !== "(") return [];
    return [ofCall(text, tokens.slice(at + 2, endOfCall(tokens, at)))];
  });
  const [first] = named;
  if (first === undefined) return undefined;
  return named.every((one) => JSON.stringify(one) === JSON.stringify(first)) ? first : "any";
}

/** `{{device.contact}}`, `{{devices.front_door.contact}}`, and expressions in braces. */
export function usesInTemplate(text: string, names: ReadonlySet<string>): Use[] {
  return placeholdersIn(text).flatMap(({ expression, text: inside, start }): Use[] => {
    const begin = text.indexOf(inside, start + 2);
    if (!expression) return usesInPath(inside, names).map((use) => shifted(use, begin));
    return usesInExpression(inside, names).map((use) => shifted(use, begin));
  });
}

function usesInPath(path: string, names: ReadonlySet<string>): Use[] {
  const [root = ""] = path.split(".", 1);
  const rest = path.slice(root.length + 1);
  for (const name of names) {
    const use = (start: number, about: About): Use[] => [{ start, end: start + name.length, name, about }];
    if (root === "device" && (rest === name || rest.startsWith(`${name}.`))) return use(root.length + 1, "trigger");
    if (root !== "devices") continue;
    // Ids may have dots.
    const at = `${rest}.`.indexOf(`.${name}.`);
    if (at > 0) return use(root.length + at + 2, { device: rest.slice(0, at) });
  }
  return [];
}

function shifted(use: Use, by: number): Use {
  return { ...use, start: use.start + by, end: use.end + by };
}
