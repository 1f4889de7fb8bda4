// For editors, without saving anything: what a text would be as a rule, and what a rule would be as a text.
import type { JsonObject } from "../../kit/schema/json.ts";
import type { RuleFormat } from "../parse/detect.ts";
import { lacksId } from "../parse/edit/set-key.ts";
import { type FileProblem, refusalOf } from "../read/file-problem.ts";
import { type KnownHouse, lintText } from "../read/lint.ts";
import type { Rule } from "../read/rule.ts";
import { type Exists, type RuleWarning, warningsOf } from "./describe.ts";
import { editedText, textOf } from "./edits.ts";
import { placeIn, type RuleReader } from "./read-rule.ts";

export interface CheckedText {
  readonly format: RuleFormat;
  /** Undefined where there are problems. */
  readonly rule: Rule | undefined;
  /** All it says, where it uses a blueprint, also with problems. */
  readonly written: JsonObject | undefined;
  /** In the order of the text. */
  readonly problems: readonly FileProblem[];
  readonly warnings: readonly RuleWarning[];
}

export interface CheckTools {
  readonly reader: RuleReader;
  readonly exists: Exists;
  readonly house: KnownHouse;
}

// For a text without one, which gets its id when it is saved.
const ID_TO_COME = "new";

/** `file`: the name of the file it is meant for, which says what language it should be. Never throws. */
export function checkText(text: string, file: string | undefined, { reader, exists, house }: CheckTools): CheckedText {
  const read = reader.read(text, { file, id: ID_TO_COME });
  const { format, problems, good } = read;
  const linted = good ? lintText(text, good.rule, { shape: reader.shape, house, placeOf: placeIn(good) }) : [];
  const warnings = [...warningsOf({ warnings: read.warnings, good }, exists), ...linted];
  return {
    format,
    rule: good && { ...good.rule, id: good.rule.id === ID_TO_COME ? "" : good.rule.id },
    written: read.written,
    problems,
    warnings: warnings.sort((a, b) => a.line - b.line || a.column - b.column),
  };
}

export interface ComposedText {
  text: string;
  /** False where the text had to be written anew, and had some. */
  commentsKept: boolean;
}

/** Throws HubError `invalid` with every problem of the rule. */
export function composeText(
  given: JsonObject,
  { text, file, reader }: { text: string; file: string | undefined; reader: RuleReader },
): ComposedText {
  const before = reader.read(text, { file, id: ID_TO_COME }).good;
  const whole = { ...given, id: lacksId(given) ? (before?.rule.id ?? ID_TO_COME) : (given.id ?? "") };
  const { shape } = reader;
  const format = before === undefined ? undefined : reader.read(text, { file, id: ID_TO_COME }).format;
  const anew = textOf(whole, { shape, ...(format && { format }) });
  const { good, problems } = reader.read(anew, { id: ID_TO_COME });
  if (!good) throw refusalOf(problems.map(({ path = "", message }) => ({ path, message })));
  const edited = before && editedText(text, { before, after: good, reader });
  const chosen =
    edited ?? (whole.id === ID_TO_COME ? textOf({ ...whole, id: "" }, { shape, ...(format && { format }) }) : anew);
  return { text: chosen, commentsKept: edited !== undefined || !hasComments(text) };
}

function hasComments(text: string): boolean {
  return /(^|\s)(#|\/\/|\/\*)/.test(text);
}
