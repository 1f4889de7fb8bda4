// A rule as a sentence in plain words.
import type { WholeRule } from "../../model/rules/rule.ts";
import { listed, quoted } from "../../model/rules/rule-text.ts";
import { t } from "../../texts/index.ts";
import { thenOf } from "./words/rule-actions.ts";
import { allOf } from "./words/rule-conditions.ts";
import { whenOf } from "./words/rule-triggers.ts";
import { unknownWords } from "./words/rule-vocabulary.ts";

export function sentenceOf(rule: WholeRule): string {
  const does = thenOf(rule.actions);
  const triggers = rule.triggers.filter(({ type }) => type !== "manual_trigger");
  if (triggers.length === 0) return t("rule.by_hand_only", { does });
  const when = listed(
    triggers.map((trigger) => whenOf(trigger) ?? unknownWords("triggers", trigger)),
    "disjunction",
  );
  const conditions = [
    ...formula(rule.trigger_condition),
    ...formula(rule.required_expression),
    ...(rule.conditions.length > 0 ? [allOf(rule.conditions)] : []),
  ];
  if (conditions.length === 0) return t("rule.sentence", { when, does });
  return t("rule.sentence_if", { when, if: listed(conditions), does });
}

function formula(text: string | undefined): string[] {
  return text === undefined ? [] : [t("rule.formula", { text: quoted(text) })];
}

export function RuleSentence({ rule }: { rule: WholeRule }) {
  return <p class="rule-sentence">{sentenceOf(rule)}</p>;
}
