// Kinds of triggers, conditions and actions that this page has no sentences for: the hub's own words stand in.

import { signal } from "@preact/signals";
import { once } from "../../../browser/once.ts";
import type { Part, Vocabulary } from "../../../model/rules/rule.ts";
import { kindLabel } from "../../../model/rules/rule-kinds.ts";
import { isolated } from "../../../model/rules/rule-text.ts";
import { readVocabulary } from "../../../state/house/rules.ts";
import { textFor } from "../../../texts/index.ts";

const vocabulary = signal<Vocabulary | undefined>(undefined);
const read = once(async () => {
  vocabulary.value = await readVocabulary();
});

export function unknownWords(list: "triggers" | "conditions" | "actions", { type }: Part): string {
  if (textFor(`kind.${type}`) === undefined) read().catch(() => {});
  return isolated(kindLabel(type, vocabulary.value?.[list]));
}
