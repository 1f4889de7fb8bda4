// The three kinds of parts a rule is made of, and what the vocabulary says of each.
import type { Part, Vocabulary, Word } from "../state/rules.ts";
import { textFor } from "../texts/index.ts";

export type Kind = "trigger" | "condition" | "action";

export interface ListProps {
  kind: Kind;
  parts: readonly Part[];
  vocabulary: Vocabulary;
  heading: string;
  /** Resolves with why it was refused, if it was. */
  onChange: (parts: Part[]) => Promise<unknown>;
}

export function wordsFor(kind: Kind, { triggers, conditions, actions }: Vocabulary): Word[] {
  return { trigger: triggers, condition: conditions, action: actions }[kind];
}

export function kindLabel(type: string): string {
  return textFor(`kind.${type}`) ?? type.replaceAll("_", " ");
}
