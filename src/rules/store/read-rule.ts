// Reads a rule file's text: the rule, or every reason why it is none, each with its place. Touches no file.
import { HubError, messageOf } from "../../core/errors.ts";
import type { JsonObject } from "../../core/json.ts";
import type { Problem } from "../../core/schema.ts";
import { positionAt, problemAt, type TextPosition, type TextProblem } from "../../core/text-places.ts";
import { withTomlAdvice } from "../../core/toml-advice.ts";
import { type ReadableRule, readRuleFileText } from "../homecore/read-text.ts";
import type { RuleFormat } from "../parse/detect.ts";
import { lacksId } from "../parse/edit/set-key.ts";
import type { RuleShape } from "../parse/shape.ts";
import { type Reference, referencesOf } from "../read/references.ts";
import { type Rule, readRule } from "../read/rule.ts";
import { ruleShape } from "../read/vocabulary.ts";

export interface FileProblem extends TextProblem {
  /** Dotted path within the rule, where there is one. */
  path?: string;
}

export interface ReadText {
  format: RuleFormat;
  /** There when there are no problems. */
  good?: GoodVersion;
  problems: readonly FileProblem[];
  /** What does not keep it from running. */
  warnings: readonly FileProblem[];
  /** The id in the text, as far as that can be read. */
  claimedId: string | undefined;
  /** There is no id in the text, and it was not read any further. */
  lacksId: boolean;
}

/** A text that was right. */
export interface GoodVersion {
  readonly rule: Rule;
  readonly references: readonly LocatedReference[];
  /** It may call devices by their names, as homeCore's rules do. */
  readonly byName: boolean;
}

/** A device, mode, scene, channel or rule that the rule names. */
export interface LocatedReference extends TextPosition {
  readonly kind: Reference["kind"];
  readonly name: string;
  /** Absent for what an expression names. */
  readonly path?: string;
}

/** What is known of a CEL text without running it. */
export interface ExpressionReader {
  /** What is wrong with it, if something is. */
  check(text: string): string | undefined;
  /** The devices and modes in it, as far as they are literals. */
  names(text: string): { kind: "device" | "mode"; name: string }[];
}

export interface ReadOptions {
  /** The name of its file, which says what language it should be. */
  file?: string | undefined;
  /** For a rule without an id. */
  id?: string | undefined;
}

export interface RuleReader {
  readonly shape: RuleShape;
  /** Whether a rule that was read may call devices by their names. */
  byName(rule: Rule): boolean;
  /** Never throws. */
  read(text: string, options?: ReadOptions): ReadText;
}

export function createRuleReader(expressions: ExpressionReader): RuleReader {
  const shape = ruleShape();
  const byName = new WeakSet<Rule>();

  function read(text: string, { file, id }: ReadOptions): ReadText {
    const source = readRuleFileText(text, { shape, file });
    const { format, problems, warnings } = source;
    const found = { ...unread(text), format, problems, warnings };
    if (!source.value) return found;
    if (id === undefined && lacksId(source.value)) return { ...found, lacksId: true };
    const value = lacksId(source.value) ? { ...source.value, id: id ?? "" } : source.value;
    const texts = new Set<string>();
    const checked = readRule(value, (expression) => {
      texts.add(expression);
      return expressions.check(expression);
    });
    const inWords = (problem: Problem): Problem => inWordsOf(format, problem, value);
    const located = checked.problems.map(inWords).map(({ path, message, warning = false }) => ({
      warning,
      problem: { path: source.ownPath(path), ...source.problemAt(path, message) },
    }));
    const those = (wanted: boolean): FileProblem[] =>
      located.filter(({ warning }) => warning === wanted).map(({ problem }) => problem);
    const { rule } = checked;
    if (rule && source.byName) byName.add(rule);
    return {
      ...found,
      ...(rule && {
        good: {
          rule,
          byName: source.byName,
          references: inOrder([...namedBy(rule, source), ...namedIn(texts, source, expressions)]),
        },
      }),
      problems: those(false),
      warnings: [...warnings, ...those(true)],
      claimedId: typeof value.id === "string" ? value.id : undefined,
    };
  }

  return {
    shape,
    byName: (rule) => byName.has(rule),
    read(text, options = {}) {
      try {
        return read(text, options);
      } catch (error) {
        // A fault of ours is the problem of the file that shows it, and of no other.
        return { ...unread(text), problems: [unforeseen(text, error)] };
      }
    },
  };
}

/** The problem, with what to write in the language of the file. */
function inWordsOf(format: RuleFormat, problem: Problem, value: JsonObject): Problem {
  const { path, message } = problem;
  if (path === "trigger" && message === "must be one trigger, not a list") {
    const mend = format === "toml" ? "[trigger], or [[triggers]] for several" : "one, or `triggers: [ … ]` for several";
    return { ...problem, message: `${message}: write ${mend}` };
  }
  return format === "toml" ? withTomlAdvice(problem, value) : problem;
}

function unread(text: string): ReadText {
  return { format: "ron", problems: [], warnings: [], claimedId: idIn(text), lacksId: false };
}

/** For what no reader of rules should throw, nor anything that runs them. */
export function unforeseen(text: string, error: unknown): FileProblem {
  const message = `the hub fails at this file, which is a fault of the hub: ${messageOf(error)}`;
  return problemAt(text, { offset: 0, message });
}

function namedBy(rule: Rule, { value, locate, ownPath }: ReadableRule): LocatedReference[] {
  return referencesOf(rule).map(({ path, ...reference }) => {
    // A single trigger has another key in the text than the list it is read into.
    const written = value?.trigger === undefined ? path : path.replace(/^triggers\[0\]/, "trigger");
    return { ...reference, path: ownPath(written), ...locate(written) };
  });
}

function inOrder(references: LocatedReference[]): LocatedReference[] {
  return references.sort((a, b) => a.line - b.line || a.column - b.column);
}

/** Placed at the expression; at the beginning of the file where the expression is written with escapes. */
function namedIn(
  expressions: Iterable<string>,
  { text, expressionOffset }: ReadableRule,
  { names }: ExpressionReader,
): LocatedReference[] {
  return [...expressions].flatMap((expression) => {
    const named = names(expression);
    if (named.length === 0) return [];
    const place = positionAt(text, expressionOffset(expression) ?? Math.max(0, text.indexOf(expression)));
    return named.map((reference) => ({ ...reference, ...place }));
  });
}

/** The id in a text that cannot be read as a whole, so that a person finds the rule they know. */
function idIn(text: string): string | undefined {
  return /(?:^|[\s({,])"?id"?\s*[:=]\s*(?:Some\()?["']([^"'\n]{1,255})["']/.exec(text)?.[1];
}

/** The refusal of a text or of a rule's JSON, with all its problems in the details. */
export function refusalOf(problems: readonly (Partial<FileProblem> & { message: string })[]): HubError {
  const lines = problems.map(({ line, column, path, message }) => {
    const place = line === undefined ? path : `${line}:${column}`;
    return place ? `${place}: ${message}` : message;
  });
  return new HubError("invalid", lines.join("; "), { details: { problems } });
}
