// Rules and what they can be made of, as the API answers them.
import { once } from "../../browser/once.ts";
import type { Vocabulary } from "../../model/rules/rule.ts";
import { get } from "../hub/api.ts";

export const rulePath = (id: string, rest = ""): string => `/rules/${encodeURIComponent(id)}${rest}`;

/** Read once: it changes only with the hub's version. Rejects where it cannot be read, and is tried again then. */
export const readVocabulary = once(() => get<Vocabulary>("/rules/vocabulary"));
