// What a rule's text would be as a rule, without saving it: for editors.
import type { RuleFormat } from "../parse/detect.ts";
import { type KnownHouse, lintText } from "../read/lint.ts";
import type { Rule } from "../read/rule.ts";
import { type Exists, type RuleWarning, warningsOf } from "./describe.ts";
import type { FileProblem, RuleReader } from "./read-rule.ts";

export interface CheckedText {
  readonly format: RuleFormat;
  /** Undefined where there are problems. */
  readonly rule: Rule | undefined;
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
  const linted = good ? lintText(text, good.rule, { shape: reader.shape, house }) : [];
  const warnings = [...warningsOf({ warnings: read.warnings, good }, exists), ...linted];
  return {
    format,
    rule: good && { ...good.rule, id: good.rule.id === ID_TO_COME ? "" : good.rule.id },
    problems,
    warnings: warnings.sort((a, b) => a.line - b.line || a.column - b.column),
  };
}
