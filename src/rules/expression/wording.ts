// What cel-js and JavaScript throw, in words for the author of the rule, with the place in the text.
import { TypeError as CelTypeError, EvaluationError, ParseError } from "@marcbachmann/cel-js";
import { didYouMean } from "../../kit/schema/did-you-mean.ts";
import { messageOf } from "../../kit/schema/errors.ts";
import type { ExpressionProblem } from "./host.ts";

const TOKENS: Readonly<Record<string, string>> = {
  EOF: "the end of the text",
  IDENTIFIER: "a name",
  STRING: "a text",
  NUMBER: "a number",
  BOOLEAN: "true or false",
  LPAREN: '"("',
  RPAREN: '")"',
  LBRACKET: '"["',
  RBRACKET: '"]"',
  LBRACE: '"{"',
  RBRACE: '"}"',
  COMMA: '","',
  COLON: '":"',
  DOT: '"."',
  QUESTION: '"?"',
};

const WORD_OPERATORS: Readonly<Record<string, string>> = {
  and: "&&",
  or: "||",
  not: "!",
  AND: "&&",
  OR: "||",
  NOT: "!",
};

/** What the library says less well of itself. */
const PLAIN: Readonly<Record<string, string>> = {
  numeric_overflow: "makes a whole number beyond 64 bits",
  uint_conversion_error: "uint() takes whole numbers from 0 up to 64 bits",
  bool_conversion_error: 'bool() reads only "true" and "false"',
};

export const NO_DURATION = 'this is not a duration; write "90s", "10m" or "1h30m"';

export interface Vocabulary {
  functions: readonly string[];
  variables: readonly string[];
}

export function problemOf(text: string, thrown: unknown, vocabulary: Vocabulary): ExpressionProblem {
  if (!isCelError(thrown)) return at(text, 0, thrown instanceof RangeError ? rangeWording(thrown) : messageOf(thrown));
  const start = thrown.node?.pos ?? thrown.range?.start ?? 0;
  return at(text, start, wording(text.slice(start), thrown, vocabulary));
}

export function at(text: string, offset: number, message: string): ExpressionProblem {
  const before = text.slice(0, offset).split("\n");
  return { message, line: before.length, column: (before.at(-1)?.length ?? 0) + 1 };
}

/** In one line. */
export function problemText({ message, line, column }: ExpressionProblem): string {
  return `${message} (${line > 1 ? `line ${line}, ` : ""}character ${column} of the expression)`;
}

type CelError = EvaluationError | ParseError | CelTypeError;

function isCelError(thrown: unknown): thrown is CelError {
  return thrown instanceof EvaluationError || thrown instanceof ParseError || thrown instanceof CelTypeError;
}

function rangeWording(error: RangeError): string {
  return /stack|recurs/i.test(error.message) ? "is nested too deeply" : error.message;
}

function wording(rest: string, { code, summary }: CelError, vocabulary: Vocabulary): string {
  const word = /^\w+/.exec(rest)?.[0] ?? "";
  if (Object.hasOwn(WORD_OPERATORS, word) && code !== "evaluation_error")
    return `write ${WORD_OPERATORS[word]} instead of "${word}"`;
  if (code === "unexpected_character" && rest.startsWith("=")) return "a single = compares nothing; write ==";
  if (code === "unknown_variable")
    return `there is no "${word}" here${didYouMean(word, vocabulary.variables)}${othersOf(vocabulary)}${readsHome(vocabulary) ? `, and a variable of the hub is hub_var("${word}")` : ""}`;
  if (code === "no_matching_overload") return callWording(summary, vocabulary);
  if (code === "no_such_overload") return operatorWording(summary);
  if (code === "incompatible_ternary_branches") return branchWording(plainTypes(summary));
  if (Object.hasOwn(PLAIN, code)) return PLAIN[code] ?? "";
  if (code === "cannot_index_type" || code === "invalid_index_type") return indexWording(plainTypes(summary));
  if (code === "invalid_comprehension_range")
    return `only a list or a map can be gone through, and this is of the type ${/'(.+?)'/.exec(plainTypes(summary))?.[1] ?? ""}`;
  if (code === "limit_exceeded") return limitWording(summary);
  return plainTypes(summary).replace(/\b[A-Z]{3,}\b/g, (token) => TOKENS[token] ?? token);
}

function othersOf({ variables }: Vocabulary): string {
  return variables.length > 0 ? `; there are ${variables.join(", ")}` : "";
}

function indexWording(plain: string): string {
  const [, of = "this"] = /type '(.+?)'/.exec(plain) ?? [];
  return plain.startsWith("List index") ? "the items of a list are counted from 0" : `${of} has no attributes or items`;
}

function branchWording(plain: string): string {
  if (plain.includes("'number' and 'number'"))
    return 'one branch gives a whole number and the other a fractional one; write both with a point, such as "1.0"';
  return `${plain}; put dyn(…) around one of them if that is meant`;
}

function limitWording(summary: string): string {
  const [, limit = "", most = ""] = /(max\w+) \((\d+)\)/.exec(summary) ?? [];
  if (limit === "maxDepth") return `is nested deeper than ${most} levels`;
  if (limit === "maxAstNodes") return `has more than ${most} parts; split it up`;
  return `has a list, map or call of more than ${most} items`;
}

function callWording(summary: string, { functions, variables }: Vocabulary): string {
  const [, called = "", types = ""] = /'(.+?)\((.*)\)'/.exec(summary) ?? [];
  const name = called.slice(called.lastIndexOf(".") + 1);
  if (!functions.includes(name)) return `there is no function ${name}()${similar(name, { functions, variables })}`;
  return `${name}() does not take (${plainTypes(types)})${called.includes(".") ? ` on ${plainTypes(called.slice(0, called.lastIndexOf(".")))}` : ""}`;
}

/** What was probably meant, or the functions that read the home. */
function similar(name: string, vocabulary: Vocabulary): string {
  const { functions } = vocabulary;
  const meant = didYouMean(name, functions);
  if (meant !== "") return meant;
  const longer = name.length > 2 ? functions.find((one) => one.includes(name)) : undefined;
  if (longer !== undefined) return ` – did you mean "${longer}"?`;
  return readsHome(vocabulary) ? `; the home is read with ${HOME_FUNCTIONS}` : "";
}

function readsHome({ functions }: Vocabulary): boolean {
  return functions.includes("hub_var");
}

const HOME_FUNCTIONS = "device(), device_state(), devices(), hub_var(), mode(), now(), current_hour() and the like";

function operatorWording(summary: string): string {
  const plain = plainTypes(summary.replace("no such overload: ", ""));
  const hint = /^(text \+ (number|boolean)|(number|boolean) \+ text)$/.test(plain)
    ? "; put string(…) around what is not a text"
    : "";
  return `${plain} is not possible${hint}`;
}

/** CEL's types as people call them. */
function plainTypes(text: string): string {
  return text
    .replace(/dyn<([^<>]*)>/g, "$1")
    .replace(/list<dyn>/g, "list")
    .replace(/map<dyn, dyn>/g, "map")
    .replace(/\bdyn\b(?!\()/g, "anything")
    .replace(/CelNamespace/g, "cel")
    .replace(/\buint\b(?!\()/g, "unsigned number")
    .replace(/\b(int|double)\b(?!\()/g, "number")
    .replace(/\bstring\b(?!\()/g, "text")
    .replace(/\bbool\b(?!\()/g, "boolean")
    .replace(/google\.protobuf\.Timestamp/g, "timestamp")
    .replace(/google\.protobuf\.Duration/g, "duration");
}
