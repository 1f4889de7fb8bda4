// Reads a rule file's text: the rule, or every reason why it is none, each with its place. Touches no file.

import type { JsonObject } from "../../kit/schema/json.ts";
import { firstPerPath, type Problem } from "../../kit/schema/schema.ts";
import { positionAt, type TextPosition } from "../../kit/schema/text-places.ts";
import { withTomlAdvice } from "../../kit/schema/toml-advice.ts";
import { lazy } from "../../kit/time/lazy.ts";
import { type BlueprintFinder, isUse, type MadeFrom, type ReadUse, readUse, writtenPath } from "../blueprints/use.ts";
import { type ReadableRule, readRuleFileText } from "../homecore/read-text.ts";
import type { RuleFormat } from "../parse/detect.ts";
import { lacksId } from "../parse/edit/set-key.ts";
import type { RuleShape } from "../parse/shape.ts";
import { type FileProblem, unforeseen } from "../read/file-problem.ts";
import type { PlaceOf } from "../read/lint.ts";
import { type Reference, referencesOf } from "../read/references.ts";
import { type ReadRule, type Rule, readRule } from "../read/rule.ts";
import { ruleShape } from "../read/vocabulary.ts";

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
  /** The id of the blueprint it uses, if it uses one. */
  uses: string | undefined;
  /** All it says, where it uses one, also with problems. */
  written?: JsonObject;
}

/** A text that was right. */
export interface GoodVersion {
  readonly rule: Rule;
  readonly references: readonly LocatedReference[];
  /** There for a rule that a blueprint made. */
  readonly made?: MadeFrom;
  /** It may call devices by their names, as homeCore's rules do. */
  readonly byName: boolean;
}

/** For a rule that a blueprint made. */
export function placeIn({ made }: GoodVersion): PlaceOf | undefined {
  return made && ((path) => writtenPath(made.origins, path) ?? "use");
}

/** What its file says: the rule itself, or a blueprint with its inputs. */
export function writtenOf({ rule, made }: GoodVersion): JsonObject {
  return made ? made.written : (rule as JsonObject);
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
  /** What of the house is in it, as far as it is literal. */
  names(text: string): { kind: "device" | "mode" | "area" | "device_type"; name: string }[];
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

/** For readers of texts that use none. */
const NO_BLUEPRINTS: BlueprintFinder = { find: (id) => ({ ok: false, message: `there is no blueprint "${id}"` }) };

export function createRuleReader(
  expressions: ExpressionReader,
  blueprints: BlueprintFinder = NO_BLUEPRINTS,
): RuleReader {
  const shape = lazy(ruleShape);
  const byName = new WeakSet<Rule>();

  function read(text: string, { file, id }: ReadOptions): ReadText {
    const source = readRuleFileText(text, { shape: shape(), file });
    const { format, problems, warnings } = source;
    const found = { ...unread(text), format, problems, warnings };
    if (!source.value) return found;
    if (id === undefined && lacksId(source.value)) return { ...found, lacksId: true };
    const value = lacksId(source.value) ? { ...source.value, id: id ?? "" } : source.value;
    const texts = new Set<string>();
    const use = isUse(value) ? readUse(value, blueprints) : undefined;
    const checked = readMade(use, value, (expression) => {
      texts.add(expression);
      return expressions.check(expression);
    });
    const inWords = (problem: Problem): Problem => inWordsOf(format, problem, value);
    const located = checked.problems.map(inWords).map(({ path, message, warning = false }) => ({
      warning,
      problem: { path: source.ownPath(path), ...source.problemAt(path, message) },
    }));
    if (use) located.sort((a, b) => a.problem.line - b.problem.line);
    const those = (wanted: boolean): FileProblem[] =>
      located.filter(({ warning }) => warning === wanted).map(({ problem }) => problem);
    const { rule } = checked;
    if (rule && source.byName) byName.add(rule);
    return {
      ...found,
      ...(rule && { good: goodVersion(rule, { source, texts, made: use?.madeFrom(rule) }) }),
      problems: those(false),
      warnings: [...warnings, ...those(true)],
      claimedId: typeof value.id === "string" ? value.id : undefined,
      uses: use?.use,
      ...(use && { written: source.value }),
    };
  }

  function goodVersion(rule: Rule, { source, texts, made }: Found): GoodVersion {
    const named = made ? madeNames(rule, made) : namedBy(rule, source.value);
    const placed = named.map(({ path, ...reference }) => {
      return { ...reference, path: source.ownPath(path), ...source.locate(path) };
    });
    const inTexts = made ? namesOfMade(texts, made, expressions) : [];
    const ofTexts = made
      ? inTexts.map((one) => ({ ...one, ...source.locate(one.path) }))
      : namedIn(texts, source, expressions);
    return { rule, byName: source.byName, references: inOrder([...placed, ...ofTexts]), ...(made && { made }) };
  }

  return {
    get shape() {
      return shape();
    },
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
  return { format: "ron", problems: [], warnings: [], claimedId: idIn(text), lacksId: false, uses: undefined };
}

interface Found {
  source: ReadableRule;
  /** The expressions in it. */
  texts: Iterable<string>;
  made: MadeFrom | undefined;
}

/** The rule of a text, or of the blueprint that it uses; problems with their paths in the text. */
function readMade(use: ReadUse | undefined, value: JsonObject, checkExpression: ExpressionReader["check"]): ReadRule {
  if (!use) return readRule(value, checkExpression);
  if (!use.rule) return { problems: [...use.problems] };
  const { rule, problems } = readRule(use.rule, checkExpression);
  return { ...(rule && { rule }), problems: firstPerPath(problems.map(use.toFile)) };
}

function namedBy(rule: Rule, value: JsonObject | undefined): Reference[] {
  return referencesOf(rule).map(({ path, ...reference }) => {
    // A single trigger has another key in the text than the list it is read into.
    const written = value?.trigger === undefined ? path : path.replace(/^triggers\[0\]/, "trigger");
    return { ...reference, path: written };
  });
}

/** At the inputs that name them. */
function madeNames(rule: Rule, { origins }: MadeFrom): Reference[] {
  return referencesOf(rule).map((reference) => ({ ...reference, path: writtenPath(origins, reference.path) ?? "use" }));
}

function namesOfMade(texts: Iterable<string>, { inputs }: MadeFrom, { names }: ExpressionReader): Reference[] {
  return [...texts]
    .flatMap(names)
    .map((reference) => ({ ...reference, path: inputWith(inputs, reference.name) ?? "use" }));
}

/** The path of the input whose value, or one of whose values, this is. */
function inputWith(inputs: JsonObject, name: string): string | undefined {
  for (const [id, value] of Object.entries(inputs)) {
    if (value === name) return `inputs.${id}`;
    const index = Array.isArray(value) ? value.indexOf(name) : -1;
    if (index >= 0) return `inputs.${id}[${index}]`;
  }
  return undefined;
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
