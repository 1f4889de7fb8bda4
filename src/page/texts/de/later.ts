// Deutsch: was der Hub zu dem sagt, was erst später geladen wird.
import { hints as hintsOfHub } from "./config-hints.ts";
import { hintsOfHouse } from "./config-hints-house.ts";

export const hints = { ...hintsOfHub, ...hintsOfHouse };
export { sentencesOfRules as sentences } from "./hub-words-rules.ts";
