// Kinds of triggers, conditions and actions that this page has no sentences for: the hub's own words stand in.
import { signal } from "@preact/signals";
import { type Part, readVocabulary, type Vocabulary } from "../state/rules.ts";
import { textFor } from "../texts/index.ts";
import { isolated } from "./rule-names.ts";

const vocabulary = signal<Vocabulary | undefined>(undefined);
let isAsked = false;

/** The page's name of the kind, else the first sentence of the hub's about it, else its own name. */
export function unknownWords(list: "triggers" | "conditions" | "actions", { type }: Part): string {
  const named = textFor(`kind.${type}`);
  if (named !== undefined) return isolated(named);
  if (!isAsked) {
    isAsked = true;
    readVocabulary().then(
      (read) => {
        vocabulary.value = read;
      },
      () => {
        isAsked = false;
      },
    );
  }
  const doc = vocabulary.value?.[list].find((word) => word.type === type)?.doc;
  const [sentence = ""] = /^[^.:;(]+/.exec(doc ?? "") ?? [];
  return isolated(sentence.trim() === "" ? type.replaceAll("_", " ") : sentence.trim());
}
