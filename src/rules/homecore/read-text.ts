// Reads a rule file in whichever spelling it is: ours, or homeCore's, which is translated. The text itself is never changed.
import type { JsonObject } from "../../kit/schema/json.ts";
import { findMark, positionAt, problemAt, type TextProblem } from "../../kit/schema/text-places.ts";
import { type ReadOptions, type RuleText, readRuleText } from "../parse/read.ts";
import type { OwnMark } from "./place.ts";
import { translateRule } from "./translate.ts";
import type { OwnFlaw } from "./translating.ts";

export interface ReadableRule extends RuleText {
  /** The path by which the author of the file knows what has this path in the rule. */
  ownPath(path: string): string;
  readonly text: string;
  /** It may call devices by their names instead of their ids. */
  readonly byName: boolean;
  /** Where the file has this CEL text, if it was made from something else there. */
  expressionOffset(cel: string): number | undefined;
}

/** As `readRuleText`. `locate` and `problemAt` take paths of the rule that it gives, also of a translated one. */
export function readRuleFileText(text: string, options: ReadOptions = {}): ReadableRule {
  const read = readRuleText(text, options);
  if (!read.value || !isHomeCores(read.value, read.wrappers))
    return { ...read, text, byName: false, ownPath: (path) => path, expressionOffset: () => undefined };
  const { value, mark, problems, warnings, expressions } = translateRule(read.value, read.mark);
  const at = (path: string): OwnMark => findMark(mark, path) as OwnMark;
  const { value: _, ...rest } = read;
  return {
    ...rest,
    text,
    byName: true,
    ...(problems.length === 0 && { value }),
    problems: inText(text, problems),
    warnings: [...read.warnings, ...inText(text, warnings)],
    locate: (path) => positionAt(text, at(path).at),
    problemAt: (path, message) => problemAt(text, { offset: at(path).at, message }),
    ownPath: (path) => at(path).path,
    expressionOffset: (cel) => expressions.get(cel),
  };
}

const MAX_SHOWN = 20;

function inText(text: string, flaws: readonly OwnFlaw[]): (TextProblem & { path: string })[] {
  const sorted = flaws.toSorted((a, b) => a.offset - b.offset).slice(0, MAX_SHOWN);
  return sorted.map(({ path, ...flaw }) => ({ path, ...problemAt(text, flaw) }));
}

const ALWAYS_WRITTEN = ["log_events", "log_triggers", "log_actions"];
/** No rule of homeCore has these. */
const OURS = ["triggers", "description", "max_queued", "catch_up_secs", "durable", "use", "inputs"];

function isHomeCores(rule: JsonObject, wrappers: ReadonlySet<string>): boolean {
  if (OURS.some((key) => Object.hasOwn(rule, key))) return false;
  const isNamed = wrappers.has("Rule") && wrappers.has("RuleAction");
  return isNamed || ALWAYS_WRITTEN.some((key) => Object.hasOwn(rule, key));
}
