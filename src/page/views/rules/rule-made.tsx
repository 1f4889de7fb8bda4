// What a rule does, in words: its sentence, or what is filled into its blueprint.
import type { ListedRule } from "../../model/rules/rule.ts";
import { madeSentence } from "./blueprints/blueprint-words.ts";
import { sentenceOf } from "./rule-sentence.tsx";

/** Undefined where no version of it runs. */
export function whatItDoes({ rule, use, inputs }: ListedRule): string | undefined {
  if (use !== undefined) return madeSentence(use, inputs ?? {});
  return rule ? sentenceOf(rule) : undefined;
}

export function WhatItDoes({ rule }: { rule: ListedRule }) {
  const words = whatItDoes(rule);
  return words === undefined ? null : <p class="rule-sentence">{words}</p>;
}
