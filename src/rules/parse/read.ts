// The door to the reader of rule files: text in, JSON rule or problems out, with the way back from a rule's keys to the
// lines of its text. Whether the JSON makes a rule is for others to say.
import type { JsonObject } from "../../core/json.ts";
import {
  type Flaw,
  findMark,
  type Mark,
  positionAt,
  problemAt,
  type TextPosition,
  type TextProblem,
  toProblems,
} from "../../core/text-places.ts";
import { detectFormat, type RuleFormat } from "./detect.ts";
import { readRon } from "./ron-parse.ts";
import { defaultShape, type RuleShape } from "./shape.ts";
import { toJson } from "./to-json.ts";
import { readToml } from "./toml.ts";

export const MAX_RULE_BYTES = 1024 * 1024;

export interface RuleText {
  format: RuleFormat;
  /** There when there are no problems. */
  value?: JsonObject;
  problems: TextProblem[];
  /** Place of a dotted path (`actions[2].channel`), or of the nearest thing around it. */
  locate(path: string): TextPosition;
  /** A problem that was found in the value, shown in the text. */
  problemAt(path: string, message: string): TextProblem;
  /** The places behind `locate`, for edits. */
  mark: Mark;
}

/** Never throws. An empty text is a problem, as is one that holds more than a megabyte. */
export function readRuleText(text: string, shape: RuleShape = defaultShape): RuleText {
  const format = detectFormat(text);
  if (Buffer.byteLength(text) > MAX_RULE_BYTES)
    return broken(text, format, { offset: 0, message: "a rule file holds a megabyte at most" });
  const half = text.search(/\p{Cs}/u);
  if (half >= 0) return broken(text, format, { offset: half, message: LONE_SURROGATE });
  if (format === undefined)
    return broken(text, format, { offset: 0, message: "there is no rule in this file: it is empty, or all comments" });
  const { value, mark, flaws } = format === "ron" ? ronTree(text, shape) : readToml(text);
  return {
    format,
    ...(flaws.length === 0 && { value }),
    problems: toProblems(text, flaws),
    locate: (path) => positionAt(text, findMark(mark, path).at),
    problemAt: (path, message) => problemAt(text, { offset: findMark(mark, path).at, message }),
    mark,
  };
}

const LONE_SURROGATE = "half of a character (a lone surrogate), which no file can hold: remove it";
const NOWHERE: Mark = { at: 0, start: -1, end: -1 };

function ronTree(text: string, shape: RuleShape): { value: JsonObject; mark: Mark; flaws: Flaw[] } {
  const read = readRon(text);
  return read.ok ? toJson(read.tree, shape) : { value: {}, mark: NOWHERE, flaws: read.flaws };
}

function broken(text: string, format: RuleFormat | undefined, flaw: Flaw): RuleText {
  return {
    format: format ?? "toml",
    problems: toProblems(text, [flaw]),
    locate: () => positionAt(text, 0),
    problemAt: (_, told) => problemAt(text, { offset: 0, message: told }),
    mark: NOWHERE,
  };
}
