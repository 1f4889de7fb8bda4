// How the help is searched: the build makes the index by this, and the page reads it by the same.
import type { Options } from "minisearch";

/** A section of a page, as the index has it. */
export interface Findable {
  /** `/help/rules/time#the-anchor` */
  id: string;
  title: string;
  page: string;
  text: string;
  /** How it begins. */
  begin: string;
}

export const SEARCH: Options<Findable> = {
  fields: ["title", "page", "text"],
  storeFields: ["title", "page", "begin"],
  // `max_per_second`, `[mqtt]` and `--dry-run` are found whole and by their parts.
  tokenize: (text) => {
    const words = text.match(/[\p{L}\p{N}]+(?:[_-][\p{L}\p{N}]+)*/gu) ?? [];
    return words.flatMap((word) => (/[_-]/.test(word) ? [word, ...word.split(/[_-]/)] : [word]));
  },
  searchOptions: {
    boost: { title: 4, page: 2 },
    prefix: true,
    // A typing error in a longer word.
    fuzzy: (word) => (word.length > 4 ? 0.2 : false),
    combineWith: "AND",
    // Why something is so stands behind how it is done.
    boostDocument: (id) => (String(id).startsWith("/help/decisions") ? 0.3 : 1),
  },
};
