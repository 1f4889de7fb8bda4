// The entrance to the reader of rule files: text in, JSON rule or problems out, with the way back from a rule's keys to
// the lines of its text. Whether the JSON is a rule is for others to say.
import { isObject, type Json, type JsonObject } from "../../kit/schema/json.ts";
import {
  type Flaw,
  findMark,
  type Mark,
  positionAt,
  problemAt,
  type TextPosition,
  type TextProblem,
  toProblems,
} from "../../kit/schema/text-places.ts";
import { parseToml, UNPLACED } from "../../kit/schema/toml.ts";
import { detectFormat, formatOfName, type RuleFormat } from "./detect.ts";
import { readRon } from "./ron/parse.ts";
import { toJson } from "./ron/tree.ts";
import { defaultShape, FORBIDDEN_KEYS, type RuleShape } from "./shape.ts";

export const MAX_RULE_BYTES = 1024 * 1024;

export interface RuleText {
  format: RuleFormat;
  /** There when there are no problems. */
  value?: JsonObject;
  problems: TextProblem[];
  /** What does not keep the rule from running. */
  warnings: TextProblem[];
  /** Place of a dotted path (`actions[2].channel`), or of the nearest thing around it. */
  locate(path: string): TextPosition;
  /** A problem that was found in the value, shown in the text. */
  problemAt(path: string, message: string): TextProblem;
  /** The places behind `locate`, for edits. */
  mark: Mark;
  /** Names of structs in RON that are not in the value: `Rule`, `RuleAction`, … */
  wrappers: ReadonlySet<string>;
}

export interface ReadOptions {
  shape?: RuleShape;
  /** The name of the text's file, which says what language it should be. */
  file?: string | undefined;
}

/** Never throws. An empty text is a problem, as is one that holds more than a megabyte. */
export function readRuleText(text: string, { shape = defaultShape, file }: ReadOptions = {}): RuleText {
  const named = file === undefined ? undefined : formatOfName(file);
  const format = detectFormat(text, named);
  if (Buffer.byteLength(text) > MAX_RULE_BYTES)
    return broken(text, format ?? named, {
      offset: 0,
      message: "a rule file holds a megabyte at most: split the rule",
    });
  if (!text.isWellFormed())
    return broken(text, format ?? named, { offset: text.search(/\p{Cs}/u), message: LONE_SURROGATE });
  if (format === undefined) return broken(text, named, { offset: 0, message: NOTHING });
  const {
    value,
    mark,
    flaws,
    warnings,
    wrappers = NO_WRAPPERS,
  }: Tree = format === "ron" ? ronTree(text, shape) : readToml(text);
  const misnamed = file === undefined || format === named ? [] : [{ offset: 0, message: misnaming(file, format) }];
  return {
    format,
    ...(flaws.length === 0 && { value }),
    problems: toProblems(text, flaws),
    warnings: toProblems(text, [...misnamed, ...warnings]),
    locate: (path) => positionAt(text, findMark(mark, path).at),
    problemAt: (path, message) => problemAt(text, { offset: findMark(mark, path).at, message }),
    mark,
    wrappers,
  };
}

const NOTHING = "there is no rule in this file: it is empty, or all comments; write one, or remove the file";
const LONE_SURROGATE = "half of a character (a lone surrogate), which no file can hold: remove it";
const NO_WRAPPERS: ReadonlySet<string> = new Set();
const NOWHERE: Mark = { at: 0, start: -1, end: -1 };

function misnaming(file: string, format: RuleFormat): string {
  const [holds, says] = format === "toml" ? ["TOML", "RON"] : ["RON", "TOML"];
  return `the file holds ${holds}, and its name says ${says}: rename it to ${file.replace(/\.[^.]*$/, "")}.${format}`;
}

type Tree = { value: JsonObject; mark: Mark; flaws: Flaw[]; warnings: Flaw[]; wrappers?: ReadonlySet<string> };

function ronTree(text: string, shape: RuleShape): Tree {
  const read = readRon(text);
  if (!read.ok) return { value: {}, mark: NOWHERE, flaws: read.flaws, warnings: [] };
  return { ...toJson(read.tree, shape), warnings: [] };
}

function broken(text: string, format: RuleFormat = "toml", flaw: Flaw): RuleText {
  return {
    format,
    problems: toProblems(text, [flaw]),
    warnings: [],
    locate: () => positionAt(text, 0),
    problemAt: (_, message) => problemAt(text, { offset: 0, message }),
    mark: NOWHERE,
    wrappers: NO_WRAPPERS,
  };
}

function readToml(text: string): Tree {
  const read = parseToml(text);
  if (!read.ok) {
    const { offset, message } = read.flaw;
    const flaw = { offset, message: `this is not valid TOML: ${message}` };
    return { value: {}, mark: NOWHERE, flaws: [flaw], warnings: [] };
  }
  const flaws: Flaw[] = [];
  const value = tomlToJson(flaws, read.table, read.mark);
  const warnings = read.unplaced.map(({ path, at }): Flaw => ({ offset: at, message: `\`${path}\`: ${UNPLACED}` }));
  return { value: isObject(value) ? value : {}, mark: read.mark, flaws, warnings };
}

function tomlToJson(flaws: Flaw[], value: unknown, mark: Mark): Json {
  const refuse = (message: string): null => {
    flaws.push({ offset: Math.max(mark.start, mark.at), message });
    return null;
  };
  if (typeof value === "string" || typeof value === "boolean") return value;
  if (typeof value === "number")
    return Number.isFinite(value) ? value : refuse("a rule cannot hold inf or nan: give a number");
  if (typeof value === "bigint") return isExact(value) ? Number(value) : refuse(INEXACT);
  if (value instanceof Date) return value.toISOString().replace(/\.000(?=Z|[+-]|$)/, "");
  if (Array.isArray(value)) return value.map((item, index) => tomlToJson(flaws, item, mark.items?.[index] ?? mark));
  return Object.fromEntries(
    Object.entries(value as object).map(([key, member]) => {
      const place = mark.keys?.get(key) ?? mark;
      if (FORBIDDEN_KEYS.has(key))
        flaws.push({ offset: place.at, message: `the key \`${key}\` is not allowed: choose another name` });
      return [key, tomlToJson(flaws, member, place)];
    }),
  );
}

// One of some three hundred digits is infinite as a number, which is no BigInt.
function isExact(value: bigint): boolean {
  const number = Number(value);
  return Number.isFinite(number) && BigInt(number) === value;
}

const INEXACT = "this number cannot be held exactly (beyond ±2^53): write it as a text, in quotes";
