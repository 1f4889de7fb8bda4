// Rules and what they can be made of, as the API answers them.
import type { Vocabulary } from "../../model/rules/rule.ts";
import { get } from "../hub/api.ts";

export const rulePath = (id: string, rest = ""): string => `/rules/${encodeURIComponent(id)}${rest}`;

let vocabularyRead: Promise<Vocabulary> | undefined;

/** Read once: it changes only with the hub's version. Rejects where it cannot be read, and is tried again then. */
export function readVocabulary(): Promise<Vocabulary> {
  vocabularyRead ??= get<Vocabulary>("/rules/vocabulary").catch((error: unknown) => {
    vocabularyRead = undefined;
    throw error;
  });
  return vocabularyRead;
}
