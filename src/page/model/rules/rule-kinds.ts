// The three kinds of parts a rule is made of, and what the vocabulary says of each.

import { textFor } from "../../texts/index.ts";
import type { Part, Vocabulary, Word } from "./rule.ts";

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

/** The page's name of a kind; where it has none, the first sentence of the hub's about it; without that, its own name. */
export function kindLabel(type: string, words: readonly Word[] | undefined): string {
  const doc = words?.find((word) => word.type === type)?.doc;
  const sentence = /^[^.:;(]+/.exec(doc ?? "")?.[0].trim();
  return textFor(`kind.${type}`) ?? (sentence || type.replaceAll("_", " "));
}
